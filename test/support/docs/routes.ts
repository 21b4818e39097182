import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpointName } from '../../../src/api/rest/meter.ts';
import { openInstallation } from '../../../src/app/installation.ts';
import { startServer } from '../../../src/app/server.ts';
import { readConfig } from '../../../src/config.ts';
import { environment } from '../processes/switchboard.ts';

interface Route {
  readonly url: string;
  readonly methods: readonly string[];
}

let known: Promise<readonly Route[]> | undefined;

/** Every address of the program with its methods, from its own table. */
export function allRoutes(): Promise<readonly Route[]> {
  known ??= readRoutes();
  return known;
}

/** Every endpoint of the REST interface, from the server's own table of routes, by its name in the migration meter. */
export async function restRoutes(): Promise<string[]> {
  return (await allRoutes())
    .filter(({ url }) => url.startsWith('/api/2/'))
    .flatMap(({ url, methods }) => methods.filter(isOwn).map((method) => endpointName(method, url)));
}

/** They are the same on every database. */
async function readRoutes(): Promise<readonly Route[]> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-test-'));
  const settings = { DATABASE_URL: `sqlite:${join(folder, 'switchboard.db')}`, SWITCHBOARD_LOG_LEVEL: 'silent' };
  const config = readConfig(environment(folder, settings));
  const server = await startServer(await openInstallation(config), config);
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
  return server.routes.all();
}

/** HEAD comes with every GET, and OPTIONS with everything. */
function isOwn(method: string): boolean {
  return method !== 'HEAD' && method !== 'OPTIONS';
}
