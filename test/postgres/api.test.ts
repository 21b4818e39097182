import { runOnPostgres } from '../support/on-postgres.ts';

runOnPostgres('api', {
  cli: 'commands for the file of the embedded database; test/nodes runs those that both have',
  configuration: 'the start on a file and on a folder',
  'copy-cli': 'names its own databases',
  'copy-interrupted': 'names its own databases',
  docs: 'pages',
  graphiql: 'a page',
  'import-cli': 'the terminal; graphql/import is the same import',
  'peer-address': 'no database',
  'php-client': 'a client of the interface',
  'rest-unavailable': 'locks the file; test/fault takes the server away',
  'secrets-at-rest': 'reads the file',
  start: 'the installation of what is missing',
  'webhook-cli': 'the terminal',
  'webhook-docs': 'a page',
});
