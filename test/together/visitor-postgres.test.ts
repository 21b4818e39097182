import { runTogether } from '../support/processes/together.ts';

await runTogether(['api/visitor'], {
  database: 'postgres',
  except: {
    'api/visitor/docs': 'a page, no database',
    'api/visitor/schema': 'the schema as text',
  },
});
