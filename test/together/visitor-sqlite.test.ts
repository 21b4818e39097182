import { runTogether } from '../support/together.ts';

await runTogether('visitor', { database: 'sqlite' });
