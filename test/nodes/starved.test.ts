import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { graphqlClient, logIn } from '../support/clients/graphql.ts';
import { type RestClient, restClient } from '../support/clients/rest.ts';
import { takePulse } from '../support/databases/database-pulse.ts';
import { startNodes } from '../support/nodes/nodes.ts';
import { addOperator } from '../support/people/people.ts';
import { specialStart } from '../support/processes/special-start.ts';
import { type SwitchboardProcess, startSwitchboardProcess } from '../support/processes/switchboard.ts';
import { until } from '../support/waiting/until.ts';

const server = process.env.TEST_DATABASE_URL;
const STANDSTILL_MS = 3000;
const CALLERS = 8;
/** A node refuses what its database does not answer in 800 ms: one that takes so long for nothing has no processor itself. */
const STARVED_MS = 200;
/** As in production; the tests have more patience elsewhere. */
const LIMITS = { SWITCHBOARD_SLOW_READ_TIMEOUT: '2' };

interface Node {
  readonly switchboard: SwitchboardProcess;
  /** The longest that its database took for nothing between two moments. */
  slowest(from: number, to: number): number;
  end(): Promise<void>;
}

async function startOnPostgres(): Promise<Node> {
  const { main, env } = specialStart();
  const nodes = await startNodes(server ?? '', { count: 1, main, env: { ...env, ...LIMITS } });
  const pulse = takePulse(nodes.sql);
  const end = async () => {
    await pulse.stop();
    await nodes.end();
  };
  return { switchboard: nodes.all[0] as SwitchboardProcess, slowest: pulse.slowest, end };
}

async function startOnFile(): Promise<Node> {
  const { main, env } = specialStart();
  const switchboard = await startSwitchboardProcess({ main, env: { ...env, ...LIMITS } });
  return { switchboard, slowest: () => 0, end: () => switchboard.stop() };
}

for (const { name, start, skip } of [
  { name: 'PostgreSQL', start: startOnPostgres, skip: server === undefined },
  { name: 'the embedded database', start: startOnFile, skip: false },
])
  describe(`on ${name}, a node that gets no processor for three seconds goes on as if nothing had been`, {
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
      for (let count = 0; count < CALLERS; count += 1) ids.push((await addOperator(rest)).id);
    });
    after(() => node?.end());

    /** Each way in which a node can stand still; answers when it runs again. */
    const standstills = {
      stopped: async () => {
        node.switchboard.process.kill('SIGSTOP');
        await setTimeout(STANDSTILL_MS); // the standstill itself
        node.switchboard.process.kill('SIGCONT');
      },
      blocked: async () => {
        node.switchboard.process.kill('SIGUSR2');
        await rest.get('/operator?limit=1'); // answered when it is over
      },
    };

    /** A read that no index serves, one that an index serves, one by GraphQL. */
    async function assertRead(id: number): Promise<string> {
      const [searched, one, listed] = await Promise.all([
        rest.get('/operator?filters[name]=*erson*&limit=1'),
        rest.get(`/operator/${id}`),
        graphqlClient(node.switchboard.url, token).run(`{operator(id:${id}){pseudo}}`),
      ]);
      assert.equal(searched.status, 200, JSON.stringify(searched.body));
      assert.equal(one.status, 200, JSON.stringify(one.body));
      assert.deepEqual(listed.errors, []);
      return one.body.data.pseudo;
    }

    /** Changes and reads again and again, until told otherwise. */
    async function call(id: number, title: string, progress: { goesOn: boolean; rounds: number }): Promise<void> {
      let stored: string | undefined;
      for (let round = 0; progress.goesOn; round += 1) {
        const pseudo = `${title} ${round}`;
        const changed = await rest.put(`/operator/${id}`, { pseudo });
        // Only a commit that was on its way when the node stood still, and got no answer, may have happened or not.
        if (changed.status !== 200) assert.match(changed.body.meta.message, /not known whether it was made/);
        const read = await assertRead(id);
        const possible = changed.status === 200 ? [pseudo] : [pseudo, stored];
        assert.ok(possible.includes(read), `${read} instead of ${possible}`);
        stored = read;
        progress.rounds += 1;
      }
    }

    for (const [way, standStill] of Object.entries(standstills)) {
      test(`${way} while it is idle`, async () => {
        await unlessStarved(async () => {
          await assertRead(ids[0] ?? 0);
          await standStill();
          await assertRead(ids[0] ?? 0);
          assert.equal((await rest.put(`/operator/${ids[0]}`, { pseudo: 'Again' })).status, 200);
        });
      });

      test(`${way} in the middle of reads and changes`, async () => {
        await unlessStarved(async () => {
          const progress = { goesOn: true, rounds: 0 };
          const callers = Promise.all(ids.map((id) => call(id, way, progress)));
          callers.catch(() => undefined); // looked at below
          const goOn = async () => {
            const { rounds } = progress;
            await Promise.race([callers, until('all go on', () => progress.rounds > rounds + 2 * CALLERS)]);
          };
          await goOn();
          await standStill();
          await goOn();
          progress.goesOn = false;
          await callers;
        });
      });
    }

    /** A database that gets no processor for so long is not the node's fault. */
    async function unlessStarved(work: () => Promise<void>): Promise<void> {
      const from = performance.now();
      await work().catch((error) => {
        if (node.slowest(from, performance.now()) < STARVED_MS) throw error;
      });
    }
  });
