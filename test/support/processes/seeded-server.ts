import { startServer } from '../../../src/app/server.ts';
import { createAccount } from '../../../src/core/administration/account-creation.ts';
import { type RestClient, restClient } from '../clients/rest.ts';
import { openTestInstallation, type TestInstallation } from '../databases/databases.ts';
import { createRowSeeder, type RowSeeder } from '../databases/row-seeder.ts';

/** A service in this process with a frozen clock and a history that the test inserts. */
export interface SeededServer {
  readonly url: string;
  readonly installation: TestInstallation;
  /** Uses a write key. */
  readonly rest: RestClient;
  readonly readOnlyRest: RestClient;
  /** Uses the write key of a second account. */
  readonly otherAccount: RestClient;
  readonly seeder: RowSeeder;
  readonly otherAccountSeeder: RowSeeder;
  stop(): Promise<void>;
}

export async function startSeededServer(): Promise<SeededServer> {
  const installation = await openTestInstallation({ SWITCHBOARD_LOG_LEVEL: 'silent' });
  const { database, apiKeys, caller, config } = installation;
  const createKey = (access: 'read' | 'write') =>
    database.transaction(async (tx) => {
      const { secret } = await apiKeys.create(tx, caller, { name: access, access, expiresAt: null });
      return secret;
    });
  const other = await createAccount(installation, {
    name: 'Other',
    admin: { email: 'other@example.com', password: 'a long enough password' },
  });
  const server = await startServer(installation, config);
  return {
    url: server.url,
    installation,
    rest: restClient(server.url, await createKey('write')),
    readOnlyRest: restClient(server.url, await createKey('read')),
    otherAccount: restClient(server.url, other?.apiKey ?? ''),
    seeder: createRowSeeder(database),
    otherAccountSeeder: createRowSeeder(database, other?.accountId ?? 2),
    stop: async () => {
      await server.stop();
      await installation.end();
    },
  };
}
