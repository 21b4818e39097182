import assert from 'node:assert/strict';
import { test } from 'node:test';
import { graphqlClient, logIn } from '../support/clients/graphql.ts';
import { openSocket, type Socket } from '../support/clients/subscriptions.ts';
import { createDatabase, databaseUrlOf, dropDatabase, TEST_SECRET } from '../support/databases/postgres-database.ts';
import { proxiedUrl, startTcpProxy } from '../support/databases/tcp-proxy.ts';
import { startSwitchboardProcess } from '../support/processes/switchboard.ts';
import { waitUntil } from '../support/waiting/wait.ts';

const server = process.env.TEST_DATABASE_URL;

test('an operation over a socket says UNAVAILABLE while the database is away, as over HTTP', {
  skip: server === undefined,
}, async (t) => {
  const databaseUrl = databaseUrlOf('switchboard_test_database_away');
  await createDatabase(databaseUrl);
  t.after(() => dropDatabase(databaseUrl));
  const { hostname: host, port } = new URL(databaseUrl);
  const proxy = await startTcpProxy({ host, port: Number(port) });
  t.after(() => proxy.close());
  const switchboard = await startSwitchboardProcess({
    env: { DATABASE_URL: proxiedUrl(databaseUrl, proxy), SWITCHBOARD_SECRET: TEST_SECRET },
  });
  t.after(() => switchboard.stop());
  const token = await logIn(switchboard.url);
  const socket = openSocket(switchboard.url, token);
  t.after(() => socket.end());
  assert.equal(await findErrorCode(socket), undefined);
  proxy.cut();
  let code: string | undefined;
  await waitUntil('the token is no longer cached', async () => {
    code = await findErrorCode(socket);
    return code !== undefined;
  });
  assert.equal(code, 'UNAVAILABLE');
  const response = await graphqlClient(switchboard.url, token).run('{__typename}');
  assert.deepEqual([response.status, response.errors[0]?.extensions.code], [503, 'UNAVAILABLE']);
});

/** Runs a query that needs nothing of the database but the check of the token. */
async function findErrorCode(socket: Socket): Promise<string | undefined> {
  try {
    await socket.run('{__typename}');
    return undefined;
  } catch (errors) {
    const [error] = Array.isArray(errors) ? (errors as { extensions: { code: string } }[]) : [];
    return error ? error.extensions.code : `the connection was closed: ${errors}`;
  }
}
