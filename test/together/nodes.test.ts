import '../support/nodes/shared-nodes.ts'; // stops the nodes after all suites, not after the first
import { runTogether } from '../support/processes/together.ts';

await runTogether(['nodes/shared']);
