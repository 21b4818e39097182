import { runTogether } from '../support/together.ts';

await runTogether('conformance', { database: 'sqlite' });
