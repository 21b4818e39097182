import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { ADMIN_EMAIL, buildOperator, LOGIN_IDS } from '../data.ts';
import type { Server } from '../processes.ts';
import { formatInteger, formatMs } from '../tables.ts';
import { timeHealth } from './health.ts';
import { openSession } from './log-in.ts';
import type { OverloadCase, OverloadRow } from './overload-case.ts';
import { OPERATOR_COUNT, withService } from './service.ts';
import type { Flood, FloodResult } from './socket-flood.ts';
import { NO_VISITOR_LIMITS, openVisitorSession } from './visitor.ts';

const MEASURE_MS = 5000;
const IN_FLIGHT = 900;
/** Other operators, each with one request at a time. */
const OTHER_COUNT = 8;
const PAUSE_MS = 20;
/** Below this, differences between two runs are noise. */
const NOISE_MS = 20;

const OPERATOR_FLOOD = '{operators(first:100){nodes{id name live{connected chat{busy routable}} group{id name}}}}';
const VISITOR_FLOOD = `{${Array.from({ length: 10 }, (_, n) => `a${n}:conversations{nodes{id messages(first:10){text}}}`).join(' ')}}`;
const OTHERS_QUERY =
  '{operators(first:20){nodes{id name pseudo live{connected chat{available busy routable}} group{id name} skills{id name}}}}';

export const operations: OverloadCase = {
  title: `one operator, then one visitor on three connections, with ${IN_FLIGHT} operations in flight on each`,
  run: () => withService(NO_VISITOR_LIMITS, measure),
};

interface Latencies {
  readonly health: readonly number[];
  readonly others: readonly number[];
}

async function measure(service: Server): Promise<readonly OverloadRow[]> {
  const { port } = service;
  const url = `http://127.0.0.1:${port}`;
  const admin = await openSession(service, ADMIN_EMAIL);
  const others = await Promise.all(
    LOGIN_IDS.slice(0, OTHER_COUNT).map((id) => openSession(service, buildOperator(OPERATOR_COUNT, id).email)),
  );
  await measureLatencies(port, others, 1000); // warms up
  const quiet = await measureLatencies(port, others, MEASURE_MS);
  const rows: OverloadRow[] = [];
  const floods: readonly (readonly [string, Omit<Flood, 'inFlight'>])[] = [
    ['operator', { url: `ws://127.0.0.1:${port}/graphql`, token: admin, connections: 1, query: OPERATOR_FLOOD }],
    [
      'visitor',
      {
        url: `ws://127.0.0.1:${port}/visitor/graphql`,
        token: await openVisitorSession(url),
        connections: 3,
        query: VISITOR_FLOOD,
      },
    ],
  ];
  for (const [name, flood] of floods) {
    const child = fork(new URL('socket-flood.ts', import.meta.url));
    try {
      child.send({ ...flood, inFlight: IN_FLIGHT } satisfies Flood);
      await wait(500);
      const loaded = await measureLatencies(port, others, MEASURE_MS);
      const { completed, refused, failed, disconnected } = await readResult(child);
      if (failed > 0) throw new Error(`${failed} operations of the ${name} failed.`);
      rows.push(
        compare(`${name} floods: requests of other operators, p99, ms`, quiet.others, loaded.others),
        compare(`${name} floods: /_health on a new connection, p99, ms`, quiet.health, loaded.health),
        {
          what: `${name} floods: its operations completed / refused / disconnections`,
          quiet: '-',
          loaded: [completed, refused, disconnected].map(formatInteger).join(' / '),
          expected: 'some completed, some refused',
          holds: refused > 0 && completed > 0,
        },
      );
    } finally {
      child.kill('SIGKILL');
    }
    await wait(1000);
  }
  return rows;
}

function compare(what: string, quiet: readonly number[], loaded: readonly number[]): OverloadRow {
  const [quietMs, loadedMs] = [findP99(quiet), findP99(loaded)];
  const maxMs = Math.max(2 * quietMs, NOISE_MS);
  return {
    what,
    quiet: formatMs(quietMs),
    loaded: formatMs(loadedMs),
    expected: `at most ${formatMs(maxMs)}`,
    holds: loadedMs <= maxMs,
  };
}

async function measureLatencies(port: number, tokens: readonly string[], milliseconds: number): Promise<Latencies> {
  const end = performance.now() + milliseconds;
  const repeat = async (measureOnce: () => Promise<number>) => {
    const latencies: number[] = [];
    while (performance.now() < end) {
      latencies.push(await measureOnce());
      await wait(PAUSE_MS);
    }
    return latencies;
  };
  const [health, ...others] = await Promise.all([
    repeat(() => timeHealth(port)),
    ...tokens.map((token) => repeat(() => timeQuery(`http://127.0.0.1:${port}/graphql`, token))),
  ]);
  return { health, others: others.flat() };
}

async function timeQuery(url: string, token: string): Promise<number> {
  const start = performance.now();
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: OTHERS_QUERY }),
  });
  await response.text();
  if (response.status !== 200) throw new Error(`Another operator got ${response.status}.`);
  return performance.now() - start;
}

function readResult(child: ChildProcess): Promise<FloodResult> {
  return new Promise((resolve) => {
    child.once('message', (message) => resolve(message as FloodResult));
    child.send('report');
  });
}

function findP99(latencies: readonly number[]): number {
  return latencies.toSorted((one, other) => one - other)[Math.floor(latencies.length * 0.99)] ?? 0;
}
