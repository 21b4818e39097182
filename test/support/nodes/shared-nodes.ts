import { after } from 'node:test';
import { type Nodes, startNodes } from './nodes.ts';

let shared: Promise<Nodes> | undefined;
after(async () => (await shared)?.end());

/**
 * Two nodes for all suites of this process that neither stop nor configure them: starting two takes longer than most of
 * these suites. A suite creates its own website and operators.
 */
export function shareNodes(server: string): Promise<Nodes> {
  shared ??= startNodes(server);
  return shared;
}
