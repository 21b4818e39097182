import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { graphqlClient, logIn } from '../support/clients/graphql.ts';
import { CREATE_WEBHOOK, receiverFor } from '../support/clients/webhook-client.ts';
import { makeStaff, type Nodes, type Staff, startNodes, startTalk, untilSighted } from '../support/nodes/nodes.ts';
import { tableOf } from '../support/nodes/outage.ts';
import { PATIENCE_MS, until } from '../support/waiting/until.ts';

const server = process.env.TEST_DATABASE_URL;
const FULL = process.env.FULL === '1';
const MINUTES = FULL ? [0, 5, -5] : [5, -5];
/** From the moment at which the test sets an end to that end. */
const SOON_MS = FULL ? 2500 : 1200;
/** What the service promises, and the length of a look. */
const EXACT_MS = 1000;
/** The small run compares with how long looks take on this machine: what a node does meanwhile takes some of them. */
const SLACK_MS = FULL ? 0 : 350;
const STEPS = FULL ? 0 : 10;
/** Far less than the clocks are apart, and far more than anything takes. */
const MINUTE_MS = 60_000;
const PRELOAD = new URL('../support/processes/shifted-date.ts', import.meta.url).href;

/** How much too late something ended on a node, or too early where it is negative. */
interface Ended {
  readonly what: string;
  readonly node: string;
  readonly 'too late by': number;
}

