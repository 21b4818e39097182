import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { takePulse } from '../support/databases/database-pulse.ts';
import type { Asked } from '../support/load/asking.ts';
import { type Following, follow } from '../support/load/following.ts';
import { startLoad } from '../support/load/steady-load.ts';
import { eventPosition, makeStaff, type Nodes, type Staff, startNodes, startTalk } from '../support/nodes/nodes.ts';
import { brokenPromises, missedBy, outageRows, tableOf } from '../support/nodes/outage.ts';
import { until } from '../support/waiting/until.ts';

const server = process.env.TEST_DATABASE_URL;

/** A node refuses what its database does not answer in 800 ms: one that takes so long for nothing has no processor. */
const STARVED_MS = 200;

/** What a next version may do to a database on which this one still runs: it only adds. */
const NEXT_VERSION = [
  'create table later_things (account_id bigint not null, id bigint not null, name text not null, primary key (account_id, id))',
  'alter table operators add column later_note text',
  'alter table operator_live add column later_flag bigint not null default 0',
  'alter table conversations add column later_topic text',
  'alter table messages add column later_edited_at bigint',
  'alter table accounts add column later_setting bigint not null default 0',
  'alter table idempotency_keys add column later_note text',
  'alter table events add column later_note text',
  'create index later_operators on operators (account_id, later_note)',
];

describe('a next version comes while this one runs', { skip: server === undefined }, () => {
  let nodes: Nodes;
  let staff: Staff;

  before(async () => {
    nodes = await startNodes(server ?? '', { isEmpty: true });
    staff = await makeStaff(nodes, 2);
  });
  after(() => nodes?.end());

  test('of several that start at once on an empty database, one migrates and makes the account', async () => {
    const { code, stdout } = await (nodes.all[0] as Nodes['all'][number]).command(['account', 'list']);
    assert.equal(code, 0);
    assert.equal(stdout.match(/^\s*\d+ /gm)?.length, 1, stdout);
    const applied = await nodes.sql`select name from migrations`;
    assert.equal(new Set(applied.map((row) => row.name)).size, applied.length);
  });

  test('its migration, step by step under load: not one request fails, and no subscriber notices', async (t) => {
    const { sql } = nodes;
    const start = await eventPosition(nodes);
    const desks = nodes.urls.map((url, index) => desk(url, index, start));
    t.after(() => Promise.all(desks.map((each) => each.stop())));
    await until('all desks are connected', async () => {
      const rows = await sql`select 1 from operator_live where routable_until > now_ms()`;
      return rows.length === desks.length;
    });
    const talks = await Promise.all(nodes.urls.map((url) => startTalk(nodes, url, staff)));
    const watching = talks.map(({ id }, index) => watch(id, index, start));
    t.after(() => Promise.all(watching.map((each) => each.stop())));
    const load = startLoad(nodes, staff, talks);
    t.after(() => load.stop());
    const pulse = takePulse(sql);
    t.after(() => pulse.stop());
    await load.rounds(2); // everything is prepared
    const from = performance.now();
    for (const statement of NEXT_VERSION) {
      const before = load.journal.asked.length;
      await sql.unsafe(statement);
      await until('many met it', () => load.journal.asked.length > before + 20);
    }
    const to = performance.now();
    await load.rounds(1);
    await load.stop();
    await pulse.stop();
    const missing = async () =>
      (await Promise.all(watching.map((each, index) => missedBy(sql, each, talks[index]?.id ?? 0, start)))).flat();
    await until('those who watch have seen everything', async () => (await missing()).length === 0);
    await Promise.all([...desks, ...watching].map((each) => each.stop()));
    const rows = outageRows(load.journal.asked, { from, gone: from, returning: to, to });
    t.diagnostic(`a next version, step by step; times in ms\n${tableOf(rows)}`);
    const isStarved = ({ outcome, sentAt, milliseconds }: Asked) =>
      outcome === 'unavailable' && pulse.slowest(sentAt, sentAt + milliseconds) > STARVED_MS;
    const failed = load.journal.asked.filter(
      (each) => each.outcome !== 'done' && !(each.kind === 'login' && each.outcome === 'refused') && !isStarved(each),
    );
    assert.deepEqual(failed, [], nodes.all.flatMap((node) => node.log().match(/.*"level":50.*/g) ?? []).join('\n'));
    assert.deepEqual([...(await brokenPromises(sql, load.ledger)), ...(await missing())], []);
    assert.deepEqual(
      [...desks, ...watching].flatMap(({ ends }) => ends.filter((how) => how !== 'stopped')),
      [],
    );
  });

  function desk(url: string, index: number, from: number): Following {
    const query = 'subscription($after:ID){deskEvents(after:$after){position type conversation{state}}}';
    return follow({
      name: `desk ${index}`,
      urls: [url],
      path: '/graphql',
      token: staff.operators[index]?.token ?? '',
      query,
      after: from,
    });
  }

  function watch(conversation: number, index: number, from: number): Following {
    const query = `subscription($after:ID){conversationEvents(id:${conversation} after:$after){position type message{text}}}`;
    const urls = [nodes.urls[(index + 1) % nodes.urls.length] ?? ''];
    return follow({ name: `watcher ${index}`, urls, path: '/graphql', token: nodes.token, query, after: from });
  }
});
