import { runOnPostgres } from '../support/on-postgres.ts';

await runOnPostgres('visitor', {
  docs: 'a page',
  origins: 'HTTP before any database',
  schema: 'the schema as text',
});
