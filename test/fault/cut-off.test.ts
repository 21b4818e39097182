import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { type DatabasePulse, takePulse } from '../support/databases/database-pulse.ts';
import { startTcpProxy, type TcpProxy, throughProxy } from '../support/databases/tcp-proxy.ts';
import type { Asked, Journal } from '../support/load/asking.ts';
import { type Following, follow } from '../support/load/following.ts';
import { startLoad } from '../support/load/steady-load.ts';
import { eventPosition, makeStaff, type Nodes, type Staff, startNodes, startTalk } from '../support/nodes/nodes.ts';
import { brokenPromises, maximum, missedBy, outageRows, slowestByNode, sum, tableOf } from '../support/nodes/outage.ts';
import { specialStart } from '../support/processes/special-start.ts';
import { repeatWhileUnavailable } from '../support/waiting/patient.ts';
import { PATIENCE_MS, until } from '../support/waiting/until.ts';

const server = process.env.TEST_DATABASE_URL;
const FULL = process.env.FULL === '1';
/** What the service promises, looked at in the full run on a quiet machine. */
const SLOWEST_MS = 1000;
const RECOVERY_MS = 2000;
const DELAY_MS = 1500;
/** A lease lasts 30 s after the last ping; the small run ends it by hand. */
const AWAY_MS = 45_000;
/** A node refuses what its database does not answer in 800 ms: one that takes so long for nothing has no processor. */
const STARVED_MS = 200;
const MESSAGES = FULL ? 40 : 20;
/** Pings every 1.5 s, so that a desk that is back is seen soon. */
const QUICK = specialStart({ patience: { init: PATIENCE_MS, slowest: PATIENCE_MS, farewell: 4000, ping: 1500 } });

const FAULTS = [
  { name: 'cut off', begin: (proxy: TcpProxy) => proxy.cut() },
  { name: 'connected to nobody (half-open)', begin: (proxy: TcpProxy) => proxy.silence() },
];

