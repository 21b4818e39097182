import type { SocketTimeouts } from '../../../src/api/graphql-server/sockets.ts';
import { createFirstAccount } from '../../../src/app/first-start.ts';
import { openInstallation } from '../../../src/app/installation.ts';
import { startServer } from '../../../src/app/server.ts';
import { readConfig } from '../../../src/config.ts';
import type { Clock } from '../../../src/storage/database.ts';
import { createDatabaseFile } from '../databases/sqlite-template.ts';
import { loadQuietDemo } from '../fixtures/demo.ts';
import { TEST_OPEN_OPTIONS } from './open-options.ts';

export interface ServiceOptions {
  /** Loads the demo data and connects its operators, but plays none of them. */
  readonly demo?: boolean;
  readonly socketTimeouts?: SocketTimeouts;
  /** Replaces the database's clock. */
  readonly clock?: Clock;
}

export interface ServiceInProcess {
  readonly url: string;
  log(): string;
  stop(): Promise<void>;
}

/** Starts the service in this process; `newFile` is created with its tables if it is the database. */
export async function startServiceInProcess(
  env: Readonly<Record<string, string>>,
  newFile: string,
  options: ServiceOptions,
): Promise<ServiceInProcess> {
  const config = readConfig(env);
  if (config.databaseFile === newFile) await createDatabaseFile(newFile);
  const installation = await openInstallation(config, {
    ...TEST_OPEN_OPTIONS,
    ...(options.clock && { clock: options.clock }),
  });
  const log: string[] = [];
  const server = await startServer(installation, config, {
    log: { write: (line) => log.push(line) },
    ...(options.socketTimeouts && { socketTimeouts: options.socketTimeouts }),
    prepare: async () => {
      await createFirstAccount(installation, config);
      if (options.demo) await loadQuietDemo(installation);
    },
  });
  return { url: server.url, log: () => log.join(''), stop: () => server.stop() };
}