describe('nodes whose clocks are 5 minutes wrong', { skip: server === undefined }, () => {
  let nodes: Nodes;
  let staff: Staff;
  let slowestLook = 0;
  const table: Ended[] = [];

  before(async () => {
    nodes = await startNodes(server ?? '', {
      count: MINUTES.length,
      envOf: (index) => ({
        NODE_OPTIONS: `--import ${PRELOAD}`,
        CLOCK_SHIFT_MS: String((MINUTES[index] ?? 0) * 60_000),
      }),
    });
    staff = await makeStaff(nodes, 4);
  });
  after(() => nodes?.end());

  test('their clocks are really apart', () => {
    const shifts = nodes.all.map((node) => {
      const [time = ''] = node.log().match(/\d{4}-\d\d-\d\dT[\d:.]+Z/) ?? [];
      return 5 * Math.round((Date.parse(time) - Date.now()) / (5 * MINUTE_MS));
    });
    assert.deepEqual(
      shifts.map((shift) => shift + 0),
      MINUTES,
    );
  });

  test('nothing begins at the time of a node', async () => {
    const [token, session] = await Promise.all([logIn(url(1)), visitorToken(2)]);
    const [access] = await nodes.sql`select *, now_ms() as now from access_tokens where token_hash = ${digest(token)}`;
    const [visitor] =
      await nodes.sql`select *, now_ms() as now from visitor_tokens where token_hash = ${digest(session)}`;
    for (const [row, seconds] of [
      [access, 43_200],
      [visitor, 86_400],
    ] as const) {
      assert.ok(Math.abs(row?.now - row?.issued_at) < MINUTE_MS);
      assert.equal(row?.expires_at - row?.issued_at, seconds * 1000);
    }
  });

  test('tokens, keys and leases end on every node at the time of the database', async (t) => {
    const { sql } = nodes;
    const token = await logIn(url(1));
    const visitor = await visitorToken(2);
    const admin = graphqlClient(url(0), nodes.token);
    const made = await admin.run('mutation{apiKeyCreate(input:{name:"Short" access:READ}){key}}');
    const key = made.data.apiKeyCreate.key as string;
    const [operator] = staff.operators;
    await graphqlClient(url(2), operator?.token ?? '').run(
      'mutation{operatorConnect(input:{ttlSeconds:60}){userErrors{message}}}',
    );
    const end = await ending();
    await sql`update access_tokens set expires_at = ${end} where token_hash = ${digest(token)}`;
    await sql`update visitor_tokens set expires_at = ${end} where token_hash = ${digest(visitor)}`;
    await sql`update api_keys set expires_at = ${end} where key_hash = ${digest(key)}`;
    await sql`update operator_leases set expires_at = ${end} where operator_id = ${operator?.id ?? 0}`;
    await sql`update operator_live set lease_until = ${end}, routable_until = ${end} where operator_id = ${operator?.id ?? 0}`;
    await Promise.all([
      watchEnd('token', end, async (node) => (await bearer(`${node}/_authenticated`, token)).status === 200),
      watchEnd(
        'token, GraphQL',
        end,
        async (node) => (await graphqlClient(node, token).run('{account{name}}')).status === 200,
      ),
      watchEnd('visitor token', end, async (node) => (await visitorAsks(node, visitor)).status === 200),
      watchEnd(
        'API key',
        end,
        async (node) =>
          (await fetch(`${node}/api/2/operator?limit=1`, { headers: { 'X-API-Key': key } })).status === 200,
      ),
      watchEnd('lease', end, async (node) => {
        const { data } = await graphqlClient(node, nodes.token).run(`{operator(id:${operator?.id}){live{connected}}}`);
        return data.operator.live.connected;
      }),
    ]);
    exact(t);
  });

  test('the window of login limits, a kept idempotency key and a single sign-on code end at the time of the database', async (t) => {
    await Promise.all([loginWindow(), idempotencyKey(), ssoCodes()]);
    exact(t);
  });

  test('a webhook is sent again when it is due by the database, once, and signed with its time', async (t) => {
    const { sql } = nodes;
    const receiver = await receiverFor(t);
    receiver.answer = () => 500;
    const admin = graphqlClient(url(0), nodes.token);
    await admin.run(CREATE_WEBHOOK, { input: { name: 'Hook', url: receiver.url, eventTypes: ['skill.created'] } });
    await admin.run('mutation{skillCreate(input:{name:"Hooked"}){userErrors{message}}}');
    await receiver.until(({ received }) => received.length === 1);
    receiver.answer = () => 204;
    await until(
      'its failure is written down',
      async () => (await sql`select 1 from webhooks where failed_in_row = 1`).length === 1,
    );
    const end = await ending();
    await sql`update webhook_deliveries set next_at = ${end}`;
    await receiver.until(({ received }) => received.length === 2);
    const late = Date.now() - end;
    table.push({ what: 'webhook', node: 'any', 'too late by': late });
    const stamp = Number(receiver.received[1]?.headers['x-switchboard-timestamp']);
    assert.ok(Math.abs(stamp * 1000 - Date.now()) < MINUTE_MS, `signed at ${stamp}`);
    for (const [node] of nodes.urls.entries()) {
      const count = receiver.received.length;
      await graphqlClient(url(node), nodes.token).run(
        `mutation{skillCreate(input:{name:"Later ${node}"}){userErrors{message}}}`,
      );
      await receiver.until(({ received }) => received.length > count); // every node has looked again
    }
    assert.equal(receiver.received.length, 2 + nodes.urls.length, 'and not by each of the nodes');
    exact(t);
  });

  test('an offer times out, and its pause ends, at the time of the database', async (t) => {
    const { sql } = nodes;
    await untilSighted(nodes);
    const [, operator] = staff.operators;
    const desk = graphqlClient(url(1), operator?.token ?? '');
    await desk.run('mutation{operatorConnect(input:{ttlSeconds:120}){userErrors{message}}}');
    const { id } = await startTalk(nodes, url(2), staff, { accept: false });
    const [row] =
      await sql`select state, operator_id, offer_until - offered_at as length, now_ms() - offered_at as age from conversations where id = ${id}`;
    assert.equal(row?.operator_id, operator?.id);
    assert.equal(row?.length, 30_000);
    assert.ok(Math.abs(row?.age) < MINUTE_MS);
    const end = await ending();
    await sql`update conversations set offer_until = ${end} where id = ${id}`;
    const isIn = (state: string) => async (node: string) =>
      (await graphqlClient(node, nodes.token).run(`{conversation(id:${id}){state}}`)).data.conversation.state === state;
    await watchEnd('offer', end, isIn('OFFERED'));
    const missed = await sql`select chat_missed from operator_live where operator_id = ${operator?.id ?? 0}`;
    assert.equal(missed[0]?.chat_missed, 1, 'all nodes count one offer once');
    const events =
      await sql`select changes from events where subject_type = 'conversation' and subject_id = ${id} and type = 'conversation.queued' and changes like '%timed_out%'`;
    assert.equal(events.length, 1, 'and end it once');
    const pauseEnd = await ending();
    const paused =
      await sql`update offer_pauses set until = ${pauseEnd} where conversation_id = ${id} returning operator_id`;
    assert.equal(paused.length, 1);
    await watchEnd('pause after an offer', pauseEnd, isIn('QUEUED'));
    await desk.run(`mutation{operatorDisconnect(input:{id:${operator?.id}}){userErrors{message}}}`);
    exact(t);
  });

  /** Ten tries over all nodes; then no try before the first of them is a minute old. */
  async function loginWindow(): Promise<void> {
    const { sql } = nodes;
    const username = 'limited@example.com';
    const attempt = async (node: number) => {
      const body = new URLSearchParams({ grant_type: 'password', username, password: '?' });
      const answer = await fetch(`${url(node)}/oauth2/token`, {
        method: 'POST',
        body,
        headers: { 'X-Forwarded-For': '10.1.1.1' },
      });
      return answer.status;
    };
    const statuses = await Promise.all(Array.from({ length: 12 }, (_, index) => attempt(index)));
    assert.equal(statuses.filter((status) => status === 400).length, 10);
    const end = await ending();
    await sql`update rate_windows set attempts = ${JSON.stringify(Array.from({ length: 10 }, () => end - 60_000))} where subject like 'user %' and attempts <> '[]' and json_array_length(attempts::json) = 10`;
    await watchEnd('login limit', end, async (node) => (await attempt(nodes.urls.indexOf(node))) === 429);
  }

  /** Another request under the same key is refused as long as the key is kept, which is a day. */
  async function idempotencyKey(): Promise<void> {
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
    const end = await ending();
    await sql`update idempotency_keys set created_at = ${end - 86_400_000}`;
    await watchEnd('idempotency key', end, async (node) => (await write(node, 'other')).status === 422);
  }

  /** A code is good once: one of each node comes before the end, another after it. */
  async function ssoCodes(): Promise<void> {
    const { sql } = nodes;
    const { data } = await graphqlClient(url(0), nodes.token).run(`{operator(id:${staff.operators[2]?.id}){ssoKey}}`);
    const codes: string[] = [];
    const each = MINUTES.map((_, node) => node);
    for (const node of [...each, ...each]) {
      const answer = await fetch(`${url(node)}/admin/login?key=${data.operator.ssoKey}`, { redirect: 'manual' });
      codes.push(new URL(answer.headers.get('location') ?? '', url(0)).hash.slice('#code='.length));
    }
    const exchange = async (code: string | undefined, node: number) =>
      (await fetch(`${url(node)}/admin/session`, { method: 'POST', body: new URLSearchParams({ code: code ?? '' }) }))
        .status;
    const statuses = (first: number) => Promise.all(each.map((node) => exchange(codes[first + node], node)));
    await sql`update sso_codes set expires_at = now_ms() + ${FULL ? EXACT_MS : MINUTE_MS}`;
    assert.deepEqual(new Set(await statuses(0)), new Set([200]));
    await sql`update sso_codes set expires_at = now_ms()`;
    assert.deepEqual(new Set(await statuses(MINUTES.length)), new Set([400]));
  }

  /** A moment that is near, by the clock of the database, which is that of this process. */
  async function ending(): Promise<number> {
    const before = Date.now();
    const [row] = await nodes.sql`select now_ms() as now`;
    assert.ok(row?.now > before - 100 && row?.now < Date.now() + 100, 'the database is on this machine');
    return Number(row?.now) + SOON_MS;
  }

  /** Looks through every node until something is over there, and notes by how much that was too late. */
  async function watchEnd(what: string, end: number, holds: (url: string) => Promise<boolean>): Promise<void> {
    await Promise.all(
      nodes.urls.map(async (node, index) => {
        for (;;) {
          const asked = Date.now();
          const isOver = !(await holds(node));
          slowestLook = Math.max(slowestLook, Date.now() - asked);
          if (isOver) {
            const at = asked < end ? Date.now() : asked; // one that was under way at the end may see either
            table.push({ what, node: nameOf(MINUTES[index] ?? 0), 'too late by': at - end });
            return;
          }
          if (asked > end + PATIENCE_MS) throw new Error(`${what} does not end on node ${index}`);
          await setTimeout(40);
        }
      }),
    );
  }

  function exact(t: { diagnostic(text: string): void }): void {
    const rows = table.splice(0);
    const latest = EXACT_MS + SLACK_MS + STEPS * slowestLook;
    t.diagnostic(`times in ms, the slowest look ${slowestLook}\n${tableOf(rows)}`);
    for (const row of rows) {
      const late = row['too late by'];
      assert.ok(late > -100 && late < latest, `${row.what} on the node at ${row.node}: ${late} ms`);
    }
  }

  function url(node: number): string {
    return nodes.urls[node % nodes.urls.length] ?? '';
  }

  async function visitorToken(node: number): Promise<string> {
    const answer = await fetch(`${url(node)}/visitor/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ websiteId: staff.website }),
    });
    return ((await answer.json()) as { token: string }).token;
  }
});

function visitorAsks(node: string, token: string): Promise<Response> {
  return fetch(`${node}/visitor/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: '{__typename}' }),
  });
}

function bearer(address: string, token: string): Promise<Response> {
  return fetch(address, { headers: { Authorization: `Bearer ${token}` } });
}

function nameOf(minutes: number): string {
  return `${minutes > 0 ? '+' : ''}${minutes} min`;
}

/** As the service keeps secrets. */
function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
