import { openInstallation } from '../src/app/installation.ts';
import { startServer } from '../src/app/server.ts';
import { readConfig } from '../src/config.ts';

/** The same service without compiled queries: graphql-js alone executes every document. */
const config = readConfig(process.env);
const server = await startServer(await openInstallation(config), config, { compileQueries: false });
process.once('SIGTERM', () => server.stop().then(() => process.exit()));
console.log(`Switchboard is ready at ${server.url}`);
