import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpointName } from '../../../src/api/rest/meter.ts';
import { openInstallation } from '../../../src/app/installation.ts';
import { startServer } from '../../../src/app/server.ts';
import { readConfig } from '../../../src/config.ts';
import { testEnvironment } from '../processes/switchboard.ts';

interface Route {
  readonly url: string;
  readonly methods: readonly string[];
}

let cached: Promise<readonly Route[]> | undefined;

/** Every route of the server with its methods, from the server's route table. */
export function allRoutes(): Promise<readonly Route[]> {
  cached ??= readRoutes();
  return cached;
}

/** The name of every REST endpoint as the migration meter shows it. */
export async function restRoutes(): Promise<string[]> {
  return (await allRoutes())
    .filter(({ url }) => url.startsWith('/api/2/'))
    .flatMap(({ url, methods }) => methods.filter(isExplicit).map((method) => endpointName(method, url)));
}

/** Routes do not depend on the database. */
async function readRoutes(): Promise<readonly Route[]> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-test-'));
  const settings = { DATABASE_URL: `sqlite:${join(folder, 'switchboard.db')}`, SWITCHBOARD_LOG_LEVEL: 'silent' };
  const config = readConfig(testEnvironment(folder, settings));
  const server = await startServer(await openInstallation(config), config);
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
  return server.routes.list();
}

/** The server adds HEAD to every GET, and OPTIONS to every route. */
function isExplicit(method: string): boolean {
  return method !== 'HEAD' && method !== 'OPTIONS';
}
