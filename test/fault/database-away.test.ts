import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { graphqlClient } from '../support/clients/graphql.ts';
import { type PostgresServer, startPostgres } from '../support/databases/postgres-server.ts';
import { type Following, follow } from '../support/load/following.ts';
import { startLoad, type VisitorTalk } from '../support/load/steady-load.ts';
import {
  eventPosition,
  makeStaff,
  type Nodes,
  type Staff,
  startNodes,
  startTalk,
  untilRounds,
} from '../support/nodes/nodes.ts';
import {
  brokenPromises,
  maximum,
  missedBy,
  type Outage,
  outageRows,
  slowestByNode,
  sum,
  tableOf,
} from '../support/nodes/outage.ts';
import { until } from '../support/waiting/until.ts';

const FULL = process.env.FULL === '1';
/** What the service promises, looked at in the full run on a quiet machine. What this process itself stood still is not the service's. */
const SLOWEST_MS = 1000;
const RECOVERY_MS = 2000;
/** A desk renews every 15 s: in the full run each of them has had its turn. */
const AFTERWARDS_MS = 33_000;
/** Leases and the offer end so soon after the outage has begun, by the clock of the database. */
const END_EARLY_MS = 1000;
const NODES = FULL ? 3 : 2;

interface Fault {
  readonly name: string;
  begin(server: PostgresServer): Promise<void> | void;
  end(server: PostgresServer): Promise<void> | void;
}

const FULL_MS = 10_000;

const FAULTS: readonly Fault[] = [
  {
    name: 'stopped',
    begin: (server) => server.shutDown('immediate'),
    end: (server) => server.startAgain(),
  },
  { name: 'frozen', begin: (server) => server.freeze(), end: (server) => server.thaw() },
];

