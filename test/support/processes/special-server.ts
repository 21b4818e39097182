// The service as `serve` starts it, but with the options of `special-start.ts`.

import { firstStart } from '../../../src/app/first-start.ts';
import { openInstallation } from '../../../src/app/installation.ts';
import { startServer } from '../../../src/app/server.ts';
import { readConfig } from '../../../src/config.ts';
import { type SpecialOptions, VARIABLE } from './special-start.ts';

const BLOCK_MS = 3000;

const { clockAt, clockAheadMs, patience } = JSON.parse(process.env[VARIABLE] ?? '{}') as SpecialOptions;
const ahead = clockAheadMs === undefined ? undefined : () => Date.now() + clockAheadMs;
const clock = clockAt === undefined ? ahead : () => clockAt;

const config = readConfig(process.env);
const installation = await openInstallation(config, { ...(clock && { clock }) });
await firstStart(installation, config);
const server = await startServer(installation, config, { ...(patience && { patience }) });
console.log(`ready at ${server.url}`);
// Blocks the event loop, as a long computation would.
process.on('SIGUSR2', () => {
  for (const end = performance.now() + BLOCK_MS; performance.now() < end; );
});
process.on('SIGTERM', () => server.stop().then(() => process.exit(0)));
