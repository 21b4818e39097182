import { setTimeout as wait } from 'node:timers/promises';
import { type Request, recordResponse, serializeRequest, singleReads } from '../cases.ts';
import type { StreamResult } from '../load.ts';
import { type Server, startLoadGenerator, startOpenLoadGenerator } from '../processes.ts';
import { logInAsAdmin, NO_LIMIT } from '../ratio.ts';
import { formatInteger, formatMs } from '../tables.ts';
import { timeHealth } from './health.ts';
import type { OpenLoadResult } from './open-load.ts';
import type { OverloadCase, OverloadRow } from './overload-case.ts';
import { OPERATOR_COUNT, withService } from './service.ts';

const CONNECTIONS = 3000;
const OFFERED_PER_SECOND = 21_000;
const LOAD_MS = 8000;
const CAPACITY_MS = 3000;
const CAPACITY_CONNECTIONS = 64;
const PROBE_INTERVAL_MS = 100;
const MAX_ACCEPTED_MS = 250;
const MAX_REFUSED_MS = 50;
const MAX_HEALTH_MS = 250;
const MAX_RECOVERY_MS = 1000;
const MIN_CAPACITY_SHARE = 0.6;

export const crowd: OverloadCase = {
  title: `${formatInteger(OFFERED_PER_SECOND)} reads per second on ${formatInteger(CONNECTIONS)} connections`,
  run: () => withService({}, measure),
};

async function measure(service: Server): Promise<readonly OverloadRow[]> {
  const requests = singleReads(OPERATOR_COUNT).map(serializeRequest);
  const desk = createProbe(service, deskRead(await logInAsAdmin(service)));
  const quiet = await probeUntil(service, desk, wait(2000));
  const capacity = await measureCapacity(service, requests);
  const generator = startOpenLoadGenerator();
  const load = generator.run({
    ...{ port: service.port, connections: CONNECTIONS, perSecond: OFFERED_PER_SECOND },
    ...{ milliseconds: LOAD_MS, requests },
  });
  const loaded = await probeUntil(service, desk, load);
  const recoveryMs = await timeRecovery(createProbe(service, singleReads(OPERATOR_COUNT)[0] as Request));
  await generator.stop();
  return toRows({ capacity, quiet, loaded, load: await load, recoveryMs });
}

async function measureCapacity({ port }: Server, requests: readonly string[]): Promise<StreamResult> {
  const generator = startLoadGenerator();
  const streams = [{ requests, connections: CAPACITY_CONNECTIONS, expected: [200, 503] }];
  const load = { ports: [port], maxRequests: NO_LIMIT, streams };
  await generator.run({ ...load, milliseconds: CAPACITY_MS / 3 });
  const result = await generator.run({ ...load, milliseconds: CAPACITY_MS });
  await generator.stop();
  return result.streams[0] as StreamResult;
}

interface ProbeResult {
  readonly healthMs: number;
  readonly readyMs: number;
  readonly deskMs: number;
  readonly deskRefusals: number;
  readonly deskCount: number;
}

/** Returns the slowest of each, over and over until `end`. */
async function probeUntil({ port }: Server, desk: Probe, end: Promise<unknown>): Promise<ProbeResult> {
  let result: ProbeResult = { healthMs: 0, readyMs: 0, deskMs: 0, deskRefusals: 0, deskCount: 0 };
  let hasEnded = false;
  end.then(
    () => {
      hasEnded = true;
    },
    () => {
      hasEnded = true;
    },
  );
  while (!hasEnded) {
    const [healthMs, readyMs, deskMs] = await Promise.all([timeHealth(port), timeHealth(port, '/_ready'), desk()]);
    result = {
      healthMs: Math.max(result.healthMs, healthMs),
      readyMs: Math.max(result.readyMs, readyMs),
      deskMs: Math.max(result.deskMs, deskMs ?? 0),
      deskRefusals: result.deskRefusals + Number(deskMs === undefined),
      deskCount: result.deskCount + 1,
    };
    await wait(PROBE_INTERVAL_MS);
  }
  return result;
}

