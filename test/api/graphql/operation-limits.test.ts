import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { OPERATION_LIMITS } from '../../../src/api/graphql-server/operation-queue.ts';
import { type DeskOperator, type Desks, startDesks } from '../../support/fixtures/desks.ts';
import { WAIT_TIMEOUT_MS, waitUntil } from '../../support/waiting/wait.ts';

const { operator: OPERATOR, visitor: VISITOR } = OPERATION_LIMITS;
const UPDATE = 'mutation{accountUpdate(input:{offerSeconds:40}){userErrors{message}}}';
const START = 'mutation{conversationStart(input:{channel:CHAT}){userErrors{message}}}';

let desks: Desks;
before(async () => {
  const noLimits = {
    SWITCHBOARD_VISITOR_STARTS_PER_MINUTE: '0',
    SWITCHBOARD_VISITOR_ADDRESS_STARTS_PER_MINUTE: '0',
  };
  // A flood delays the client's pongs and its close frame, and lasts longer on a busy machine.
  desks = await startDesks(noLimits, {
    closeMs: WAIT_TIMEOUT_MS,
    pingIntervalMs: WAIT_TIMEOUT_MS,
    refusalPeriodMs: WAIT_TIMEOUT_MS,
  });
});
after(() => desks.stop());

interface Answer {
  readonly id?: string;
  readonly type: string;
  readonly payload?: readonly {
    readonly message: string;
    readonly extensions: { readonly code: string; readonly retryAfterSeconds?: number };
  }[];
}

class Connection {
  readonly answers: Answer[] = [];
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  #sent = 0;

  constructor(token: string, path = '/graphql') {
    this.#socket = new WebSocket(`${desks.url.replace(/^http/, 'ws')}${path}`, 'graphql-transport-ws');
    this.#socket.on('message', (data) => this.answers.push(JSON.parse(String(data))));
    this.#socket.once('open', () => {
      this.#socket.send(JSON.stringify({ type: 'connection_init', payload: { token } }));
    });
    this.closed = new Promise((resolve) => this.#socket.once('close', resolve));
  }

  /** Sends operations without waiting for their results. */
  async send(query: string, count: number): Promise<void> {
    await waitUntil('the connection is accepted', () => this.answers.length > 0);
    for (let n = 0; n < count; n += 1) {
      this.#sent += 1;
      this.#socket.send(JSON.stringify({ type: 'subscribe', id: `${this.#sent}`, payload: { query } }));
    }
  }

  count(type: string): number {
    return this.answers.filter((answer) => answer.type === type).length;
  }

  findErrors(): readonly Answer[] {
    return this.answers.filter(({ type }) => type === 'error');
  }

  end(): void {
    this.#socket.close();
  }
}

/** While `work` runs, no write can finish: it holds the row that every write of the account needs. */
function whileWritesWait(work: () => Promise<void>): Promise<void> {
  return desks.fixture.transact(async (tx) => {
    await tx.db.updateTable('accounts').set({ offerSeconds: 41 }).execute();
    await work();
  });
}

const createAdmin = (): Promise<DeskOperator> => desks.createOperator({ roles: ['admin'] });

