import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { WebSocket } from 'ws';
import { logIn } from '../../support/clients/graphql.ts';
import { CLIENT_LIBRARIES, type LibraryClient } from '../../support/clients/graphql-clients.ts';
import { restClient } from '../../support/clients/rest.ts';
import { listIds } from '../../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

const PAGE = `query Page($after: String) {
  operators(first: 7, after: $after) {
    totalCount
    nodes { id pseudo group { name } }
    pageInfo { hasNextPage endCursor }
  }
}`;

const RENAME = `mutation Rename($input: OperatorUpdateInput!) {
  operatorUpdate(input: $input) {
    operator { id pseudo }
    userErrors { field code }
  }
}`;

const ROUTABLE = `query Routable($skill: ID!) {
  skill(id: $skill) { operators(first: 1, filter: { routable: CHAT }) { nodes { id } } }
}`;

const SET_AVAILABLE = `mutation Available($input: OperatorAvailabilityUpdateInput!) {
  operatorAvailabilityUpdate(input: $input) { operator { id } userErrors { message } }
}`;

const AVAILABILITY =
  'subscription Availability($skill: ID!) { skillAvailability(id: $skill) { chat { operatorsRoutable } } }';

interface OperatorPage {
  operators: {
    totalCount: number;
    nodes: { id: string; pseudo: string | null }[];
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  };
}
interface RenameResult {
  operatorUpdate: { operator: { pseudo: string } | null; userErrors: { field: string; code: string }[] };
}
interface RoutableResult {
  skill: { operators: { nodes: { id: string }[] } };
}
interface AvailabilityResult {
  skillAvailability: { chat: { operatorsRoutable: number } };
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

let switchboard: Switchboard;
let token: string;
before(async () => {
  switchboard = await startSwitchboard({ demo: true });
  token = await logIn(switchboard.url);
});
after(() => switchboard.stop());

/** A WebSocket that sends headers with its handshake, as clients outside browsers can. */
function withHandshakeHeaders(headers: Record<string, string>) {
  return class extends WebSocket {
    constructor(address: string, protocol: string) {
      super(address, protocol, { headers });
    }
  };
}

async function receiveAvailability(client: LibraryClient): Promise<void> {
  const results: AvailabilityResult[] = [];
  const stop = client.subscribe<AvailabilityResult>(AVAILABILITY, { skill: '1' }, (result) => results.push(result));
  await waitUntil('the current number has arrived', () => results.length > 0);
  assert.ok(results[0] && results[0].skillAvailability.chat.operatorsRoutable >= 0);
  stop();
}

for (const [library, makeClient] of Object.entries(CLIENT_LIBRARIES)) {
  describe(library, () => {
    let client: LibraryClient;
    before(async () => {
      client = makeClient(switchboard.url, { headers: bearer(token) });
    });
    after(() => client.close());

    test('pages through all operators', async () => {
      const ids: number[] = [];
      let after: string | null = null;
      for (;;) {
        const { operators }: OperatorPage = await client.execute('query', PAGE, { after });
        assert.ok(operators.nodes.length <= 7);
        ids.push(...operators.nodes.map(({ id }) => Number(id)));
        after = operators.pageInfo.endCursor;
        assert.equal(operators.totalCount, 47);
        if (!operators.pageInfo.hasNextPage) break;
      }
      assert.deepEqual(ids, await listIds(restClient(switchboard.url, switchboard.key), '/operator'));
    });

    test('updates an operator, and receives user errors', async () => {
      const pseudo = `By ${library}`.slice(0, 20);
      const accepted: RenameResult = await client.execute('mutation', RENAME, { input: { id: '2', pseudo } });
      assert.equal(accepted.operatorUpdate.operator?.pseudo, pseudo);
      assert.deepEqual(accepted.operatorUpdate.userErrors, []);
      const rejected: RenameResult = await client.execute('mutation', RENAME, {
        input: { id: '2', email: 'no address' },
      });
      assert.equal(rejected.operatorUpdate.operator, null);
      assert.equal(rejected.operatorUpdate.userErrors[0]?.code, 'INVALID');
    });

    test('receives over a subscription that an operator of a skill became unavailable and available again', async () => {
      const skill = '1';
      const { skill: found }: RoutableResult = await client.execute('query', ROUTABLE, { skill });
      const id = found.operators.nodes[0]?.id;
      const counts: number[] = [];
      const stop = client.subscribe<AvailabilityResult>(AVAILABILITY, { skill }, ({ skillAvailability }) =>
        counts.push(skillAvailability.chat.operatorsRoutable),
      );
      await waitUntil('the current number has arrived', () => counts.length === 1);
      await client.execute('mutation', SET_AVAILABLE, { input: { id, chat: false } });
      await waitUntil('the operator is unavailable', () => counts.length === 2);
      await client.execute('mutation', SET_AVAILABLE, { input: { id, chat: true } });
      await waitUntil('the operator is available again', () => counts.length === 3);
      stop();
      const [initial = 0] = counts;
      assert.ok(initial >= 1);
      assert.deepEqual(counts, [initial, initial - 1, initial]);
    });

    test('works with an API key, over HTTP and WebSocket', async () => {
      const keyed = makeClient(switchboard.url, { headers: { 'X-API-Key': switchboard.key } });
      const { operators }: OperatorPage = await keyed.execute('query', PAGE);
      assert.equal(operators.totalCount, 47);
      const renamed: RenameResult = await keyed.execute('mutation', RENAME, { input: { id: '3', pseudo: 'By a key' } });
      assert.equal(renamed.operatorUpdate.operator?.pseudo, 'By a key');
      await receiveAvailability(keyed);
      keyed.close();
    });

    test('subscribes however it sends its credentials', async () => {
      const headers = bearer(token);
      const { key } = switchboard;
      for (const socket of [
        { connectionParams: { token } },
        { connectionParams: { authorization: token } },
        { connectionParams: async () => ({ headers }) },
        { connectionParams: { headers: { authorization: token } } },
        { webSocketImpl: withHandshakeHeaders(headers) },
        { connectionParams: { apiKey: key } },
        { connectionParams: { headers: { 'x-api-key': key } } },
        { webSocketImpl: withHandshakeHeaders({ 'X-API-Key': key }) },
      ]) {
        const subscriber = makeClient(switchboard.url, { headers, socket });
        await receiveAvailability(subscriber);
        subscriber.close();
      }
    });

    test('fails with the message or the status of the response when the token is not valid', async () => {
      const unauthenticated = makeClient(switchboard.url, { headers: bearer('nonsense') });
      await assert.rejects(unauthenticated.execute('query', PAGE), /access token not valid|401/);
      unauthenticated.close();
    });
  });
}
