import { runTogether } from '../support/processes/together.ts';

await runTogether(['api/', 'api/http', 'api/http/overload', 'api/oauth', 'api/pages', 'api/rest'], {
  database: 'sqlite',
});
