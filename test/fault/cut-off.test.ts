import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { type LatencyProbe, startLatencyProbe } from '../support/databases/latency-probe.ts';
import { proxiedUrl, startTcpProxy, type TcpProxy } from '../support/databases/tcp-proxy.ts';
import { type EventFollower, followEvents } from '../support/load/event-follower.ts';
import type { RequestJournal, RequestRecord } from '../support/load/request-journal.ts';
import { startSteadyLoad } from '../support/load/steady-load.ts';
import {
  createStaff,
  type Nodes,
  readEventPosition,
  type Staff,
  startConversation,
  startNodes,
} from '../support/nodes/nodes.ts';
import {
  findLostWrites,
  findMissedEvents,
  findSlowestUnavailableMs,
  formatTable,
  max,
  sum,
  summarizeOutage,
} from '../support/nodes/outage.ts';
import { testServerOptions } from '../support/processes/test-server-options.ts';
import { retryWhileUnavailable } from '../support/waiting/retrying-clients.ts';
import { WAIT_TIMEOUT_MS, waitUntil } from '../support/waiting/wait.ts';

const server = process.env.TEST_DATABASE_URL;
const FULL = process.env.FULL === '1';
/** The service's guarantees, checked in the full run on a quiet machine. */
const SLOWEST_MS = 1000;
const RECOVERY_MS = 2000;
const DELAY_MS = 1500;
/** A lease lasts 30 s after the last ping; the small run expires it directly. */
const OUTAGE_MS = 45_000;
/** A node responds with 503 after 800 ms; a database this slow for a trivial query is itself short of CPU. */
const STARVED_MS = 200;
const MESSAGES = FULL ? 40 : 20;
/** Pings every 1.5 s, so that a reconnected desk is noticed soon. */
const FREQUENT_PINGS = testServerOptions({
  socketTimeouts: { connectionInitMs: WAIT_TIMEOUT_MS, sendMs: WAIT_TIMEOUT_MS, closeMs: 4000, pingIntervalMs: 1500 },
});

const FAULTS = [
  { name: 'cut off', begin: (proxy: TcpProxy) => proxy.cut() },
  { name: 'silent (half-open connections)', begin: (proxy: TcpProxy) => proxy.silence() },
];

