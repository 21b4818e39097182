import { runTogether } from '../support/together.ts';

await runTogether('engine');
