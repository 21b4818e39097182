import { runTogether } from '../support/together.ts';

await runTogether('api', { database: 'sqlite' });
