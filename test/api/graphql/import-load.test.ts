import assert from 'node:assert/strict';
import { after, afterEach, before, mock, suite, test } from 'node:test';
import type { HashTurn } from '../../../src/core/access/hash-queue.ts';
import { fullAccessCaller } from '../../../src/core/kernel/caller.ts';
import { type GraphqlClient, graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { openSocket } from '../../support/clients/subscriptions.ts';
import { type SeededServer, startSeededServer } from '../../support/processes/seeded-server.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

const MAX_IMPORTS_PER_ACCOUNT = 4;
const IMPORT = `mutation ($rows: [OperatorsImportRowInput!]!, $dryRun: Boolean) {
  operatorsImport(input: { rows: $rows, dryRun: $dryRun }) { report { applied } userErrors { message } }
}`;
const OTHER_ADMIN = { email: 'other@example.com', password: 'a long enough password' };

suite('imports with passwords', () => {
  let server: SeededServer;
  let admin: GraphqlClient;
  /** The hashes that wait for the test. */
  const hashes: { readonly turn: HashTurn; start(): void }[] = [];
  /** Whether a hash that waits for the test counts as running: it no longer checks whether the client is there. */
  let isHashRunning = false;

  before(async () => {
    server = await startSeededServer();
    admin = graphqlClient(server.url, await logIn(server.url));
    const { passwords } = server.installation.access;
    const hash = passwords.hash.bind(passwords);
    mock.method(passwords, 'hash', async (password: string, turn: HashTurn) => {
      await new Promise<void>((resolve) => hashes.push({ turn, start: resolve }));
      return isHashRunning ? hash(password, { ...turn, signal: undefined }) : hash(password, turn);
    });
  });
  after(async () => {
    mock.restoreAll();
    await server.stop();
  });
  afterEach(() => {
    hashes.length = 0;
    isHashRunning = false;
  });

  let importCount = 0;
  const createRows = (count: number) => {
    importCount += 1;
    return Array.from({ length: count }, (_, index) => ({
      externalId: `import-${importCount}-${index}`,
      name: 'Imported',
      email: `import-${importCount}-${index}@example.com`,
      password: 'a phrase that is hard to guess',
    }));
  };
  const countImported = async () => (await server.rest.get('/operator?filters[name]=Imported')).body.pagination.count;

  const waitForHashes = (count: number) => waitUntil(`${count} hashes wait`, () => hashes.length >= count);
  /** Starts the hashes until the import has ended. */
  async function finish<T>(running: Promise<T>): Promise<T> {
    let hasEnded = false;
    const ended = running.finally(() => {
      hasEnded = true;
    });
    await waitUntil('the import has ended', () => {
      for (const { start } of hashes.splice(0)) start();
      return hasEnded;
    });
    return ended;
  }

  test('hash in the background, one password at a time', async () => {
    const running = admin.run(IMPORT, { rows: createRows(3) });
    await waitForHashes(1);
    assert.deepEqual(
      hashes.map(({ turn: { priority, source } }) => [priority, source]),
      [['background', [`account ${server.installation.accountId}`]]],
    );
    assert.equal((await finish(running)).data.operatorsImport.report.applied, true);
  });

  test('are limited per account', async () => {
    const running = Array.from({ length: MAX_IMPORTS_PER_ACCOUNT }, () => admin.run(IMPORT, { rows: createRows(1) }));
    await waitForHashes(MAX_IMPORTS_PER_ACCOUNT);
    const { errors } = await admin.run(IMPORT, { rows: createRows(1) }, { 'Idempotency-Key': 'once-more' });
    assert.deepEqual(
      errors.map(({ message, extensions }) => [message, extensions]),
      [
        [
          'At most 4 imports of an account can run concurrently. Try again when one has ended.',
          { code: 'RATE_LIMITED', retryAfterSeconds: 10 },
        ],
      ],
    );
    const other = graphqlClient(server.url, await logIn(server.url, OTHER_ADMIN));
    const otherRunning = other.run(IMPORT, { rows: createRows(1) });
    await waitForHashes(MAX_IMPORTS_PER_ACCOUNT + 1);
    await finish(Promise.all([...running, otherRunning]));
    const again = await finish(admin.run(IMPORT, { rows: createRows(1) }, { 'Idempotency-Key': 'a-new-one' }));
    assert.equal(again.data.operatorsImport.report.applied, true);
  });

  test('end when the client of an HTTP request disconnects', async () => {
    const countBefore = await countImported();
    const client = new AbortController();
    const request = assert.rejects(
      fetch(`${server.url}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${admin.token}` },
        body: JSON.stringify({ query: IMPORT, variables: { rows: createRows(5) } }),
        signal: client.signal,
      }),
    );
    await assertEndsWithout(() => client.abort(), countBefore);
    await request;
  });

  test('change nothing when the client disconnects during the last hash', async () => {
    const countBefore = await countImported();
    isHashRunning = true;
    const socket = openSocket(server.url, admin.token);
    const running = socket.run(IMPORT, { rows: createRows(1) }).catch(() => undefined);
    await assertEndsWithout(() => socket.end(), countBefore);
    await running;
  });

  test('end when the WebSocket is closed', async () => {
    const countBefore = await countImported();
    const socket = openSocket(server.url, admin.token);
    const running = socket.run(IMPORT, { rows: createRows(5) }).catch(() => undefined);
    await assertEndsWithout(() => socket.end(), countBefore);
    await running;
  });

  /** An import that was left may need a moment until it has ended. */
  async function importWhenAllowed(): Promise<void> {
    const { errors } = await admin.run(IMPORT, { rows: createRows(1) });
    if (errors[0]?.extensions.code === 'RATE_LIMITED') await importWhenAllowed();
  }

  /** Disconnects while the first password waits; no other password may be hashed. */
  async function assertEndsWithout(disconnect: () => void, countBefore: number): Promise<void> {
    await waitForHashes(1);
    const [{ turn, start }] = hashes as [(typeof hashes)[number]];
    assert.equal(turn.signal?.aborted, false);
    disconnect();
    await waitUntil('the import knows', () => turn.signal?.aborted === true);
    start();
    // All imports of the account have ended when as many as are allowed can start.
    const others = Array.from({ length: MAX_IMPORTS_PER_ACCOUNT }, importWhenAllowed);
    await waitForHashes(1 + MAX_IMPORTS_PER_ACCOUNT);
    assert.equal(hashes.length, 1 + MAX_IMPORTS_PER_ACCOUNT, 'no second password of the abandoned import');
    await finish(Promise.all(others));
    assert.equal(await countImported(), countBefore + MAX_IMPORTS_PER_ACCOUNT);
  }

  test('create and password change hash in turn with other callers of the account', async () => {
    const { installation } = server;
    const { database, operators, accountId } = installation;
    const key = fullAccessCaller(accountId, { type: 'api_key', id: 7 });
    const running = operators.create((work) => database.transaction(work, accountId), key, {
      name: 'Single',
      email: 'single@example.com',
      password: 'a phrase that is hard to guess',
    });
    await waitForHashes(1);
    assert.deepEqual(hashes[0]?.turn, { priority: 'other', source: [`account ${accountId}`, 'api_key 7'] });
    await finish(running);
  });
});
