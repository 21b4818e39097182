import { runTogether } from '../support/processes/together.ts';

await runTogether(['api/', 'api/http', 'api/oauth', 'api/rest'], {
  database: 'postgres',
  except: {
    'api/http/peer-address': 'no database',
    'api/oauth/oauth-clients': 'client libraries; api/oauth/token is the same tokens',
    'api/rest/errors': 'no database',
    'api/rest/php-client': 'a client of the interface',
    'api/rest/unavailable': 'locks the file; test/fault takes the server away',
  },
});
