import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { graphqlClient, logIn } from '../support/clients/graphql.ts';
import { CREATE_WEBHOOK, startReceiverFor } from '../support/clients/webhook-client.ts';
import {
  createStaff,
  type Nodes,
  type Staff,
  startConversation,
  startNodes,
  waitUntilOffersCanExpire,
} from '../support/nodes/nodes.ts';
import { formatTable } from '../support/nodes/outage.ts';
import { WAIT_TIMEOUT_MS, waitUntil } from '../support/waiting/wait.ts';

const server = process.env.TEST_DATABASE_URL;
const FULL = process.env.FULL === '1';
const MINUTES = FULL ? [0, 5, -5] : [5, -5];
/** From setting an expiry to that expiry. */
const END_DELAY_MS = FULL ? 2500 : 1200;
/** The guaranteed precision plus the duration of a check. */
const MAX_DEVIATION_MS = 1000;
/** The small run adds the duration of some checks on this machine, because the node is busy with other work. */
const SLACK_MS = FULL ? 0 : 350;
const SLACK_CHECKS = FULL ? 0 : 10;
/** Far less than the difference of the clocks, and far longer than any operation takes. */
const MINUTE_MS = 60_000;
const CLOCK_SHIFT_MODULE = new URL('../support/processes/shifted-date.ts', import.meta.url).href;

/** How late something ended on a node; negative if early. */
interface Deviation {
  readonly what: string;
  readonly node: string;
  readonly 'too late by': number;
}

