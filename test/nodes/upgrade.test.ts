import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { graphqlClient } from '../support/clients/graphql.ts';
import { openSocket } from '../support/clients/subscriptions.ts';
import { startLatencyProbe } from '../support/databases/latency-probe.ts';
import { followEvents } from '../support/load/event-follower.ts';
import type { RequestRecord } from '../support/load/request-journal.ts';
import { startSteadyLoad } from '../support/load/steady-load.ts';
import {
  createStaff,
  type Nodes,
  type Staff,
  startConversation,
  startNodes,
  waitForRounds,
} from '../support/nodes/nodes.ts';
import { findLostWrites } from '../support/nodes/outage.ts';
import {
  extractPreviousVersion,
  LAST_PREVIOUS_MIGRATION,
  type PreviousVersion,
  previousVersionMissing,
} from '../support/nodes/previous-version.ts';
import { waitUntil } from '../support/waiting/wait.ts';

const server = process.env.TEST_DATABASE_URL;
const skip = server === undefined ? 'needs PostgreSQL' : previousVersionMissing;

/** A node responds with 503 after 800 ms; a database this slow for a trivial query is itself short of CPU. */
const STARVED_MS = 200;

/** A node checks visitors every 2 s, which is every fourth round or more often. */
const ROUNDS_WITH_TWO_CHECKS = 12;

/** Conversations of the previous version, with 20 messages each, of which 2 are notices without a code. */
const OLD_CONVERSATIONS = 200;
const INSERT_OLD_MESSAGES = `insert into messages (account_id, conversation_id, sequence, author_type, text, at)
  select 1, 1000000 + i / 20, 1 + i % 20, case when i % 10 = 0 then 'notice' else 'visitor' end,
    case when i % 10 = 0 then 'The operator is back.' else 'text ' || i end, 0
  from generate_series(0, ${OLD_CONVERSATIONS * 20 - 1}) as i`;