describe('the database is away', () => {
  let server: PostgresServer;
  let nodes: Nodes;
  let staff: Staff;
  let talks: VisitorTalk[];

  before(async () => {
    server = await startPostgres({ durable: true });
    nodes = await startNodes(server.url, { count: NODES });
    staff = await makeStaff(nodes, 2 * NODES);
  });
  after(async () => {
    server.thaw();
    await nodes?.end();
    await server.stop();
  });

  for (const fault of FAULTS) {
    test(`${fault.name}: 503 in time, nothing lost, nothing done twice, and all goes on by itself`, async (t) => {
      const { sql } = nodes;
      const start = await eventPosition(nodes);
      const desks = nodes.urls.map((_, node) => desk(node, start));
      t.after(() => Promise.all(desks.map((each) => each.stop())));
      await until('all desks are connected', async () => (await connected(nodes)) === NODES);
      talks = await Promise.all(nodes.urls.map((url) => startTalk(nodes, url, staff)));
      const watching = talks.map(({ id }, node) => watch(id, node, start));
      t.after(() => Promise.all(watching.map((each) => each.stop())));
      const waiting = await startTalk(nodes, nodes.urls[0] ?? '', staff, { accept: false });
      const stalls = monitorEventLoopDelay();
      stalls.enable();
      const load = startLoad(nodes, staff, talks);
      t.after(() => load.stop());
      const probes = probe(nodes);
      t.after(() => probes.stop());
      await load.rounds(1);

      await endEarly(nodes, waiting.id, END_EARLY_MS);
      const missedBefore = await missed(nodes);
      const from = performance.now();
      await fault.begin(server);
      const gone = performance.now();
      await setTimeout(FULL ? FULL_MS : END_EARLY_MS);
      await load.allRefusedSince(gone);
      const returning = performance.now();
      await fault.end(server);
      const outage: Outage = { from, gone, returning, to: performance.now() };
      await untilRounds(nodes, 2);
      const missedMeanwhile = (await missed(nodes)) - missedBefore; // later ones could have been answered
      await load.rounds(1);
      await until('every node is ready again', probes.areReady);
      if (FULL) await setTimeout(AFTERWARDS_MS);
      await load.stop();
      await probes.stop();
      const missing = async () =>
        (await Promise.all(watching.map((each, node) => missedBy(sql, each, talks[node]?.id ?? 0, start)))).flat();
      await until('those who watch have seen everything', async () => (await missing()).length === 0);
      await Promise.all([...desks, ...watching].map((each) => each.stop()));

      const rows = outageRows(load.journal.asked, outage);
      t.diagnostic(
        `PostgreSQL ${fault.name} for ${Math.round(outage.to - outage.from)} ms, times in ms\n${tableOf(rows)}`,
      );
      const offline = await sql`
        select subject_id from events where account_id = 1 and type = 'operator.disconnected' and position > ${start}
          and at > (select min(at) from events where position > ${start})`;
      const problems = [
        ...nodes.all.flatMap(lastWords),
        ...(await brokenPromises(sql, load.ledger)),
        ...(await missing()),
        ...offline.map((row) => `operator ${row.subject_id} was thrown offline`),
        ...(await offeredTwice(nodes, start)),
        ...desks.flatMap(({ name, seen }) =>
          outOfOrder(
            name,
            seen.map((event) => event.position),
          ),
        ),
        ...probes.problems(outage),
      ];
      const ends = [...desks, ...watching].flatMap((each) => each.ends.filter((how) => how !== 'stopped'));
      const [slowest, recovery] = [maximum(rows, 'slowest'), maximum(rows, 'recovery')];
      t.diagnostic(
        tableOf([
          {
            fault: fault.name,
            'slowest answer': slowest,
            'by the node': slowestByNode(nodes.all),
            'own stall': stalls.max / 1e6,
            recovery,
            requests: load.journal.asked.length,
            '503': sum(rows, 'unavailable'),
            'wrong 2xx': sum(rows, 'wronglyDone'),
            'no answer': sum(rows, 'silent'),
            'unclear writes': load.ledger.skills.unclear.length,
            events: watching.reduce((count, { seen }) => count + seen.length, 0),
            'streams ended': ends.length,
            problems: problems.length,
          },
        ]),
      );
      if (ends.length > 0) t.diagnostic(`streams ended: ${ends.join('; ')}`);
      assert.deepEqual(problems, []);
      assert.equal(sum(rows, 'wronglyDone'), 0, 'nobody can have been served by a database that was away');
      assert.equal(sum(rows, 'silent'), 0, 'every request was answered');
      assert.equal(sum(rows, 'other'), 0, 'no other error than 503');
      assert.equal(sum(rows, 'partly'), 0, 'GraphQL says 503 too');
      assert.equal(sum(rows, 'withoutRetryAfter'), 0);
      assert.ok(
        rows.every(({ kind, unavailable, after }) => after > 0 && (unavailable > 0 || kind === 'GraphQL read')),
        'every kind met the outage',
      );
      if (FULL) {
        assert.ok(slowest < SLOWEST_MS + stalls.max / 1e6, `the slowest answer took ${slowest} ms`);
        assert.ok(recovery < RECOVERY_MS, `there were failures for ${recovery} ms after it was back`);
      }
      assert.deepEqual(
        // One that is opened at that moment is told so, or sent elsewhere; what it missed it gets afterwards.
        ends.filter((how) => !how.startsWith('closed 1013') && !how.includes('"UNAVAILABLE"')),
        [],
        'a subscription stays open, or is told to come again',
      );
      assert.equal(missedMeanwhile, 0, 'nobody could have answered the offer that ran out');
      const { code, stdout } = await (nodes.all[0] as Nodes['all'][number]).command(['doctor']);
      assert.equal(code, 0, stdout);
      await closeAll();
    });
  }

  /** The desk of an operator, connected to one node and never to another. */
  function desk(node: number, from: number): Following {
    const { token } = staff.operators[node] as Staff['operators'][number];
    const query = 'subscription($after:ID){deskEvents(after:$after){position type}}';
    const urls = [nodes.urls[node] ?? ''];
    return follow({ name: `desk ${node}`, urls, path: '/graphql', token, query, after: from });
  }

  function watch(conversation: number, node: number, from: number): Following {
    const query = `subscription($after:ID){conversationEvents(id:${conversation} after:$after){position type}}`;
    const urls = [nodes.urls[(node + 1) % NODES] ?? ''];
    return follow({ name: `watcher ${node}`, urls, path: '/graphql', token: nodes.token, query, after: from });
  }

  async function closeAll(): Promise<void> {
    await nodes.sql`select 1`;
    const open = await nodes.sql`select id from conversations where account_id = 1 and state <> 'closed'`;
    const admin = graphqlClient(nodes.urls[0] ?? '', nodes.token);
    for (const { id } of open) await admin.run(`mutation{conversationClose(input:{id:${id}}){userErrors{message}}}`);
  }
});

