import { runOnPostgres } from '../support/on-postgres.ts';

await runOnPostgres('visitor', {
  docs: 'a page',
  schema: 'the schema as text',
});
