import { runTogether } from '../support/processes/together.ts';

await runTogether(['conformance'], { database: 'sqlite' });
