import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startLatencyProbe } from '../support/databases/latency-probe.ts';
import { type EventFollower, followEvents } from '../support/load/event-follower.ts';
import type { RequestRecord } from '../support/load/request-journal.ts';
import { startSteadyLoad } from '../support/load/steady-load.ts';
import {
  createStaff,
  type Nodes,
  readEventPosition,
  type Staff,
  startConversation,
  startNodes,
} from '../support/nodes/nodes.ts';
import { findLostWrites, findMissedEvents, formatTable, summarizeOutage } from '../support/nodes/outage.ts';
import { waitUntil } from '../support/waiting/wait.ts';

const server = process.env.TEST_DATABASE_URL;

/** A node responds with 503 after 800 ms; a database this slow for a trivial query is itself short of CPU. */
const STARVED_MS = 200;

/** Schema changes that the next version may make while this one still runs: only additions. */
const NEXT_VERSION = [
  'create table later_items (account_id bigint not null, id bigint not null, name text not null, primary key (account_id, id))',
  'alter table operators add column later_note text',
  'alter table operator_live add column later_flag bigint not null default 0',
  'alter table conversations add column later_topic text',
  'alter table messages add column later_edited_at bigint',
  'alter table accounts add column later_setting bigint not null default 0',
  'alter table idempotency_keys add column later_note text',
  'alter table events add column later_note text',
  'create index later_operators on operators (account_id, later_note)',
];

describe('upgrade to the next version while this one runs', { skip: server === undefined }, () => {
  let nodes: Nodes;
  let staff: Staff;

  before(async () => {
    nodes = await startNodes(server ?? '', { hasEmptyDatabase: true });
    staff = await createStaff(nodes, 2);
  });
  after(() => nodes?.end());

  test('when several nodes start concurrently on an empty database, one migrates and creates the account', async () => {
    const { code, stdout } = await (nodes.all[0] as Nodes['all'][number]).runCommand(['account', 'list']);
    assert.equal(code, 0);
    assert.equal(stdout.match(/^\s*\d+ /gm)?.length, 1, stdout);
    const applied = await nodes.sql`select name from migrations`;
    assert.equal(new Set(applied.map((row) => row.name)).size, applied.length);
  });

  test('its migration, step by step under load: no request fails, and no subscription is interrupted', async (t) => {
    const { sql } = nodes;
    const start = await readEventPosition(nodes);
    const desks = nodes.urls.map((url, index) => startDesk(url, index, start));
    t.after(() => Promise.all(desks.map((desk) => desk.stop())));
    await waitUntil('all desks are connected', async () => {
      const rows = await sql`select 1 from operator_live where routable_until > now_ms()`;
      return rows.length === desks.length;
    });
    const conversations = await Promise.all(nodes.urls.map((url) => startConversation(nodes, url, staff)));
    const watchers = conversations.map(({ id }, index) => startWatcher(id, index, start));
    t.after(() => Promise.all(watchers.map((watcher) => watcher.stop())));
    const load = startSteadyLoad(nodes, staff, conversations);
    t.after(() => load.stop());
    const probe = startLatencyProbe(sql);
    t.after(() => probe.stop());
    await load.waitForRounds(2); // all statements are prepared
    const from = performance.now();
    for (const statement of NEXT_VERSION) {
      const before = load.journal.records.length;
      await sql.unsafe(statement);
      await waitUntil('many requests ran after it', () => load.journal.records.length > before + 20);
    }
    const to = performance.now();
    await load.waitForRounds(1);
    await load.stop();
    await probe.stop();
    const findMissing = async () =>
      (
        await Promise.all(
          watchers.map((watcher, index) => findMissedEvents(sql, watcher, conversations[index]?.id ?? 0, start)),
        )
      ).flat();
    await waitUntil('the watchers have received all events', async () => (await findMissing()).length === 0);
    await Promise.all([...desks, ...watchers].map((follower) => follower.stop()));
    const rows = summarizeOutage(load.journal.records, { from, downAt: from, restartedAt: to, to });
    t.diagnostic(`next version, step by step; times in ms\n${formatTable(rows)}`);
    const isStarved = ({ outcome, sentAt, milliseconds }: RequestRecord) =>
      outcome === 'unavailable' && probe.maxLatencyMs(sentAt, sentAt + milliseconds) > STARVED_MS;
    const failed = load.journal.records.filter(
      (record) =>
        record.outcome !== 'done' && !(record.kind === 'login' && record.outcome === 'refused') && !isStarved(record),
    );
    assert.deepEqual(failed, [], nodes.all.flatMap((node) => node.log().match(/.*"level":50.*/g) ?? []).join('\n'));
    assert.deepEqual([...(await findLostWrites(sql, load.ledger)), ...(await findMissing())], []);
    assert.deepEqual(
      [...desks, ...watchers].flatMap(({ ends }) => ends.filter((how) => how !== 'stopped')),
      [],
    );
  });

  function startDesk(url: string, index: number, from: number): EventFollower {
    const query = 'subscription($after:ID){deskEvents(after:$after){position type conversation{state}}}';
    return followEvents({
      name: `desk ${index}`,
      urls: [url],
      path: '/graphql',
      token: staff.operators[index]?.token ?? '',
      query,
      after: from,
    });
  }

  function startWatcher(conversation: number, index: number, from: number): EventFollower {
    const query = `subscription($after:ID){conversationEvents(id:${conversation} after:$after){position type message{text}}}`;
    const urls = [nodes.urls[(index + 1) % nodes.urls.length] ?? ''];
    return followEvents({ name: `watcher ${index}`, urls, path: '/graphql', token: nodes.token, query, after: from });
  }
});
