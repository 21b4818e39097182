// The service as `serve` starts it, but with little patience for slow readers: nobody waits for a test.
import { readConfig } from '../../src/config.ts';
import { firstStart } from '../../src/first-start.ts';
import { openInstallation } from '../../src/installation.ts';
import { startServer } from '../../src/server.ts';

const config = readConfig(process.env);
const installation = await openInstallation(config);
await firstStart(installation, config);
const patience = { init: 500, slowest: 500, farewell: 4000, ping: 1500 };
const server = await startServer(installation, config, { patience });
console.log(`ready at ${server.url}`);
process.on('SIGTERM', () => server.stop().then(() => process.exit(0)));
