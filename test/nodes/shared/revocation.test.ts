import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { openSession, toBrowserSession } from '../../support/clients/browser-session.ts';
import { type GraphqlClient, graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { openSocket } from '../../support/clients/subscriptions.ts';
import { createStaff, type Nodes, PASSWORD, type Staff } from '../../support/nodes/nodes.ts';
import { shareNodes } from '../../support/nodes/shared-nodes.ts';
import { WAIT_TIMEOUT_MS, waitUntil } from '../../support/waiting/wait.ts';

const server = process.env.TEST_DATABASE_URL;
/** The guaranteed delay plus the duration of a check. */
const MAX_DELAY_MS = 1300;
/** A node needs a few sequential requests to notice; the duration of one is measured on this machine. */
const REQUESTS_TO_NOTICE = 10;

/** By check: milliseconds from the acknowledgement to the first rejection. */
type Delays = Record<string, number>;

interface Observation {
  readonly delays: Delays;
  /** Duration of the slowest check. */
  readonly slowestMs: number;
}

/** How a session ends. A socket of a demoted operator is not only told about the new permissions: the session is over. */
const SESSION_ENDS: Readonly<
  Record<string, (session: ManagerSession, admin: GraphqlClient, nodes: Nodes) => Promise<unknown>>
> = {
  'log-out': ({ cookie }, _admin, { urls: [url = ''] }) =>
    fetch(`${url}/session`, { method: 'DELETE', headers: toBrowserSession(url, cookie).headers }),
  sessionEnd: ({ id, operatorId }, admin) =>
    admin.run(`mutation{sessionEnd(input:{id:${id} operatorId:${operatorId}}){userErrors{message}}}`),
  'a new password': ({ operatorId }, admin) =>
    admin.run(
      `mutation{operatorPasswordChange(input:{id:${operatorId} newPassword:"quite another password"}){userErrors{message}}}`,
    ),
  'a demotion': ({ operatorId }, admin) =>
    admin.run(`mutation{operatorUpdate(input:{id:${operatorId} roles:[OPERATOR]}){userErrors{message}}}`),
};

describe('revoked access ends on every node within a second', { skip: server === undefined }, () => {
  let nodes: Nodes;
  let staff: Staff;

  before(async () => {
    nodes = await shareNodes(server ?? '');
    staff = await createStaff(nodes, 1);
  });

  for (const interrupted of [false, true])
    describe(interrupted ? 'while notifications are interrupted' : 'without interruptions', () => {
      let interruptions: NodeJS.Timeout | undefined;

      before(() => {
        if (interrupted) interruptions = setInterval(() => interruptNotifications(nodes).catch(() => undefined), 50);
      });
      after(() => clearInterval(interruptions));

      test('a token, for requests and for open sockets', async (t) => {
        const token = await logIn(nodes.urls[0] ?? '');
        const observation = await measureDelays(
          {
            'GET /_authenticated': async (url) => (await fetchWithToken(`${url}/_authenticated`, token)).status === 401,
            'POST /graphql': async (url) => (await graphqlClient(url, token).run('{account{name}}')).status === 401,
          },
          { token, code: 4401 },
          () => fetch(`${nodes.urls[0]}/oauth2/revoke`, { method: 'POST', body: new URLSearchParams({ token }) }),
        );
        assertInTime(t, observation);
      });

      test('a single sign-on key, for requests and for open sockets', async (t) => {
        const [{ id = 0 } = {}] = staff.operators;
        const admin = graphqlClient(nodes.urls[0] ?? '', nodes.token);
        const token = await logInWithKey(nodes.urls[0] ?? '', await rotateSsoKey(admin, id));
        const observation = await measureDelays(
          {
            'GET /_authenticated': async (url) => (await fetchWithToken(`${url}/_authenticated`, token)).status === 401,
          },
          { token, code: 4401 },
          () => rotateSsoKey(admin, id),
        );
        assertInTime(t, observation);
      });

      for (const [how, end] of Object.entries(SESSION_ENDS))
        test(`a session of a browser by ${how}, for requests and for open sockets`, async (t) => {
          const admin = graphqlClient(nodes.urls[0] ?? '', nodes.token);
          const session = await openManagerSession(nodes, admin);
          const { cookie } = session;
          const isOver = async (url: string) => {
            const { headers } = toBrowserSession(url, cookie);
            const response = await fetch(`${url}/session`, { headers });
            return !((await response.json()) as { authenticated: boolean }).authenticated;
          };
          const isRefused = async (url: string) => {
            const { headers } = toBrowserSession(url, cookie);
            const query = encodeURIComponent('{account{name}}');
            return (await fetch(`${url}/graphql?query=${query}`, { headers })).status === 401;
          };
          const observation = await measureDelays(
            { 'GET /session': isOver, 'GET /graphql': isRefused },
            { cookie, code: 4401 },
            () => end(session, admin, nodes),
          );
          assertInTime(t, observation);
        });

      test('an API key', async (t) => {
        const admin = graphqlClient(nodes.urls[0] ?? '', nodes.token);
        const { data } = await admin.run('mutation{apiKeyCreate(input:{name:"K" access:WRITE}){key apiKey{id}}}');
        const { key, apiKey } = data.apiKeyCreate;
        const observation = await measureDelays(
          {
            'GET /api/2/operator': async (url) =>
              (await fetch(`${url}/api/2/operator?limit=1`, { headers: { 'X-API-Key': key } })).status === 403,
          },
          undefined,
          () => admin.run(`mutation{apiKeyRevoke(input:{id:${apiKey.id}}){userErrors{message}}}`),
        );
        assertInTime(t, observation);
      });

      test("an erased visitor's token, for requests and for open sockets", async (t) => {
        const { id, token } = await createVisitor(nodes, staff);
        const isRejected = async (url: string) => {
          const query = `${url}/visitor/graphql?query=${encodeURIComponent('{__typename}')}`;
          return (await fetchWithToken(query, token)).status === 401;
        };
        const observation = await measureDelays(
          { 'GET /visitor/graphql': isRejected },
          { token, code: 4401, path: '/visitor/graphql' },
          () =>
            graphqlClient(nodes.urls[0] ?? '', nodes.token).run(
              `mutation{visitorErase(input:{id:${id}}){userErrors{message}}}`,
            ),
        );
        assertInTime(t, observation);
      });

      test('a role, for requests and for open sockets', async (t) => {
        const [{ id = 0, token = '' } = {}] = staff.operators;
        const admin = graphqlClient(nodes.urls[0] ?? '', nodes.token);
        const setRole = (role: string) =>
          admin.run(`mutation{operatorUpdate(input:{id:${id} roles:[${role}]}){userErrors{message}}}`);
        await setRole('ADMIN');
        const isRefused = async (url: string) =>
          (await graphqlClient(url, token).run('{apiKeys{id}}')).errors.some(
            ({ extensions }) => extensions.code === 'FORBIDDEN',
          );
        for (const url of nodes.urls) await waitUntil('the role is known', async () => !(await isRefused(url)));
        const observation = await measureDelays({ 'POST /graphql': isRefused }, { token, code: 4411 }, () =>
          setRole('OPERATOR'),
        );
        assertInTime(t, observation);
      });

      /** Polls every node continuously, so that each has a fresh cache entry when the access is revoked. */
      async function measureDelays(
        checks: Readonly<Record<string, (url: string) => Promise<boolean>>>,
        sockets: SocketCheck | undefined,
        revoke: () => Promise<unknown>,
      ): Promise<Observation> {
        const delays: Delays = {};
        let acknowledgedAt = Number.POSITIVE_INFINITY;
        let checkCount = 0;
        let slowestMs = 0;
        const open = sockets ? nodes.urls.map((url) => openCheckedSocket(url, sockets)) : [];
        await Promise.all(open.map((socket) => socket.run('{__typename}')));
        const closings = open.map(async ({ closed }, node) => {
          const { code } = await closed;
          assert.equal(code, sockets?.code);
          delays[`socket, node ${node}`] = performance.now() - acknowledgedAt;
        });
        const polls = Object.entries(checks).flatMap(([name, isRejected]) =>
          nodes.urls.map(async (url, node) => {
            for (;;) {
              const startedAt = performance.now();
              const isRejectedNow = await isRejected(url);
              slowestMs = Math.max(slowestMs, performance.now() - startedAt);
              if (isRejectedNow) {
                delays[`${name}, node ${node}`] = startedAt - acknowledgedAt;
                return;
              }
              checkCount += 1;
              assert.ok(startedAt < acknowledgedAt + WAIT_TIMEOUT_MS, `${name} still works on node ${node}`);
              await setTimeout(25);
            }
          }),
        );
        const all = polls.length;
        await waitUntil('every node has cached it', () => checkCount >= 10 * all);
        await revoke();
        acknowledgedAt = performance.now();
        await Promise.all([...polls, ...closings]);
        for (const socket of open) socket.end();
        return { delays, slowestMs };
      }
    });
});

/** Open sockets with the credential that ends, and the code with which they are closed. */
type SocketCheck = { readonly code: number } & (
  | { readonly token: string; readonly path?: string }
  | { readonly cookie: string }
);

function openCheckedSocket(url: string, check: SocketCheck) {
  if ('cookie' in check) return openSocket(url, '', {}, { headers: toBrowserSession(url, check.cookie).headers });
  const { token, path = '/graphql' } = check;
  return openSocket(url, token, { token }, { path });
}

interface ManagerSession {
  readonly operatorId: string;
  readonly id: string;
  readonly cookie: string;
}

let managerCount = 0;

/** A session at the first node. */
async function openManagerSession({ urls }: Nodes, admin: GraphqlClient): Promise<ManagerSession> {
  managerCount += 1;
  const email = `manager${managerCount}@example.com`;
  const { data } = await admin.run(
    `mutation{operatorCreate(input:{name:"M" email:"${email}" password:"${PASSWORD}" roles:[MANAGER]}){operator{id}}}`,
  );
  const operatorId: string = data.operatorCreate.operator.id;
  const { cookie } = await openSession(urls[0] ?? '', { email, password: PASSWORD });
  const read = await admin.run(`{operator(id:${operatorId}){sessions{id}}}`);
  return { operatorId, cookie, id: read.data.operator.sessions[0].id };
}

function assertInTime(t: { diagnostic(text: string): void }, { delays, slowestMs: slowest }: Observation): void {
  const maxDelayMs = MAX_DELAY_MS + REQUESTS_TO_NOTICE * slowest;
  t.diagnostic(`${'slowest check'.padEnd(32)} ${Math.round(slowest).toString().padStart(6)} ms`);
  for (const [what, delay] of Object.entries(delays))
    t.diagnostic(`${what.padEnd(32)} ${Math.round(delay).toString().padStart(6)} ms`);
  for (const [what, delay] of Object.entries(delays)) assert.ok(delay < maxDelayMs, `${what}: ${Math.round(delay)} ms`);
}

async function createVisitor({ urls, sql }: Nodes, { website }: Staff): Promise<{ id: number; token: string }> {
  const response = await fetch(`${urls[0]}/visitor/session`, {
    method: 'POST',
    body: new URLSearchParams({ websiteId: String(website) }),
  });
  const { token, visitorId } = (await response.json()) as { token: string; visitorId: string };
  const [row] = await sql`select id from visitors where unique_id = ${visitorId}`;
  return { id: Number(row?.id), token };
}

async function interruptNotifications({ sql }: Nodes): Promise<void> {
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query ilike 'listen%'`;
}

async function rotateSsoKey(admin: GraphqlClient, id: number): Promise<string> {
  const { data } = await admin.run(`mutation{operatorSsoKeyRotate(input:{id:${id}}){operator{ssoKey}}}`);
  return data.operatorSsoKeyRotate.operator.ssoKey;
}

async function logInWithKey(url: string, key: string): Promise<string> {
  const { headers } = await fetch(`${url}/admin/login?key=${key}`, { redirect: 'manual' });
  const code = headers.get('location')?.match(/#code=([\w-]+)/)?.[1] ?? '';
  const response = await fetch(`${url}/admin/session`, { method: 'POST', body: new URLSearchParams({ code }) });
  return ((await response.json()) as { access_token: string }).access_token;
}

function fetchWithToken(address: string, token: string): Promise<Response> {
  return fetch(address, { headers: { Authorization: `Bearer ${token}` } });
}
