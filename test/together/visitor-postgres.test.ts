import { runTogether } from '../support/together.ts';

await runTogether('visitor', {
  database: 'postgres',
  except: {
    docs: 'a page',
    schema: 'the schema as text',
  },
});
