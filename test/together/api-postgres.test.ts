import { runTogether } from '../support/processes/together.ts';

await runTogether(['api/', 'api/http', 'api/oauth', 'api/rest'], {
  database: 'postgres',
  except: {
    'api/http/client-address': 'no database',
    'api/oauth/oauth-clients': 'client libraries; api/oauth/token covers the tokens',
    'api/rest/errors': 'no database',
    'api/rest/php-client': 'a client library',
    'api/rest/unavailable': 'locks the SQLite file; test/fault stops the PostgreSQL server',
  },
});
