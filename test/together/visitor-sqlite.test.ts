import { runTogether } from '../support/processes/together.ts';

await runTogether(['api/visitor'], { database: 'sqlite' });