describe('one of two nodes loses its database', { skip: server === undefined }, () => {
  let proxy: TcpProxy;
  let nodes: Nodes;
  let staff: Staff;

  before(async () => {
    const { hostname: host, port } = new URL(server ?? '');
    proxy = await startTcpProxy({ host, port: Number(port || 5432) });
    nodes = await startNodes(server ?? '', {
      ...FREQUENT_PINGS,
      envForNode: (index, database) => (index === 0 ? { DATABASE_URL: proxiedUrl(database, proxy) } : {}),
    });
    staff = await createStaff(nodes, 8);
  });
  after(async () => {
    proxy?.restore();
    await nodes?.end();
    await proxy?.close();
  });

  for (const fault of FAULTS) {
    test(`${fault.name}: its clients get 503, its desks move or go offline, the other node is unaffected, and it recovers automatically`, async (t) => {
      const { sql } = nodes;
      const [lost = '', other = ''] = nodes.urls;
      await waitUntil('the previous desks are gone', async () => (await findConnected()).length === 0);
      const start = await readEventPosition(nodes);
      const [staying, moving] = [startDesk('staying', 0, [lost], start), startDesk('moving', 1, [lost, other], start)];
      const followers: EventFollower[] = [staying, moving];
      t.after(() => Promise.all(followers.map((follower) => follower.stop())));
      await waitUntil('both desks are connected', async () => (await findConnected()).length === 2);
      const conversation = await startConversation(nodes, other, staff);
      const watcher = startWatcher(conversation.id, lost, start);
      followers.push(watcher);
      const stalls = monitorEventLoopDelay();
      stalls.enable();
      const lostNodeLoad = startSteadyLoad({ ...nodes, urls: [lost] }, staffSlice(2, 3), []);
      const otherNodeLoad = startSteadyLoad({ ...nodes, urls: [other] }, staffSlice(3, 4), [conversation]);
      t.after(() => Promise.all([lostNodeLoad.stop(), otherNodeLoad.stop()]));
      const probe = startLatencyProbe(sql);
      t.after(() => probe.stop());
      await Promise.all([lostNodeLoad.waitForRounds(1), otherNodeLoad.waitForRounds(1)]);

      const burst = sendBurst(lost, lostNodeLoad.journal);
      const countServed = () => lostNodeLoad.journal.records.filter(({ kind }) => kind.startsWith('burst')).length;
      // By then every database connection is in use, including transactions.
      await waitUntil('the burst is in progress', () => countServed() > 10);
      const from = performance.now();
      fault.begin(proxy);
      if (FULL) await setTimeout(OUTAGE_MS);
      else await endLeases(1000);
      await lostNodeLoad.waitUntilAllUnavailableSince(from);
      await burst;
      await waitUntil('the desk that stayed is lost', async () => !(await findConnected()).includes(operatorId(0)));
      const disconnectedIds = await findDisconnected(start);
      const connectedDuringOutage = await findConnected();
      const outagePosition = await readEventPosition(nodes);
      proxy.restore();
      const to = performance.now();
      const outage = { from, downAt: from, restartedAt: to, to };
      await waitUntil('the desk that stayed is connected again', async () =>
        (await findConnected()).includes(operatorId(0)),
      );
      const deskReconnectMs = performance.now() - to;
      await Promise.all([lostNodeLoad.waitForRounds(2), otherNodeLoad.waitForRounds(1)]);
      if (FULL) await setTimeout(3000);
      await Promise.all([lostNodeLoad.stop(), otherNodeLoad.stop()]);
      await probe.stop();
      await waitUntil(
        'the watcher has received all events',
        async () => (await findMissedEvents(sql, watcher, conversation.id, start)).length === 0,
      );
      await Promise.all(followers.map((follower) => follower.stop()));

      const [rows, others] = [
        summarizeOutage(lostNodeLoad.journal.records, outage),
        summarizeOutage(otherNodeLoad.journal.records, outage),
      ];
      t.diagnostic(
        `the affected node, ${fault.name} for ${Math.round(to - from)} ms; times in ms\n${formatTable(rows)}`,
      );
      t.diagnostic(`the other node\n${formatTable(others)}`);
      const problems = [
        ...(await findLostWrites(sql, lostNodeLoad.ledger)),
        ...(await findLostWrites(sql, otherNodeLoad.ledger)),
        ...(await findMissedEvents(sql, watcher, conversation.id, start)),
        ...findOutOfOrder(staying),
        ...findOutOfOrder(moving),
      ];
      const reconnectedIds = await findReconnected(outagePosition);
      t.diagnostic(
        formatTable([
          {
            fault: fault.name,
            'slowest 503': max(rows, 'slowest'),
            'test stall': stalls.max / 1e6,
            'by the node': findSlowestUnavailableMs(nodes.all),
            recovery: max(rows, 'recovery'),
            'desk back': deskReconnectMs,
            'slowest there': max(others, 'slowest'),
            'failed there': findFailures(otherNodeLoad.journal, probe).length,
            'desk ends': moving.ends.filter((how) => how !== 'stopped').join(),
            offline: disconnectedIds.length,
            problems: problems.length,
          },
        ]),
      );
      assert.deepEqual(problems, []);
      for (const name of ['unexpectedlyDone', 'noResponse', 'other', 'partial', 'withoutRetryAfter'] as const)
        assert.equal(sum(rows, name), 0, name);
      assert.ok(sum(rows, 'unavailable') > 0);
      assert.deepEqual(findFailures(otherNodeLoad.journal, probe), [], 'the other node served all clients');
      assert.ok(
        !connectedDuringOutage.includes(operatorId(0)),
        'the operator whose desk stayed on the lost node is not connected',
      );
      assert.equal(new Set(disconnectedIds).size, disconnectedIds.length, 'no operator went offline twice');
      if (!FULL) return; // a node that has just started does not expire leases yet
      assert.ok(max(rows, 'slowest') < SLOWEST_MS + stalls.max / 1e6, `a response took ${max(rows, 'slowest')} ms`);
      assert.ok(
        max(rows, 'recovery') < RECOVERY_MS,
        `requests failed for ${max(rows, 'recovery')} ms after the restore`,
      );
      assert.ok(disconnectedIds.includes(operatorId(0)), 'the other node announced it');
      assert.equal(reconnectedIds.filter((id) => id === operatorId(0)).length, 1, 'once, after it was back');
      assert.ok(connectedDuringOutage.includes(operatorId(1)), 'the desk that moved is connected to the other node');
    });
  }

  test('the LISTEN connection is lost: subscribers get every event once, in order and soon', async (t) => {
    const { sql } = nodes;
    const [first = '', second = ''] = nodes.urls;
    await waitUntil('the previous desks are gone', async () => (await findConnected()).length === 0);
    const start = await readEventPosition(nodes);
    const anyDesk = startDesk('desk', 0, [second], start);
    t.after(() => anyDesk.stop());
    await waitUntil('the desk is connected', async () => (await findConnected()).includes(operatorId(0)));
    const conversation = await startConversation(nodes, second, staffSlice(0, 2));
    const watcher = startWatcher(conversation.id, first, start);
    t.after(() => watcher.stop());
    await waitUntil('the watcher is subscribed', async () => watcher.events.length > 0);
    const sent: number[] = [];
    for (let number = 0; number < MESSAGES; number += 1) {
      if (number % (MESSAGES / 4) === 3) {
        await sql`select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen%' and datname = current_database()`;
      }
      const before = watcher.events.length;
      await sendMessage(second, conversation, `l${number}`);
      sent.push(performance.now());
      if (FULL) await setTimeout(200);
      assert.ok(watcher.events.length >= before);
    }
    await waitUntil(
      'all events have arrived',
      async () => (await findMissedEvents(sql, watcher, conversation.id, start)).length === 0,
    );
    const messages = watcher.events.filter(({ type }) => type === 'message.created').slice(-sent.length);
    const delays = messages.map(({ at }, index) => at - (sent[index] ?? 0));
    t.diagnostic(
      formatTable([
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

  test('a node falls silent during a transaction: the others do not wait for it', async (t) => {
    const { sql } = nodes;
    const [lost = '', other = ''] = nodes.urls;
    const headers = { 'X-API-Key': nodes.all[0]?.key ?? '', 'Content-Type': 'application/json' };
    const write = (url: string, pseudo: string) =>
      fetch(`${url}/api/2/operator/${operatorId(6)}`, { method: 'PUT', headers, body: JSON.stringify({ pseudo }) });
    assert.equal((await retryWhileUnavailable(() => write(lost, 'before'))).status, 200);
    const holder = await sql.reserve();
    await holder`begin`;
    await holder`select pg_advisory_xact_lock(1)`;
    const pendingWrite = write(lost, 'silent');
    await waitUntil('its transaction waits', async () => {
      const rows = await sql`select 1 from pg_locks join pg_database on pg_database.oid = database
        where datname = current_database() and locktype = 'advisory' and not granted`;
      return rows.length > 0;
    });
    proxy.silence();
    await holder`rollback`; // from here on a transaction that never ends holds the account lock
    holder.release();
    const startedAt = performance.now();
    await waitUntil(
      'a write succeeds through the other node',
      async () => (await write(other, 'after')).status === 200,
    );
    const waited = performance.now() - startedAt;
    assert.equal((await pendingWrite).status, 503);
    proxy.restore();
    const [row] = await sql`select pseudo from operators where account_id = 1 and id = ${operatorId(6)}`;
    t.diagnostic(formatTable([{ fault: 'silent in a transaction', 'others waited': waited }]));
    assert.equal(row?.pseudo, 'after');
    await waitUntil('the node is back', async () => (await write(lost, 'back')).status === 200);
  });

  /** More concurrent requests than database connections: half write, half read. */
  function sendBurst(url: string, journal: RequestJournal): Promise<unknown> {
    const headers = { 'X-API-Key': nodes.all[0]?.key ?? '', 'Content-Type': 'application/json' };
    const operatorUrl = `${url}/api/2/operator/${operatorId(5)}`;
    const sendThree = async (index: number) => {
      const body = JSON.stringify({ pseudo: `burst ${index}` });
      for (let round = 0; round < 3; round += 1) {
        if (index % 2 === 0) await journal.send('burst write', 0, operatorUrl, { method: 'PUT', headers, body });
        else await journal.send('burst read', 0, operatorUrl, { headers });
      }
    };
    return Promise.all(Array.from({ length: 50 }, (_, index) => sendThree(index)));
  }

  function operatorId(index: number): number {
    return staff.operators[index]?.id ?? 0;
  }

  function staffSlice(from: number, to: number): Staff {
    return { ...staff, operators: staff.operators.slice(from, to) };
  }

  function startDesk(name: string, index: number, urls: readonly string[], from: number): EventFollower {
    const query = 'subscription($after:ID){deskEvents(after:$after){position type}}';
    return followEvents({
      name,
      urls,
      path: '/graphql',
      token: staff.operators[index]?.token ?? '',
      query,
      after: from,
    });
  }

  function startWatcher(conversation: number, url: string, from: number): EventFollower {
    const query = `subscription($after:ID){conversationEvents(id:${conversation} after:$after){position type}}`;
    return followEvents({ name: 'watcher', urls: [url], path: '/graphql', token: nodes.token, query, after: from });
  }

  async function findConnected(): Promise<number[]> {
    const rows = await nodes.sql`select operator_id from operator_live where routable_until > now_ms()`;
    return rows.map((row) => Number(row.operator_id));
  }

  /** Simulates a loss that lasts as long as a lease. */
  async function endLeases(milliseconds: number): Promise<void> {
    await nodes.sql`update operator_leases set expires_at = now_ms() + ${milliseconds}`;
    await nodes.sql`
      update operator_live set lease_until = now_ms() + ${milliseconds}, routable_until = now_ms() + ${milliseconds}
      where lease_until > 0`;
  }

  async function findDisconnected(start: number): Promise<number[]> {
    const rows = await nodes.sql`
      select subject_id from events where account_id = 1 and type = 'operator.disconnected' and position > ${start}`;
    return rows.map((row) => Number(row.subject_id));
  }

  async function findReconnected(start: number): Promise<number[]> {
    const rows = await nodes.sql`
      select subject_id from events where account_id = 1 and type = 'operator.connected' and position > ${start}`;
    return rows.map((row) => Number(row.subject_id));
  }
});

/** Failures on a node whose database was up; in the small run that database may have been short of CPU. */
function findFailures({ records }: RequestJournal, probe: LatencyProbe): RequestRecord[] {
  const isStarved = ({ outcome, sentAt, milliseconds }: RequestRecord) =>
    !FULL && outcome === 'unavailable' && probe.maxLatencyMs(sentAt, sentAt + milliseconds) > STARVED_MS;
  return records.filter(
    (record) =>
      record.outcome !== 'done' && !(record.kind === 'login' && record.outcome === 'refused') && !isStarved(record),
  );
}

async function sendMessage(url: string, { id, token }: { id: number; token: string }, clientId: string): Promise<void> {
  const query = `mutation{messageSend(input:{conversationId:${id} clientId:"${clientId}" text:"Hello"}){message{sequence}}}`;
  const response = await fetch(`${url}/visitor/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query }),
  });
  assert.ok(((await response.json()) as { data?: { messageSend: { message: object } } }).data?.messageSend.message);
}

function findOutOfOrder({ name, events }: EventFollower): string[] {
  const positions = events.map(({ position }) => position);
  return positions
    .filter((position, index) => index > 0 && position <= (positions[index - 1] ?? 0))
    .map((position) => `${name} received ${position} out of order`);
}
