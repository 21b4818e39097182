// The service as `serve` starts it, at another time: the database's clock is ahead by CLOCK_AHEAD_MS. Nobody waits for a test.
import { readConfig } from '../../src/config.ts';
import { firstStart } from '../../src/first-start.ts';
import { openInstallation } from '../../src/installation.ts';
import { startServer } from '../../src/server.ts';

const ahead = Number(process.env.CLOCK_AHEAD_MS ?? 0);
const config = readConfig(process.env);
const installation = await openInstallation(config, () => Date.now() + ahead);
await firstStart(installation, config);
const server = await startServer(installation, config);
console.log(`ready at ${server.url}`);
process.on('SIGTERM', () => server.stop().then(() => process.exit(0)));
