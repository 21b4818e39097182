import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpointName } from '../../src/api/rest/meter.ts';
import { readConfig } from '../../src/config.ts';
import { openInstallation } from '../../src/installation.ts';
import { startServer } from '../../src/server.ts';
import { environment } from './switchboard.ts';

let known: Promise<string[]> | undefined;

/** Every endpoint of the REST interface, from the server's own table of routes, by its name in the migration meter. */
export function restRoutes(): Promise<string[]> {
  known ??= readRoutes();
  return known;
}

async function readRoutes(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-test-'));
  const config = readConfig({ ...environment(folder), SWITCHBOARD_LOG_LEVEL: 'silent' });
  const server = await startServer(await openInstallation(config), config);
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
  return server.routes
    .all()
    .filter(({ url }) => url.startsWith('/api/2/'))
    .flatMap(({ url, methods }) => methods.filter(isOwn).map((method) => endpointName(method, url)));
}

/** HEAD comes with every GET, and OPTIONS with everything. */
function isOwn(method: string): boolean {
  return method !== 'HEAD' && method !== 'OPTIONS';
}