describe('nodes whose clocks are 5 minutes wrong', { skip: server === undefined }, () => {
  let nodes: Nodes;
  let staff: Staff;
  let slowestCheckMs = 0;
  const deviations: Deviation[] = [];

  before(async () => {
    nodes = await startNodes(server ?? '', {
      count: MINUTES.length,
      envForNode: (index) => ({
        NODE_OPTIONS: `--import ${CLOCK_SHIFT_MODULE}`,
        CLOCK_SHIFT_MS: String((MINUTES[index] ?? 0) * 60_000),
      }),
    });
    staff = await createStaff(nodes, 4);
  });
  after(() => nodes?.end());

  test('their clocks really differ', () => {
    const shifts = nodes.all.map((node) => {
      const [time = ''] = node.log().match(/\d{4}-\d\d-\d\dT[\d:.]+Z/) ?? [];
      return 5 * Math.round((Date.parse(time) - Date.now()) / (5 * MINUTE_MS));
    });
    assert.deepEqual(
      shifts.map((shift) => shift + 0),
      MINUTES,
    );
  });

  test('tokens are issued at database time', async () => {
    const [token, session] = await Promise.all([logIn(url(1)), createVisitorToken(2)]);
    const [access] =
      await nodes.sql`select *, now_ms() as now from access_tokens where token_hash = ${hashSecret(token)}`;
    const [visitor] =
      await nodes.sql`select *, now_ms() as now from visitor_tokens where token_hash = ${hashSecret(session)}`;
    for (const [row, seconds] of [
      [access, 43_200],
      [visitor, 86_400],
    ] as const) {
      assert.ok(Math.abs(row?.now - row?.issued_at) < MINUTE_MS);
      assert.equal(row?.expires_at - row?.issued_at, seconds * 1000);
    }
  });

  test('tokens, keys and leases expire on every node by the database clock', async (t) => {
    const { sql } = nodes;
    const token = await logIn(url(1));
    const visitor = await createVisitorToken(2);
    const admin = graphqlClient(url(0), nodes.token);
    const created = await admin.run('mutation{apiKeyCreate(input:{name:"Short" access:READ}){key}}');
    const key = created.data.apiKeyCreate.key as string;
    const [operator] = staff.operators;
    await graphqlClient(url(2), operator?.token ?? '').run(
      'mutation{operatorConnect(input:{ttlSeconds:60}){userErrors{message}}}',
    );
    const end = await chooseEnd();
    await sql`update access_tokens set expires_at = ${end} where token_hash = ${hashSecret(token)}`;
    await sql`update visitor_tokens set expires_at = ${end} where token_hash = ${hashSecret(visitor)}`;
    await sql`update api_keys set expires_at = ${end} where key_hash = ${hashSecret(key)}`;
    await sql`update operator_leases set expires_at = ${end} where operator_id = ${operator?.id ?? 0}`;
    await sql`update operator_live set lease_until = ${end}, routable_until = ${end} where operator_id = ${operator?.id ?? 0}`;
    await Promise.all([
      measureEnd('token', end, async (node) => (await fetchWithToken(`${node}/_authenticated`, token)).status === 200),
      measureEnd(
        'token, GraphQL',
        end,
        async (node) => (await graphqlClient(node, token).run('{account{name}}')).status === 200,
      ),
      measureEnd('visitor token', end, async (node) => (await queryAsVisitor(node, visitor)).status === 200),
      measureEnd(
        'API key',
        end,
        async (node) =>
          (await fetch(`${node}/api/2/operator?limit=1`, { headers: { 'X-API-Key': key } })).status === 200,
      ),
      measureEnd('lease', end, async (node) => {
        const { data } = await graphqlClient(node, nodes.token).run(`{operator(id:${operator?.id}){live{connected}}}`);
        return data.operator.live.connected;
      }),
    ]);
    assertOnTime(t);
  });

  test('login limits, idempotency keys and single sign-on codes expire by the database clock', async (t) => {
    await Promise.all([checkLoginWindow(), checkIdempotencyKey(), checkSsoCodes()]);
    assertOnTime(t);
  });

  test('a webhook is retried once when it is due by the database clock, and signed with its time', async (t) => {
    const { sql } = nodes;
    const receiver = await startReceiverFor(t);
    receiver.respond = () => 500;
    const admin = graphqlClient(url(0), nodes.token);
    await admin.run(CREATE_WEBHOOK, { input: { name: 'Hook', url: receiver.url, eventTypes: ['skill.created'] } });
    await admin.run('mutation{skillCreate(input:{name:"Hooked"}){userErrors{message}}}');
    await receiver.waitUntil(({ received }) => received.length === 1);
    receiver.respond = () => 204;
    await waitUntil(
      'the failure is recorded',
      async () => (await sql`select 1 from webhooks where failed_in_row = 1`).length === 1,
    );
    const end = await chooseEnd();
    await sql`update webhook_deliveries set next_at = ${end}`;
    await receiver.waitUntil(({ received }) => received.length === 2);
    const late = Date.now() - end;
    deviations.push({ what: 'webhook', node: 'any', 'too late by': late });
    const stamp = Number(receiver.received[1]?.headers['x-switchboard-timestamp']);
    assert.ok(Math.abs(stamp * 1000 - Date.now()) < MINUTE_MS, `signed at ${stamp}`);
    for (const [node] of nodes.urls.entries()) {
      const count = receiver.received.length;
      await graphqlClient(url(node), nodes.token).run(
        `mutation{skillCreate(input:{name:"Later ${node}"}){userErrors{message}}}`,
      );
      await receiver.waitUntil(({ received }) => received.length > count); // every node has polled again
    }
    assert.equal(receiver.received.length, 2 + nodes.urls.length, 'and not once per node');
    assertOnTime(t);
  });

  test('an offer expires, and its offer pause ends, by the database clock', async (t) => {
    const { sql } = nodes;
    await waitUntilOffersCanExpire(nodes);
    const [, operator] = staff.operators;
    const desk = graphqlClient(url(1), operator?.token ?? '');
    await desk.run('mutation{operatorConnect(input:{ttlSeconds:120}){userErrors{message}}}');
    const { id } = await startConversation(nodes, url(2), staff, { accept: false });
    const [row] =
      await sql`select state, operator_id, offer_until - offered_at as length, now_ms() - offered_at as age from conversations where id = ${id}`;
    assert.equal(row?.operator_id, operator?.id);
    assert.equal(row?.length, 30_000);
    assert.ok(Math.abs(row?.age) < MINUTE_MS);
    const end = await chooseEnd();
    await sql`update conversations set offer_until = ${end} where id = ${id}`;
    const isInState = (state: string) => async (node: string) =>
      (await graphqlClient(node, nodes.token).run(`{conversation(id:${id}){state}}`)).data.conversation.state === state;
    await measureEnd('offer', end, isInState('OFFERED'));
    const missed = await sql`select chat_missed from operator_live where operator_id = ${operator?.id ?? 0}`;
    assert.equal(missed[0]?.chat_missed, 1, 'the nodes together count one missed offer');
    const events =
      await sql`select changes from events where subject_type = 'conversation' and subject_id = ${id} and type = 'conversation.queued' and changes like '%timed_out%'`;
    assert.equal(events.length, 1, 'and expire it once');
    const pauseEnd = await chooseEnd();
    const paused =
      await sql`update offer_pauses set until = ${pauseEnd} where conversation_id = ${id} returning operator_id`;
    assert.equal(paused.length, 1);
    await measureEnd('offer pause', pauseEnd, isInState('QUEUED'));
    await desk.run(`mutation{operatorDisconnect(input:{id:${operator?.id}}){userErrors{message}}}`);
    assertOnTime(t);
  });

  /** Ten attempts across all nodes; then none is admitted until the first is a minute old. */
  async function checkLoginWindow(): Promise<void> {
    const { sql } = nodes;
    const username = 'limited@example.com';
    const attempt = async (node: number) => {
      const body = new URLSearchParams({ grant_type: 'password', username, password: '?' });
      const response = await fetch(`${url(node)}/oauth2/token`, {
        method: 'POST',
        body,
        headers: { 'X-Forwarded-For': '10.1.1.1' },
      });
      return response.status;
    };
    const statuses = await Promise.all(Array.from({ length: 12 }, (_, index) => attempt(index)));
    assert.equal(statuses.filter((status) => status === 400).length, 10);
    const end = await chooseEnd();
    await sql`update rate_windows set attempts = ${JSON.stringify(Array.from({ length: 10 }, () => end - 60_000))} where subject like 'user %' and attempts <> '[]' and json_array_length(attempts::json) = 10`;
    await measureEnd('login limit', end, async (node) => (await attempt(nodes.urls.indexOf(node))) === 429);
  }

  /** A different request with the same key is rejected while the key is retained, which is a day. */
  async function checkIdempotencyKey(): Promise<void> {
    const { sql } = nodes;
    const write = (node: string, pseudo: string) =>
      fetch(`${node}/api/2/operator/${staff.operators[3]?.id}`, {
        method: 'PUT',
        headers: {
          'X-API-Key': nodes.all[0]?.key ?? '',
          'Content-Type': 'application/json',
          'Idempotency-Key': 'clock',
        },
        body: JSON.stringify({ pseudo }),
      });
    assert.equal((await write(url(1), 'first')).status, 200);
    const end = await chooseEnd();
    await sql`update idempotency_keys set created_at = ${end - 86_400_000}`;
    await measureEnd('idempotency key', end, async (node) => (await write(node, 'other')).status === 422);
  }

  /** A code is valid once: each node redeems one before the expiry and one after it. */
  async function checkSsoCodes(): Promise<void> {
    const { sql } = nodes;
    const { data } = await graphqlClient(url(0), nodes.token).run(`{operator(id:${staff.operators[2]?.id}){ssoKey}}`);
    const codes: string[] = [];
    const nodeIndexes = MINUTES.map((_, node) => node);
    for (const node of [...nodeIndexes, ...nodeIndexes]) {
      const response = await fetch(`${url(node)}/admin/login?key=${data.operator.ssoKey}`, { redirect: 'manual' });
      codes.push(new URL(response.headers.get('location') ?? '', url(0)).hash.match(/code=([\w-]+)/)?.[1] ?? '');
    }
    const exchange = async (code: string | undefined, node: number) =>
      (await fetch(`${url(node)}/admin/session`, { method: 'POST', body: new URLSearchParams({ code: code ?? '' }) }))
        .status;
    const statuses = (first: number) => Promise.all(nodeIndexes.map((node) => exchange(codes[first + node], node)));
    await sql`update sso_codes set expires_at = now_ms() + ${FULL ? MAX_DEVIATION_MS : MINUTE_MS}`;
    assert.deepEqual(new Set(await statuses(0)), new Set([200]));
    await sql`update sso_codes set expires_at = now_ms()`;
    assert.deepEqual(new Set(await statuses(MINUTES.length)), new Set([400]));
  }

  /** A time soon, by the database's clock, which is the same as this process's clock. */
  async function chooseEnd(): Promise<number> {
    const before = Date.now();
    const [row] = await nodes.sql`select now_ms() as now`;
    assert.ok(row?.now > before - 100 && row?.now < Date.now() + 100, 'the database is on this machine');
    return Number(row?.now) + END_DELAY_MS;
  }

  /** Polls every node until something has ended there, and records the deviation. */
  async function measureEnd(what: string, end: number, isActive: (url: string) => Promise<boolean>): Promise<void> {
    await Promise.all(
      nodes.urls.map(async (node, index) => {
        for (;;) {
          const startedAt = Date.now();
          const isOver = !(await isActive(node));
          slowestCheckMs = Math.max(slowestCheckMs, Date.now() - startedAt);
          if (isOver) {
            const at = startedAt < end ? Date.now() : startedAt; // a check in flight at the end may see either state
            deviations.push({ what, node: formatShift(MINUTES[index] ?? 0), 'too late by': at - end });
            return;
          }
          if (startedAt > end + WAIT_TIMEOUT_MS) throw new Error(`${what} does not expire on node ${index}`);
          await setTimeout(40);
        }
      }),
    );
  }

  function assertOnTime(t: { diagnostic(text: string): void }): void {
    const rows = deviations.splice(0);
    const latest = MAX_DEVIATION_MS + SLACK_MS + SLACK_CHECKS * slowestCheckMs;
    t.diagnostic(`times in ms, slowest check ${slowestCheckMs}\n${formatTable(rows)}`);
    for (const row of rows) {
      const late = row['too late by'];
      assert.ok(late > -100 && late < latest, `${row.what} on the node at ${row.node}: ${late} ms`);
    }
  }

  function url(node: number): string {
    return nodes.urls[node % nodes.urls.length] ?? '';
  }

  async function createVisitorToken(node: number): Promise<string> {
    const response = await fetch(`${url(node)}/visitor/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ websiteId: staff.website }),
    });
    return ((await response.json()) as { token: string }).token;
  }
});

function queryAsVisitor(node: string, token: string): Promise<Response> {
  return fetch(`${node}/visitor/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: '{__typename}' }),
  });
}

function fetchWithToken(address: string, token: string): Promise<Response> {
  return fetch(address, { headers: { Authorization: `Bearer ${token}` } });
}

function formatShift(minutes: number): string {
  return `${minutes > 0 ? '+' : ''}${minutes} min`;
}

/** As the service stores secrets. */
function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
