import { runTogether } from '../support/together.ts';

await runTogether('graphql', { database: 'sqlite' });
