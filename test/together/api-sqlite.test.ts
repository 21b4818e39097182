import { runTogether } from '../support/processes/together.ts';

await runTogether(['api/', 'api/http', 'api/oauth', 'api/pages', 'api/rest'], { database: 'sqlite' });