function deskRead(token: string): Request {
  return {
    method: 'POST',
    path: '/graphql',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: '{ operator(id: 2) { id name } }' }),
  };
}

/** Returns the milliseconds until the response, or undefined if the request was refused. */
type Probe = () => Promise<number | undefined>;

function createProbe({ port }: Server, request: Request): Probe {
  return () => {
    const start = performance.now();
    return recordResponse(port, request).then(
      () => performance.now() - start,
      () => undefined,
    );
  };
}

/** Returns the milliseconds after the load until nothing is slow or refused any more. */
async function timeRecovery(read: Probe): Promise<number> {
  const start = performance.now();
  let lastProblemAt = start;
  while (performance.now() - start < 2 * MAX_RECOVERY_MS) {
    const milliseconds = await read();
    if (milliseconds === undefined || milliseconds > MAX_ACCEPTED_MS) lastProblemAt = performance.now();
    await wait(20);
  }
  return lastProblemAt - start;
}

interface Figures {
  readonly capacity: StreamResult;
  readonly quiet: ProbeResult;
  readonly loaded: ProbeResult;
  readonly load: OpenLoadResult;
  readonly recoveryMs: number;
}

function toRows({ capacity, quiet, loaded, load, recoveryMs }: Figures): OverloadRow[] {
  const share = load.accepted.perSecond / capacity.perSecond;
  const atMost = (what: string, limit: number, quietMs: number | undefined, loadedMs: number): OverloadRow => ({
    what,
    quiet: quietMs === undefined ? '-' : formatMs(quietMs),
    loaded: formatMs(loadedMs),
    expected: `at most ${limit}`,
    holds: loadedMs <= limit,
  });
  return [
    {
      what: 'requests sent per second',
      quiet: formatInteger(capacity.perSecond),
      loaded: formatInteger(load.sentPerSecond),
      expected: `${formatInteger(OFFERED_PER_SECOND)} (generator busy: ${Math.round(load.generatorUtilization * 100)} %)`,
      holds: load.skippedPerSecond === 0,
    },
    {
      what: 'served per second (quiet: the capacity)',
      quiet: formatInteger(capacity.perSecond),
      loaded: `${formatInteger(load.accepted.perSecond)} (${Math.round(share * 100)} %)`,
      expected: `at least ${MIN_CAPACITY_SHARE * 100} %`,
      holds: share >= MIN_CAPACITY_SHARE,
    },
    atMost('served, p99 ms', MAX_ACCEPTED_MS, capacity.p99Ms, load.accepted.p99Ms),
    atMost('refused with 503 and Retry-After, p99 ms', MAX_REFUSED_MS, undefined, load.refused.p99Ms),
    {
      what: 'lost connections and other responses',
      quiet: '0',
      loaded: `${load.lostConnections} and ${load.unexpected}`,
      expected: '0 and 0',
      holds: load.lostConnections === 0 && load.unexpected === 0,
    },
    atMost('/_health on a new connection, slowest, ms', MAX_HEALTH_MS, quiet.healthMs, loaded.healthMs),
    atMost('/_ready on a new connection, slowest, ms', MAX_HEALTH_MS, quiet.readyMs, loaded.readyMs),
    atMost('an operator at /graphql, slowest, ms', MAX_ACCEPTED_MS, quiet.deskMs, loaded.deskMs),
    {
      what: 'an operator at /graphql, refused',
      quiet: `${quiet.deskRefusals} of ${quiet.deskCount}`,
      loaded: `${loaded.deskRefusals} of ${loaded.deskCount}`,
      expected: 'none',
      holds: loaded.deskRefusals === 0,
    },
    atMost('recovery after the load, ms', MAX_RECOVERY_MS, undefined, recoveryMs),
  ];
}