async function connected({ sql }: Nodes): Promise<number> {
  const [row] = await sql`select count(*) as count from operator_live where routable_until > now_ms()`;
  return Number(row?.count);
}

/** As if the outage were longer than a lease and an offer: both run out while nobody can renew or answer. */
async function endEarly({ sql }: Nodes, conversation: number, milliseconds: number): Promise<void> {
  await sql`update operator_leases set expires_at = now_ms() + ${milliseconds} where in_grace = 0`;
  await sql`
    update operator_live set lease_until = now_ms() + ${milliseconds}, routable_until = now_ms() + ${milliseconds}
    where routable_until > now_ms()`;
  await sql`update conversations set offer_until = now_ms() + ${milliseconds} where id = ${conversation} and state = 'offered'`;
}

async function missed({ sql }: Nodes): Promise<number> {
  const [row] = await sql`select sum(chat_missed) as count from operator_live`;
  return Number(row?.count);
}

/** An offer ends once, and a conversation is offered to one at a time. */
async function offeredTwice({ sql }: Nodes, start: number): Promise<string[]> {
  const rows = await sql`
    select subject_id, type, changes from events
    where account_id = 1 and position > ${start} and type in ('conversation.offered', 'conversation.queued', 'conversation.started')
    order by subject_id, position`;
  const problems: string[] = [];
  for (const [index, row] of rows.entries()) {
    const earlier = rows[index - 1];
    if (earlier?.subject_id === row.subject_id && earlier?.type === row.type)
      problems.push(
        `conversation ${row.subject_id}: ${row.type} twice in a row, ${earlier?.changes} and ${row.changes}`,
      );
  }
  return problems;
}

/** Of a node that did not live through it. */
function lastWords({ process, log }: Nodes['all'][number]): string[] {
  return process.exitCode === null && process.signalCode === null
    ? []
    : [`a node ended with ${process.exitCode}: ${log().slice(-3000)}`];
}

function outOfOrder(name: string, positions: readonly number[]): string[] {
  const wrong = positions.filter((each, index) => index > 0 && each <= (positions[index - 1] ?? 0));
  return wrong.map((each) => `${name} saw ${each} out of order`);
}

/** Alive all the time, and ready when the database is. */
function probe({ urls }: Nodes) {
  const seen: { url: string; path: string; at: number; answeredAt: number; status: number }[] = [];
  let stopped = false;
  const running = urls.flatMap((url) =>
    ['/_health', '/_ready'].map(async (path) => {
      while (!stopped) {
        const at = performance.now();
        const status = await fetch(`${url}${path}`).then(
          (response) => response.status,
          () => 0,
        );
        seen.push({ url, path, at, answeredAt: performance.now(), status });
        await setTimeout(200);
      }
    }),
  );
  return {
    stop: async () => {
      stopped = true;
      await Promise.all(running);
    },
    areReady: () =>
      urls.every((url) => seen.findLast((each) => each.url === url && each.path === '/_ready')?.status === 200),
    problems: ({ gone, returning, to }: Outage) =>
      seen
        .filter(({ path, at, answeredAt, status }) =>
          path === '/_health'
            ? status !== 200
            : (at > gone && answeredAt < returning && status !== 503) ||
              (FULL && at > to + RECOVERY_MS && status !== 200),
        )
        .map(({ path, at, status }) => `${path} said ${status}, ${Math.round(at - to)} ms after the end of the outage`),
  };
}
