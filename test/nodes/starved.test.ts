import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { graphqlClient, logIn } from '../support/clients/graphql.ts';
import { type RestClient, restClient } from '../support/clients/rest.ts';
import { startLatencyProbe } from '../support/databases/latency-probe.ts';
import { createOperator } from '../support/fixtures/resources.ts';
import { startNodes } from '../support/nodes/nodes.ts';
import { type SwitchboardProcess, startSwitchboardProcess } from '../support/processes/switchboard.ts';
import { testServerOptions } from '../support/processes/test-server-options.ts';
import { waitUntil } from '../support/waiting/wait.ts';

const server = process.env.TEST_DATABASE_URL;
const STALL_MS = 3000;
const CALLERS = 8;
/** A node responds with 503 after 800 ms; a database this slow for a trivial query is itself short of CPU. */
const STARVED_MS = 200;
/** As in production; other tests use longer timeouts. */
const LIMITS = { SWITCHBOARD_SLOW_READ_TIMEOUT: '2' };

interface Node {
  readonly switchboard: SwitchboardProcess;
  /** The longest trivial query on its database between two moments. */
  maxDatabaseLatencyMs(from: number, to: number): number;
  end(): Promise<void>;
}

async function startPostgresNode(): Promise<Node> {
  const { main, env } = testServerOptions();
  const nodes = await startNodes(server ?? '', { count: 1, main, env: { ...env, ...LIMITS } });
  const probe = startLatencyProbe(nodes.sql);
  const end = async () => {
    await probe.stop();
    await nodes.end();
  };
  return { switchboard: nodes.all[0] as SwitchboardProcess, maxDatabaseLatencyMs: probe.maxLatencyMs, end };
}

async function startSqliteNode(): Promise<Node> {
  const { main, env } = testServerOptions();
  const switchboard = await startSwitchboardProcess({ main, env: { ...env, ...LIMITS } });
  return { switchboard, maxDatabaseLatencyMs: () => 0, end: () => switchboard.stop() };
}

for (const { name, start, skip } of [
  { name: 'PostgreSQL', start: startPostgresNode, skip: server === undefined },
  { name: 'SQLite', start: startSqliteNode, skip: false },
])
  describe(`on ${name}, a node that gets no CPU for three seconds continues normally`, {
    skip,
  }, () => {
    let node: Node;
    let rest: RestClient;
    let token: string;
    const ids: number[] = [];

    before(async () => {
      node = await start();
      const { url, key } = node.switchboard;
      rest = restClient(url, key);
      token = await logIn(url);
      for (let count = 0; count < CALLERS; count += 1) ids.push((await createOperator(rest)).id);
    });
    after(() => node?.end());

    /** The ways to stall a node; each resolves when the node runs again. */
    const stalls = {
      stopped: async () => {
        node.switchboard.process.kill('SIGSTOP');
        await setTimeout(STALL_MS); // the stall itself
        node.switchboard.process.kill('SIGCONT');
      },
      blocked: async () => {
        node.switchboard.process.kill('SIGUSR2');
        await rest.get('/operator?limit=1'); // answered after the block
      },
    };

    /** A read without an index, one with an index, and one by GraphQL. */
    async function assertRead(id: number): Promise<string> {
      const [searchResult, detail, graphqlDetail] = await Promise.all([
        rest.get('/operator?filters[name]=*erson*&limit=1'),
        rest.get(`/operator/${id}`),
        graphqlClient(node.switchboard.url, token).run(`{operator(id:${id}){pseudo}}`),
      ]);
      assert.equal(searchResult.status, 200, JSON.stringify(searchResult.body));
      assert.equal(detail.status, 200, JSON.stringify(detail.body));
      assert.deepEqual(graphqlDetail.errors, []);
      return detail.body.data.pseudo;
    }

    /** Writes and reads repeatedly until stopped. */
    async function writeAndRead(
      id: number,
      title: string,
      progress: { isRunning: boolean; rounds: number },
    ): Promise<void> {
      let stored: string | undefined;
      for (let round = 0; progress.isRunning; round += 1) {
        const pseudo = `${title} ${round}`;
        const changed = await rest.put(`/operator/${id}`, { pseudo });
        // Only a commit that was in flight when the node stalled may have an unknown outcome.
        if (changed.status !== 200) assert.match(changed.body.meta.message, /not known whether it was made/);
        const read = await assertRead(id);
        const possible = changed.status === 200 ? [pseudo] : [pseudo, stored];
        assert.ok(possible.includes(read), `${read} instead of ${possible}`);
        stored = read;
        progress.rounds += 1;
      }
    }

    for (const [kind, stall] of Object.entries(stalls)) {
      test(`${kind} while it is idle`, async () => {
        await unlessStarved(async () => {
          await assertRead(ids[0] ?? 0);
          await stall();
          await assertRead(ids[0] ?? 0);
          assert.equal((await rest.put(`/operator/${ids[0]}`, { pseudo: 'Again' })).status, 200);
        });
      });

      test(`${kind} during reads and writes`, async () => {
        await unlessStarved(async () => {
          const progress = { isRunning: true, rounds: 0 };
          const callers = Promise.all(ids.map((id) => writeAndRead(id, kind, progress)));
          callers.catch(() => undefined); // awaited below
          const waitForProgress = async () => {
            const { rounds } = progress;
            await Promise.race([
              callers,
              waitUntil('all callers make progress', () => progress.rounds > rounds + 2 * CALLERS),
            ]);
          };
          await waitForProgress();
          await stall();
          await waitForProgress();
          progress.isRunning = false;
          await callers;
        });
      });
    }

    /** Ignores failures while the database itself was short of CPU. */
    async function unlessStarved(work: () => Promise<void>): Promise<void> {
      const from = performance.now();
      await work().catch((error) => {
        if (node.maxDatabaseLatencyMs(from, performance.now()) < STARVED_MS) throw error;
      });
    }
  });