describe('upgrade from the previous version, by its own code', { skip }, () => {
  let previous: PreviousVersion;
  let nodes: Nodes;
  let staff: Staff;

  before(async () => {
    previous = extractPreviousVersion();
    nodes = await startNodes(server ?? '', { hasEmptyDatabase: true, main: previous.main, args: ['serve'] });
    staff = await createStaff(nodes, 2);
    await nodes.sql.unsafe(INSERT_OLD_MESSAGES);
  });
  after(async () => {
    await nodes?.end();
    previous?.remove();
  });

  test('both versions work beside each other under load: no request fails, and nothing is lost', async (t) => {
    const { sql } = nodes;
    assert.deepEqual(await readLastMigration(), LAST_PREVIOUS_MIGRATION);
    const desks = staff.operators.map(({ token }, index) => startDesk(nodes.urls[index] ?? '', token));
    t.after(() => Promise.all(desks.map((desk) => desk.stop())));
    await waitUntil('all desks are connected', async () => {
      const rows = await sql`select 1 from operator_live where routable_until > now_ms()`;
      return rows.length === desks.length;
    });
    const conversations = await Promise.all(nodes.urls.map((url) => startConversation(nodes, url, staff)));
    const probe = startLatencyProbe(sql);
    t.after(() => probe.stop());
    const oldLoad = startSteadyLoad(nodes, staff, conversations);
    t.after(() => oldLoad.stop());
    await oldLoad.waitForRounds(2); // all statements are prepared

    const another = await nodes.startAnother();
    t.after(() => another.stop());
    assert.notEqual(await readLastMigration(), LAST_PREVIOUS_MIGRATION);
    const [oldNode = ''] = nodes.urls;
    await oldLoad.stop();
    // What one version writes, the other reads.
    const mixed = { ...nodes, urls: [oldNode, another.url] };
    const started = await Promise.all(mixed.urls.map((url) => startConversation(mixed, url, staff)));
    const mixedLoad = startSteadyLoad(mixed, staff, started);
    t.after(() => mixedLoad.stop());
    await mixedLoad.waitForRounds(2);
    await waitUntil('the first pass is finished', async () => {
      const rows = await sql`select 1 from migration_work where finished_at is null and (kind = 'index' or pass = 1)`;
      return rows.length === 0;
    });
    await mixedLoad.waitForRounds(2);
    await mixedLoad.stop();
    await probe.stop();

    const isStarved = ({ outcome, sentAt, milliseconds }: RequestRecord) =>
      outcome === 'unavailable' && probe.maxLatencyMs(sentAt, sentAt + milliseconds) > STARVED_MS;
    const failed = [...oldLoad.journal.records, ...mixedLoad.journal.records].filter(
      (record) =>
        record.outcome !== 'done' && !(record.kind === 'login' && record.outcome === 'refused') && !isStarved(record),
    );
    assert.deepEqual(
      failed,
      [],
      [...nodes.all, another].flatMap((node) => node.log().match(/.*"level":50.*/g) ?? []).join('\n'),
    );
    // The mixed load continues with the operators of the first, so their last values are its own.
    assert.deepEqual(await findLostWrites(sql, { ...oldLoad.ledger, pseudos: new Map() }), []);
    assert.deepEqual(await findLostWrites(sql, mixedLoad.ledger), []);
    const [{ filled } = {}] = await sql`select count(*) as filled from messages where conversation_id >= 1000000
      and author_type = 'notice' and notice_code = 'operator_back'`;
    assert.equal(filled, OLD_CONVERSATIONS * 2);
    assert.deepEqual(
      desks.flatMap(({ ends }) => ends),
      [],
      'the subscriptions of the previous version were not interrupted',
    );
  });

  test('rule 22: a visitor who moves to a node of the previous version only seems absent, and nothing ends', async (t) => {
    const { sql } = nodes;
    const [oldNode = ''] = nodes.urls;
    const another = await nodes.startAnother();
    t.after(() => another.stop());
    await sql`update websites set waiting_absence_minutes = 5, active_absence_minutes = 10`;
    const { id, token } = await startConversation({ ...nodes, urls: [another.url] }, another.url, staff, {
      accept: false,
    });
    const open = (url: string) => openSocket(url, token, { token }, { path: '/visitor/graphql' });
    const readPresence = async () => {
      const [row] = await sql`select p.left_at from visitor_presence p
        join conversations c on c.account_id = p.account_id and c.visitor_id = p.visitor_id where c.id = ${id}`;
      return row as { left_at: number | null } | undefined;
    };
    const page = open(another.url);
    await waitUntil('presence is stored', async () => (await readPresence()) !== undefined);
    page.end();
    await page.closed;
    const nextPage = open(oldNode); // which renews nothing
    t.after(() => nextPage.end());
    const setPresentFor = (milliseconds: number) =>
      sql`update visitor_presence set present_until = now_ms() + ${milliseconds}::bigint`;
    const waitUntilNoticed = (isAbsent: boolean) =>
      waitUntil(`the new node notices that the visitor ${isAbsent ? 'left' : 'is back'}`, async () => {
        await setPresentFor(isAbsent ? 0 : 60_000);
        return ((await readPresence())?.left_at != null) === isAbsent;
      });
    await waitUntilNoticed(true);
    await sql`update conversations set created_at = created_at - 3600000 where id = ${id}`;
    await sql`update visitor_presence set left_at = left_at - 3600000`;
    await waitForRounds({ urls: [another.url] }, ROUNDS_WITH_TWO_CHECKS);
    const [conversation] = await sql`select state from conversations where id = ${id}`;
    assert.notEqual(conversation?.state, 'closed');
    await waitUntilNoticed(false);
  });

  test('a node of the previous version shows no note to a visitor', async (t) => {
    const [oldNode = ''] = nodes.urls;
    const another = await nodes.startAnother();
    t.after(() => another.stop());
    const { id, token } = await startConversation({ ...nodes, urls: [another.url] }, another.url, staff, {
      accept: false,
    });
    const page = openSocket(oldNode, token, { token }, { path: '/visitor/graphql' });
    t.after(() => page.end());
    const subscription = await page.subscribe(
      `subscription{conversationEvents(id:${id}){type message{text} conversation{messageCount}}}`,
    );
    const admin = graphqlClient(another.url, nodes.token);
    const mutate = async (mutation: string) => {
      const { data, errors } = await admin.run(`mutation{${mutation}{userErrors{message}}}`);
      assert.deepEqual([errors, Object.values<{ userErrors: [] }>(data)[0]?.userErrors], [[], []]);
    };
    await mutate(`noteAdd(input:{conversationId:${id} clientId:"n" text:"between us"})`);
    await mutate(`conversationClose(input:{id:${id}})`);
    const typesOf = () => subscription.results.map(({ data }) => data.conversationEvents.type);
    await subscription.waitUntil(() => typesOf().includes('conversation.closed'));
    assert.ok(!typesOf().includes('note.created'), typesOf().join());
    const read = await page.run(`{conversation(id:${id}){messageCount messages{text}}}`);
    assert.equal(read.data.conversation.messageCount, read.data.conversation.messages.length);
    const history = await graphqlClient(oldNode, nodes.token).run(`{conversation(id:${id}){messages{text}}}`);
    assert.doesNotMatch(JSON.stringify([subscription.results, read, history.data]), /between us/);
    const [{ count } = {}] = await nodes.sql`select count(*) as count from notes where text = 'between us'`;
    assert.equal(count, 1, 'it is stored');
  });

  test('a node of the previous version can still start on the database', async () => {
    const node = await nodes.startAnother({ main: previous.main, args: ['serve'] });
    await node.stop();
  });

  function startDesk(url: string, token: string) {
    const query = 'subscription($after:ID){deskEvents(after:$after){position type conversation{state}}}';
    return followEvents({ name: 'desk', urls: [url], path: '/graphql', token, query, after: 0 });
  }

  async function readLastMigration(): Promise<string> {
    const [row] = await nodes.sql`select max(name) as name from migrations`;
    return String(row?.name);
  }
});
