import { runTogether } from '../support/processes/together.ts';

await runTogether(['app', 'commands', 'conformance'], { database: 'sqlite' });
