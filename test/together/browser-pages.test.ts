import { runTogether } from '../support/processes/together.ts';

await runTogether(['browser/pages']);
