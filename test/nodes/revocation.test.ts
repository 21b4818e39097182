import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { graphqlClient, logIn } from '../support/clients/graphql.ts';
import { openSocket } from '../support/clients/subscriptions.ts';
import { makeStaff, type Nodes, type Staff, startNodes } from '../support/nodes/nodes.ts';
import { PATIENCE_MS, until } from '../support/waiting/until.ts';

const server = process.env.TEST_DATABASE_URL;
/** The promise, and the length of a look. */
const WITHIN_MS = 1300;
/** What a node needs to notice is some requests one after the other; how long each takes on this machine is measured. */
const STEPS = 10;

/** When each of those who look has first been told no, in milliseconds after the acknowledgement. */
type Delays = Record<string, number>;

interface Watched {
  readonly delays: Delays;
  /** The longest that a look took. */
  readonly slowest: number;
}

describe('what is taken away is gone on every node within a second', { skip: server === undefined }, () => {
  let nodes: Nodes;
  let staff: Staff;

  before(async () => {
    nodes = await startNodes(server ?? '');
    staff = await makeStaff(nodes, 1);
  });
  after(() => nodes?.end());

  for (const interrupted of [false, true])
    describe(interrupted ? 'while notifications are interrupted' : 'in calm', () => {
      let deafening: NodeJS.Timeout | undefined;

      before(() => {
        if (interrupted) deafening = setInterval(() => deafen(nodes).catch(() => undefined), 50);
      });
      after(() => clearInterval(deafening));

      test('a token, for requests and for open sockets', async (t) => {
        const token = await logIn(nodes.urls[0] ?? '');
        const watched = await watchEnd(
          {
            'GET /_authenticated': async (url) => (await bearer(`${url}/_authenticated`, token)).status === 401,
            'POST /graphql': async (url) => (await graphqlClient(url, token).run('{account{name}}')).status === 401,
          },
          { token, code: 4401 },
          () => fetch(`${nodes.urls[0]}/oauth2/revoke`, { method: 'POST', body: new URLSearchParams({ token }) }),
        );
        inTime(t, watched);
      });

      test('an API key', async (t) => {
        const admin = graphqlClient(nodes.urls[0] ?? '', nodes.token);
        const { data } = await admin.run('mutation{apiKeyCreate(input:{name:"K" access:WRITE}){key apiKey{id}}}');
        const { key, apiKey } = data.apiKeyCreate;
        const watched = await watchEnd(
          {
            'GET /api/2/operator': async (url) =>
              (await fetch(`${url}/api/2/operator?limit=1`, { headers: { 'X-API-Key': key } })).status === 403,
          },
          undefined,
          () => admin.run(`mutation{apiKeyRevoke(input:{id:${apiKey.id}}){userErrors{message}}}`),
        );
        inTime(t, watched);
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
        for (const url of nodes.urls) await until('the role is known', async () => !(await isRefused(url)));
        const watched = await watchEnd({ 'POST /graphql': isRefused }, { token, code: 4411 }, () =>
          setRole('OPERATOR'),
        );
        inTime(t, watched);
      });

      /** Looks all the time through every node, so that whatever a node remembers was remembered just before. */
      async function watchEnd(
        looks: Readonly<Record<string, (url: string) => Promise<boolean>>>,
        sockets: { readonly token: string; readonly code: number } | undefined,
        takeAway: () => Promise<unknown>,
      ): Promise<Watched> {
        const delays: Delays = {};
        let acknowledged = Number.POSITIVE_INFINITY;
        let looked = 0;
        let slowest = 0;
        const open = sockets ? nodes.urls.map((url) => openSocket(url, sockets.token)) : [];
        await Promise.all(open.map((socket) => socket.run('{__typename}')));
        const closings = open.map(async ({ closed }, node) => {
          const { code } = await closed;
          assert.equal(code, sockets?.code);
          delays[`socket, node ${node}`] = performance.now() - acknowledged;
        });
        const looking = Object.entries(looks).flatMap(([name, isOver]) =>
          nodes.urls.map(async (url, node) => {
            for (;;) {
              const asked = performance.now();
              const isNow = await isOver(url);
              slowest = Math.max(slowest, performance.now() - asked);
              if (isNow) {
                delays[`${name}, node ${node}`] = asked - acknowledged;
                return;
              }
              looked += 1;
              assert.ok(asked < acknowledged + PATIENCE_MS, `${name} still works on node ${node}`);
              await setTimeout(25);
            }
          }),
        );
        const all = looking.length;
        await until('every node remembers', () => looked >= 10 * all);
        await takeAway();
        acknowledged = performance.now();
        await Promise.all([...looking, ...closings]);
        for (const socket of open) socket.end();
        return { delays, slowest };
      }
    });
});

function inTime(t: { diagnostic(text: string): void }, { delays, slowest }: Watched): void {
  const longest = WITHIN_MS + STEPS * slowest;
  t.diagnostic(`${'slowest look'.padEnd(32)} ${Math.round(slowest).toString().padStart(6)} ms`);
  for (const [what, delay] of Object.entries(delays))
    t.diagnostic(`${what.padEnd(32)} ${Math.round(delay).toString().padStart(6)} ms`);
  for (const [what, delay] of Object.entries(delays)) assert.ok(delay < longest, `${what}: ${Math.round(delay)} ms`);
}

async function deafen({ sql }: Nodes): Promise<void> {
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query ilike 'listen%'`;
}

function bearer(address: string, token: string): Promise<Response> {
  return fetch(address, { headers: { Authorization: `Bearer ${token}` } });
}
