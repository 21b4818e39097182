import { runTogether } from '../support/processes/together.ts';

await runTogether(['api/graphql', 'api/visitor'], { database: 'sqlite' });
