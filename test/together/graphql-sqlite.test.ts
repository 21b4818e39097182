import { runTogether } from '../support/processes/together.ts';

await runTogether(['api/graphql'], { database: 'sqlite' });
