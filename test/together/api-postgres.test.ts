import { runTogether } from '../support/together.ts';

await runTogether('api', {
  database: 'postgres',
  except: {
    'cli-process': 'the process, whatever the database',
    configuration: 'the start on a file and on a folder',
    'copy-cli': 'names its own databases',
    'copy-interrupted': 'names its own databases',
    docs: 'pages',
    graphiql: 'a page',
    'import-cli': 'the terminal; graphql/import is the same import',
    'oauth-clients': 'client libraries; api/token is the same tokens',
    'peer-address': 'no database',
    'php-client': 'a client of the interface',
    'rest-errors': 'no database',
    'rest-unavailable': 'locks the file; test/fault takes the server away',
    'webhook-cli': 'the terminal; api/webhooks is the same webhooks',
    'webhook-docs': 'a page',
  },
});
