import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { graphqlClient } from '../../support/clients/graphql.ts';
import { restClient } from '../../support/clients/rest.ts';
import { createWebhookFor, startReceiverFor } from '../../support/clients/webhook-client.ts';
import {
  createStaff,
  type Nodes,
  readEventPosition,
  type Staff,
  startConversation,
  waitForRounds,
  waitUntilOffersCanExpire,
} from '../../support/nodes/nodes.ts';
import { shareNodes } from '../../support/nodes/shared-nodes.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

const server = process.env.TEST_DATABASE_URL;

describe('several nodes do everything exactly once', { skip: server === undefined }, () => {
  let nodes: Nodes;
  let staff: Staff;

  before(async () => {
    nodes = await shareNodes(server ?? '');
    staff = await createStaff(nodes, 3);
  });

  test('a request with an idempotency key that reaches all of them concurrently', async () => {
    for (let round = 0; round < 10; round += 1) {
      const external_id = `once-${round}`;
      const operator = { name: 'Once', email: `${external_id}@example.com`, external_id };
      const headers = { 'Idempotency-Key': external_id };
      const [rest, graphql] = await Promise.all([
        Promise.all([0, 1, 0, 1].map((node) => restVia(node).post('/operator', operator, headers))),
        Promise.all(
          [0, 1].map((node) =>
            graphqlVia(node).run(
              `mutation{skillCreate(input:{name:"${external_id}"}){skill{id} userErrors{message}}}`,
              {},
              headers,
            ),
          ),
        ),
      ]);
      assert.deepEqual(
        new Set(rest.map(({ status }) => status)),
        new Set([201]),
        JSON.stringify(rest.map(({ body }) => body)),
      );
      assert.equal(new Set(rest.map(({ body }) => body.data.id)).size, 1, 'the same response to all');
      assert.equal(
        new Set(graphql.map(({ data, errors }) => data?.skillCreate?.skill?.id ?? JSON.stringify({ data, errors })))
          .size,
        1,
      );
    }
    const { sql } = nodes;
    const operators =
      await sql`select external_id, count(*) as count from operators where external_id like 'once-%' group by external_id`;
    const skills = await sql`select name, count(*) as count from skills where name like 'once-%' group by name`;
    assert.deepEqual(
      operators.map((row) => Number(row.count)),
      Array.from({ length: 10 }, () => 1),
    );
    assert.deepEqual(
      skills.map((row) => Number(row.count)),
      Array.from({ length: 10 }, () => 1),
    );
  });

  test('webhooks: every event is delivered once', async (t) => {
    const receiver = await startReceiverFor(t);
    await createWebhookFor(t, graphqlVia(0), receiver, ['skill.created']);
    const names = Array.from({ length: 40 }, (_, index) => `Hooked ${index}`);
    await Promise.all(
      names.map((name, index) =>
        graphqlVia(index).run(`mutation{skillCreate(input:{name:"${name}"}){userErrors{message}}}`),
      ),
    );
    await receiver.waitUntil(({ accepted }) => new Set(accepted.map(eventIdOf)).size === names.length);
    for (const [node] of nodes.urls.entries()) {
      await graphqlVia(node).run(`mutation{skillCreate(input:{name:"Later ${node}"}){userErrors{message}}}`);
      const all = names.length + node + 1; // every node has polled again when its next event has arrived
      await receiver.waitUntil(({ accepted }) => new Set(accepted.map(eventIdOf)).size === all);
    }
    assert.equal(receiver.received.length, names.length + nodes.urls.length);
  });

  test('offers that expire at the same time are ended and counted once', async () => {
    const { sql } = nodes;
    await waitUntilOffersCanExpire(nodes);
    const start = await readEventPosition(nodes);
    await connect();
    const conversations = await Promise.all(
      Array.from({ length: 6 }, (_, index) => startConversation(nodes, url(index), staff, { accept: false })),
    );
    const ids = conversations.map(({ id }) => id);
    const offered =
      await sql`select operator_id, count(*) as count from conversations where id in ${sql(ids)} and state = 'offered' group by operator_id`;
    assert.equal(
      offered.reduce((sum, row) => sum + Number(row.count), 0),
      6,
    );
    await sql`update conversations set offer_until = now_ms() + 500 where id in ${sql(ids)}`;
    await waitUntil('every offer has expired', async () => (await findRequeued(start, 'timed_out')).length >= 6);
    await waitForRounds(nodes, 2);
    const ended = await findRequeued(start, 'timed_out');
    assert.deepEqual(
      ended.sort((a, b) => a - b),
      ids.sort((a, b) => a - b),
    );
    const missed =
      await sql`select operator_id, chat_missed from operator_live where operator_id in ${sql(staff.operators.map(({ id }) => id))}`;
    assert.equal(
      missed.reduce((sum, row) => sum + Number(row.chat_missed), 0),
      6,
      'each missed offer counts once',
    );
    await closeAll(ids);
  });

  test('conversations of a lost operator are requeued once', async () => {
    const { sql } = nodes;
    await connect();
    const start = await readEventPosition(nodes);
    const talks = await Promise.all(
      Array.from({ length: 3 }, (_, index) => startConversation(nodes, url(index), staff)),
    );
    await sql`update operator_live set lost_at = now_ms() - 59500 where operator_id in ${sql(staff.operators.map(({ id }) => id))}`;
    await waitUntil('all are requeued', async () => (await findRequeued(start, 'operator_lost')).length >= 3);
    await waitForRounds(nodes, 2);
    assert.deepEqual(
      (await findRequeued(start, 'operator_lost')).sort((a, b) => a - b),
      talks.map(({ id }) => id).sort((a, b) => a - b),
    );
    const { code, stdout } = await (nodes.all[0] as Nodes['all'][number]).runCommand(['doctor']);
    assert.equal(code, 0, stdout);
  });

  async function connect(): Promise<void> {
    for (const [index, { token }] of staff.operators.entries()) {
      await graphqlClient(url(index), token).run(
        'mutation{operatorConnect(input:{ttlSeconds:300}){userErrors{message}}}',
      );
    }
  }

  /** Ids of requeued conversations, one for each time. */
  async function findRequeued(start: number, reason: string): Promise<number[]> {
    const rows = await nodes.sql`
      select subject_id, changes from events where account_id = 1 and position > ${start} and type = 'conversation.queued'`;
    return rows.filter((row) => JSON.parse(row.changes).values.reason === reason).map((row) => Number(row.subject_id));
  }

  async function closeAll(ids: readonly number[]): Promise<void> {
    for (const id of ids) await graphqlVia(0).run(`mutation{conversationClose(input:{id:${id}}){userErrors{message}}}`);
  }

  function url(node: number): string {
    return nodes.urls[node % nodes.urls.length] ?? '';
  }

  function restVia(node: number) {
    return restClient(url(node), nodes.all[0]?.key ?? '');
  }

  function graphqlVia(node: number) {
    return graphqlClient(url(node), nodes.token);
  }
});

function eventIdOf({ headers }: { headers: Readonly<Record<string, string | readonly string[] | undefined>> }): string {
  return String(headers['x-switchboard-event-id']);
}