async function createVisitorToken(): Promise<string> {
  const response = await fetch(`${desks.url}/visitor/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ websiteId: desks.fixture.websiteId }),
  });
  return ((await response.json()) as { token: string }).token;
}

async function post(path: string, token: string, query: string) {
  const response = await fetch(`${desks.url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  return { status: response.status, headers: response.headers, body: (await response.json()) as any };
}

for (const [who, path, query, limits, createToken] of [
  ['an operator', '/graphql', UPDATE, OPERATOR, async () => (await createAdmin()).token],
  ['a visitor', '/visitor/graphql', START, VISITOR, createVisitorToken],
] as const) {
  test(`${who} has a limited number of operations in flight, over HTTP and all connections together`, async () => {
    const token = await createToken();
    const [first, second] = [new Connection(token, path), new Connection(token, path)];
    const half = (limits.running + limits.waiting) / 2;
    const others = await desks.createOperator();
    await whileWritesWait(async () => {
      await first.send(query, half);
      await second.send(query, half + 3);
      await waitUntil('three operations are refused', () => first.count('error') + second.count('error') === 3);
      for (const { payload } of [...first.findErrors(), ...second.findErrors()]) {
        assert.equal(payload?.[0]?.extensions.code, 'RATE_LIMITED');
        assert.equal(payload?.[0]?.extensions.retryAfterSeconds, 1);
        assert.match(payload?.[0]?.message ?? '', new RegExp(`at most ${2 * half} operations`));
      }
      const { status, headers, body } = await post(path, token, 'this is not even { GraphQL');
      assert.equal(status, 429);
      assert.equal(headers.get('retry-after'), '1');
      assert.match(headers.get('content-type') ?? '', /^application\/json/);
      assert.equal(body.errors[0].extensions.code, 'RATE_LIMITED');
      const { data } = await others.run('{viewer{id}}');
      assert.equal(data.viewer.id, String(others.id), 'other callers are not limited');
    });
    await waitUntil(
      'every other operation completes',
      () => first.count('complete') + second.count('complete') === 2 * half,
    );
    assert.equal((await post(path, token, '{__typename}')).status, 200, 'nothing counts any more');
    first.end();
    second.end();
  });

  test(`operations of ${who} over HTTP count too, and wait for their turn`, async () => {
    const token = await createToken();
    const inFlight = limits.running + limits.waiting;
    let responses: ReturnType<typeof post>[] = [];
    let refusedCount = 0;
    await whileWritesWait(async () => {
      responses = Array.from({ length: inFlight + 2 }, async () => {
        const response = await post(path, token, query);
        if (response.status === 429) refusedCount += 1;
        return response;
      });
      await waitUntil('two operations are refused', () => refusedCount === 2);
      const connection = new Connection(token, path);
      await connection.send('{__typename}', 1);
      await waitUntil('an operation on a connection is refused too', () => connection.count('error') === 1);
      connection.end();
    });
    const answers = await Promise.all(responses);
    assert.deepEqual(
      answers.filter(({ status }) => status !== 200 && status !== 429),
      [],
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, inFlight);
  });

  test(`${who} has a limited number of subscriptions, on all connections together`, async () => {
    const token = await createToken();
    const connections = [new Connection(token, path), new Connection(token, path)];
    const subscription =
      path === '/graphql' ? 'subscription{operatorLive{id}}' : await buildConversationSubscription(token);
    const [first, second] = connections as [Connection, Connection];
    for (let opened = 0; opened < limits.subscriptions; opened += 10) {
      const connection = opened % 20 === 0 ? first : second;
      await connection.send(subscription, 10);
      await connection.send('{__typename}', 1); // ends after the subscriptions before it have started
      const queries = opened % 20 === 0 ? Math.ceil((opened + 10) / 20) : Math.ceil(opened / 20);
      await waitUntil('the subscriptions have started', () => connection.count('complete') === queries);
    }
    assert.deepEqual([...first.findErrors(), ...second.findErrors()], []);
    await second.send(subscription, 1);
    await waitUntil('one more is refused', () => second.count('error') === 1);
    const [{ payload } = { payload: [] }] = second.findErrors();
    assert.equal(payload?.[0]?.extensions.code, 'RATE_LIMITED');
    assert.match(payload?.[0]?.message ?? '', new RegExp(`${limits.subscriptions} subscriptions`));
    first.end();
    await first.closed;
    await second.send(subscription, 1);
    await second.send('{__typename}', 1);
    await waitUntil('ended subscriptions do not count', () => second.answers.at(-1)?.type === 'complete');
    assert.equal(second.count('error'), 1);
    second.end();
  });
}

async function buildConversationSubscription(token: string): Promise<string> {
  const start = 'mutation{conversationStart(input:{channel:CHAT}){conversation{id}}}';
  const { body } = await post('/visitor/graphql', token, start);
  return `subscription{conversationEvents(id:${body.data.conversationStart.conversation.id}){type}}`;
}

async function countRefused(): Promise<number> {
  const metrics = await (await fetch(`${desks.url}/metrics`)).text();
  return Number(/^switchboard_limits_hit_total\{limit="operations"\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
}

test('a connection that keeps sending operations above the limit is closed with 4429', async () => {
  const { token } = await createAdmin();
  const flood = new Connection(token);
  const patient = new Connection((await createAdmin()).token);
  const refusedBefore = await countRefused();
  await whileWritesWait(async () => {
    await flood.send(UPDATE, 1500);
    assert.equal(await flood.closed, 4429);
    assert.equal((await countRefused()) - refusedBefore, 1001, 'later messages are ignored');
    await patient.send('{viewer{id}}', 1);
    await waitUntil('other connections stay open', () => patient.count('complete') === 1);
  });
  patient.end();
  await waitUntil('the operations that waited on the closed connection end', async () => {
    const { status } = await post('/graphql', token, '{viewer{id}}');
    return status === 200;
  });
});

test('a document that selects none of its operations does not count any more', async () => {
  const operator = await desks.createOperator();
  const connection = new Connection(operator.token);
  for (let rejected = 0; rejected < 200; rejected += 50) {
    await connection.send('query A{viewer{id}} query B{viewer{id}}', 50);
    await waitUntil('they are rejected', () => connection.count('error') === rejected + 50);
  }
  assert.ok(connection.findErrors().every(({ payload }) => payload?.[0]?.extensions.code === 'BAD_REQUEST'));
  assert.deepEqual((await operator.run('{viewer{id}}')).errors, []);
  connection.end();
});
