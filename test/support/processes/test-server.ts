// Starts the service as `serve` does, with the options of `test-server-options.ts`.

import { createFirstAccount } from '../../../src/app/first-start.ts';
import { openInstallation } from '../../../src/app/installation.ts';
import { startServer } from '../../../src/app/server.ts';
import { readConfig } from '../../../src/config.ts';
import { CHEAP_HASHES } from './open-options.ts';
import { TEST_SERVER_VARIABLE, type TestServerOptions } from './test-server-options.ts';

const BLOCK_MS = 3000;

const { clockAt, clockAheadMs, socketTimeouts } = JSON.parse(
  process.env[TEST_SERVER_VARIABLE] ?? '{}',
) as TestServerOptions;
const shiftedClock = clockAheadMs === undefined ? undefined : () => Date.now() + clockAheadMs;
const clock = clockAt === undefined ? shiftedClock : () => clockAt;

const config = readConfig(process.env);
const installation = await openInstallation(config, { hashCost: CHEAP_HASHES, ...(clock && { clock }) });
await createFirstAccount(installation, config);
const server = await startServer(installation, config, { ...(socketTimeouts && { socketTimeouts }) });
console.log(`ready at ${server.url}`);
// Blocks the event loop as a long computation would, but leaves the processor to other tests.
process.on('SIGUSR2', () => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCK_MS);
});
process.on('SIGTERM', () => server.stop().then(() => process.exit(0)));
