import { startServer } from '../../../src/app/server.ts';
import { createAccount } from '../../../src/core/administration/account-creation.ts';
import { type RestClient, restClient } from '../clients/rest.ts';
import { type OpenInstallation, openDatabase } from '../databases/databases.ts';
import { type PastRows, pastRows } from '../databases/rows.ts';

/** A service in this process, whose clock stands still and whose past is put in by the test. */
export interface PastServer {
  readonly url: string;
  readonly installation: OpenInstallation;
  /** With a key that may write, and with one that may only read. */
  readonly rest: RestClient;
  readonly reader: RestClient;
  /** Another account, with its own write key. */
  readonly stranger: RestClient;
  readonly rows: PastRows;
  readonly strangersRows: PastRows;
  stop(): Promise<void>;
}

export async function startPast(): Promise<PastServer> {
  const installation = await openDatabase({ SWITCHBOARD_LOG_LEVEL: 'silent' });
  const { database, apiKeys, caller, config } = installation;
  const key = (access: 'read' | 'write') =>
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
    rest: restClient(server.url, await key('write')),
    reader: restClient(server.url, await key('read')),
    stranger: restClient(server.url, other?.apiKey ?? ''),
    rows: pastRows(database),
    strangersRows: pastRows(database, other?.accountId ?? 2),
    stop: async () => {
      await server.stop();
      await installation.end();
    },
  };
}