describe('one of two nodes loses its database', { skip: server === undefined }, () => {
  let proxy: TcpProxy;
  let nodes: Nodes;
  let staff: Staff;

  before(async () => {
    const { hostname: host, port } = new URL(server ?? '');
    proxy = await startTcpProxy({ host, port: Number(port || 5432) });
    nodes = await startNodes(server ?? '', {
      ...QUICK,
      envOf: (index, database) => (index === 0 ? { DATABASE_URL: throughProxy(database, proxy) } : {}),
    });
    staff = await makeStaff(nodes, 8);
  });
  after(async () => {
    proxy?.restore();
    await nodes?.end();
    await proxy?.close();
  });

  for (const fault of FAULTS) {
    test(`${fault.name}: its clients hear 503, its desks go elsewhere or offline, the other node notices nothing, and all goes on by itself`, async (t) => {
      const { sql } = nodes;
      const [lost = '', other = ''] = nodes.urls;
      await until('the desks before have gone', async () => (await connected()).length === 0);
      const start = await eventPosition(nodes);
      const [staying, moving] = [desk('staying', 0, [lost], start), desk('moving', 1, [lost, other], start)];
      const all: Following[] = [staying, moving];
      t.after(() => Promise.all(all.map((each) => each.stop())));
      await until('both desks are connected', async () => (await connected()).length === 2);
      const talk = await startTalk(nodes, other, staff);
      const watcher = watch(talk.id, lost, start);
      all.push(watcher);
      const stalls = monitorEventLoopDelay();
      stalls.enable();
      const here = startLoad({ ...nodes, urls: [lost] }, part(2, 3), []);
      const there = startLoad({ ...nodes, urls: [other] }, part(3, 4), [talk]);
      t.after(() => Promise.all([here.stop(), there.stop()]));
      const pulse = takePulse(sql);
      t.after(() => pulse.stop());
      await Promise.all([here.rounds(1), there.rounds(1)]);

      const crowd = crowdAt(lost, here.journal);
      const served = () => here.journal.asked.filter(({ kind }) => kind.startsWith('crowd')).length;
      // Every connection to the database is in use then, also by transactions.
      await until('the crowd is in the middle of it', () => served() > 10);
      const from = performance.now();
      fault.begin(proxy);
      if (FULL) await setTimeout(AWAY_MS);
      else await endLeases(1000);
      await here.allRefusedSince(from);
      await crowd;
      await until('the desk that stayed is lost', async () => !(await connected()).includes(operator(0)));
      const gone = await disconnections(start);
      const connectedMeanwhile = await connected();
      const away = await eventPosition(nodes);
      proxy.restore();
      const to = performance.now();
      const outage = { from, gone: from, returning: to, to };
      await until('the desk that stayed is connected again', async () => (await connected()).includes(operator(0)));
      const deskBack = performance.now() - to;
      await Promise.all([here.rounds(2), there.rounds(1)]);
      if (FULL) await setTimeout(3000);
      await Promise.all([here.stop(), there.stop()]);
      await pulse.stop();
      await until('who watches has seen all', async () => (await missedBy(sql, watcher, talk.id, start)).length === 0);
      await Promise.all(all.map((each) => each.stop()));

      const [rows, others] = [outageRows(here.journal.asked, outage), outageRows(there.journal.asked, outage)];
      t.diagnostic(`the node that was ${fault.name}, for ${Math.round(to - from)} ms; times in ms\n${tableOf(rows)}`);
      t.diagnostic(`the other node\n${tableOf(others)}`);
      const problems = [
        ...(await brokenPromises(sql, here.ledger)),
        ...(await brokenPromises(sql, there.ledger)),
        ...(await missedBy(sql, watcher, talk.id, start)),
        ...inOrder(staying),
        ...inOrder(moving),
      ];
      const again = await connections(away);
      t.diagnostic(
        tableOf([
          {
            fault: fault.name,
            'slowest 503': maximum(rows, 'slowest'),
            'own stall': stalls.max / 1e6,
            'by the node': slowestByNode(nodes.all),
            recovery: maximum(rows, 'recovery'),
            'desk back': deskBack,
            'slowest there': maximum(others, 'slowest'),
            'failed there': failures(there.journal, pulse).length,
            'desks told': moving.ends.filter((how) => how !== 'stopped').join(),
            offline: gone.length,
            problems: problems.length,
          },
        ]),
      );
      assert.deepEqual(problems, []);
      for (const name of ['wronglyDone', 'silent', 'other', 'partly', 'withoutRetryAfter'] as const)
        assert.equal(sum(rows, name), 0, name);
      assert.ok(sum(rows, 'unavailable') > 0);
      assert.deepEqual(failures(there.journal, pulse), [], 'the other node served everybody');
      assert.ok(!connectedMeanwhile.includes(operator(0)), 'whose desk stayed with the lost node is not connected');
      assert.equal(new Set(gone).size, gone.length, 'nobody went offline twice');
      if (!FULL) return; // a node that has started a moment ago ends no lease yet
      assert.ok(
        maximum(rows, 'slowest') < SLOWEST_MS + stalls.max / 1e6,
        `an answer took ${maximum(rows, 'slowest')} ms`,
      );
      assert.ok(
        maximum(rows, 'recovery') < RECOVERY_MS,
        `it failed ${maximum(rows, 'recovery')} ms after it could have worked`,
      );
      assert.ok(gone.includes(operator(0)), 'it is announced by the other node');
      assert.equal(again.filter((id) => id === operator(0)).length, 1, 'once, when it was back');
      assert.ok(connectedMeanwhile.includes(operator(1)), 'the desk that was told to go elsewhere is connected there');
    });
  }

  test('the connection that listens is lost: subscribers get everything, once, in order, and soon', async (t) => {
    const { sql } = nodes;
    const [first = '', second = ''] = nodes.urls;
    await until('the desks before have gone', async () => (await connected()).length === 0);
    const start = await eventPosition(nodes);
    const anyDesk = desk('desk', 0, [second], start);
    t.after(() => anyDesk.stop());
    await until('the desk is connected', async () => (await connected()).includes(operator(0)));
    const talk = await startTalk(nodes, second, part(0, 2));
    const watcher = watch(talk.id, first, start);
    t.after(() => watcher.stop());
    await until('it is watched', async () => watcher.seen.length > 0);
    const sent: number[] = [];
    for (let number = 0; number < MESSAGES; number += 1) {
      if (number % (MESSAGES / 4) === 3) {
        await sql`select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen%' and datname = current_database()`;
      }
      const before = watcher.seen.length;
      await say(second, talk, `l${number}`);
      sent.push(performance.now());
      if (FULL) await setTimeout(200);
      assert.ok(watcher.seen.length >= before);
    }
    await until('everything has come', async () => (await missedBy(sql, watcher, talk.id, start)).length === 0);
    const messages = watcher.seen.filter(({ type }) => type === 'message.created').slice(-sent.length);
    const delays = messages.map(({ at }, index) => at - (sent[index] ?? 0));
    t.diagnostic(
      tableOf([
        {
          fault: 'LISTEN lost 4 times',
          messages: sent.length,
          'longest delay': Math.max(...delays),
          'streams ended': watcher.ends.length,
        },
      ]),
    );
    if (FULL) assert.ok(Math.max(...delays) < DELAY_MS, `it took ${Math.max(...delays)} ms`);
    assert.deepEqual(watcher.ends, []);
  });

  test('a node falls silent in the middle of a transaction: the others do not wait for it', async (t) => {
    const { sql } = nodes;
    const [lost = '', other = ''] = nodes.urls;
    const headers = { 'X-API-Key': nodes.all[0]?.key ?? '', 'Content-Type': 'application/json' };
    const write = (url: string, pseudo: string) =>
      fetch(`${url}/api/2/operator/${operator(6)}`, { method: 'PUT', headers, body: JSON.stringify({ pseudo }) });
    assert.equal((await repeatWhileUnavailable(() => write(lost, 'before'))).status, 200);
    const holder = await sql.reserve();
    await holder`begin`;
    await holder`select pg_advisory_xact_lock(1)`;
    const silent = write(lost, 'silent');
    await until('its transaction waits', async () => {
      const rows = await sql`select 1 from pg_locks join pg_database on pg_database.oid = database
        where datname = current_database() and locktype = 'advisory' and not granted`;
      return rows.length > 0;
    });
    proxy.silence();
    await holder`rollback`; // from here on the account belongs to a transaction that nobody will ever end
    holder.release();
    const began = performance.now();
    await until('a write succeeds through the other node', async () => (await write(other, 'after')).status === 200);
    const waited = performance.now() - began;
    assert.equal((await silent).status, 503);
    proxy.restore();
    const [row] = await sql`select pseudo from operators where account_id = 1 and id = ${operator(6)}`;
    t.diagnostic(tableOf([{ fault: 'silent in a transaction', 'others waited': waited }]));
    assert.equal(row?.pseudo, 'after');
    await until('the node is back', async () => (await write(lost, 'back')).status === 200);
  });

  /** More than there are connections, at once: half of them write, half of them read. */
  function crowdAt(url: string, journal: Journal): Promise<unknown> {
    const headers = { 'X-API-Key': nodes.all[0]?.key ?? '', 'Content-Type': 'application/json' };
    const address = `${url}/api/2/operator/${operator(5)}`;
    const one = async (index: number) => {
      const body = JSON.stringify({ pseudo: `crowd ${index}` });
      for (let round = 0; round < 3; round += 1) {
        if (index % 2 === 0) await journal.ask('crowd write', 0, address, { method: 'PUT', headers, body });
        else await journal.ask('crowd read', 0, address, { headers });
      }
    };
    return Promise.all(Array.from({ length: 50 }, (_, index) => one(index)));
  }

  function operator(index: number): number {
    return staff.operators[index]?.id ?? 0;
  }

  function part(from: number, to: number): Staff {
    return { ...staff, operators: staff.operators.slice(from, to) };
  }

  function desk(name: string, index: number, urls: readonly string[], from: number): Following {
    const query = 'subscription($after:ID){deskEvents(after:$after){position type}}';
    return follow({ name, urls, path: '/graphql', token: staff.operators[index]?.token ?? '', query, after: from });
  }

  function watch(conversation: number, url: string, from: number): Following {
    const query = `subscription($after:ID){conversationEvents(id:${conversation} after:$after){position type}}`;
    return follow({ name: 'watcher', urls: [url], path: '/graphql', token: nodes.token, query, after: from });
  }

  async function connected(): Promise<number[]> {
    const rows = await nodes.sql`select operator_id from operator_live where routable_until > now_ms()`;
    return rows.map((row) => Number(row.operator_id));
  }

  /** As if the node had been lost for as long as a lease lasts. */
  async function endLeases(milliseconds: number): Promise<void> {
    await nodes.sql`update operator_leases set expires_at = now_ms() + ${milliseconds}`;
    await nodes.sql`
      update operator_live set lease_until = now_ms() + ${milliseconds}, routable_until = now_ms() + ${milliseconds}
      where lease_until > 0`;
  }

  async function disconnections(start: number): Promise<number[]> {
    const rows = await nodes.sql`
      select subject_id from events where account_id = 1 and type = 'operator.disconnected' and position > ${start}`;
    return rows.map((row) => Number(row.subject_id));
  }

  async function connections(start: number): Promise<number[]> {
    const rows = await nodes.sql`
      select subject_id from events where account_id = 1 and type = 'operator.connected' and position > ${start}`;
    return rows.map((row) => Number(row.subject_id));
  }
});

/** What went wrong on a node whose database was there; in the small run that database may have had no processor. */
function failures({ asked }: Journal, pulse: DatabasePulse): Asked[] {
  const isStarved = ({ outcome, sentAt, milliseconds }: Asked) =>
    !FULL && outcome === 'unavailable' && pulse.slowest(sentAt, sentAt + milliseconds) > STARVED_MS;
  return asked.filter(
    (each) => each.outcome !== 'done' && !(each.kind === 'login' && each.outcome === 'refused') && !isStarved(each),
  );
}

async function say(url: string, { id, token }: { id: number; token: string }, clientId: string): Promise<void> {
  const query = `mutation{messageSend(input:{conversationId:${id} clientId:"${clientId}" text:"Hello"}){message{sequence}}}`;
  const answer = await fetch(`${url}/visitor/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query }),
  });
  assert.ok(((await answer.json()) as { data?: { messageSend: { message: object } } }).data?.messageSend.message);
}

function inOrder({ name, seen }: Following): string[] {
  const positions = seen.map(({ position }) => position);
  return positions
    .filter((each, index) => index > 0 && each <= (positions[index - 1] ?? 0))
    .map((each) => `${name} saw ${each} out of order`);
}
