import assert from 'node:assert/strict';
import type { OpenOptions } from '../../../src/app/installation.ts';
import { WAIT_TIMEOUT_MS } from '../waiting/wait.ts';

/** Hashing a password for real takes longer than most tests. */
export const CHEAP_HASHES = { memoryKiB: 64, passes: 1 };

/** Options for a service in a test process: no timeouts on slow machines, and cheap password hashes. */
export const TEST_OPEN_OPTIONS: OpenOptions = {
  statementMs: WAIT_TIMEOUT_MS,
  onStaleRead: (facts) => {
    // Not in the change, which would only run again.
    setImmediate(() => assert.fail(`A write does not name all facts that it changes: ${facts.join()}`));
  },
  hashCost: CHEAP_HASHES,
};
