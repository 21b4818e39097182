import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CONVERSATION_START, MESSAGE_SEND } from '../../simulate/documents.ts';
import { CONNECTIONS, type Request, record, wire } from '../cases.ts';
import { filledFolder } from '../fill.ts';
import type { StreamResult } from '../load.ts';
import { type LoadGenerator, memoryOf, startBareServer, startService } from '../processes.ts';
import { progress } from '../progress.ts';
import { type AssignmentResult, measureAssignment } from './assignment.ts';
import type { DrainResult } from './drain.ts';
import type { Job, JobResult } from './generator.ts';
import { crowded, roomy, visitorToken } from './population.ts';
import type { ThroughputResult } from './throughput.ts';

/** The engine, end to end and in its heart. */

export interface EnginePlan {
  readonly rounds: number;
  readonly runMs: number;
  readonly drainMs: number;
}

export interface EngineResult {
  readonly runs: ThroughputResult['runs'];
  readonly generatorBusy: number;
  /** Requests per second of a bare server that sends the same bytes. */
  readonly barePerSecond: number;
  /** Rows per second that SQLite itself stores, each synced to the disk before the next. */
  readonly syncedPerSecond: number;
  readonly drain: DrainResult & {
    readonly operators: number;
    readonly waiting: number;
    readonly generatorBusy: number;
  };
  readonly memory: number | undefined;
  readonly assignment: readonly AssignmentResult[];
}

const DESKS = 100;
const AT_ONCE = [8, 32, 96];
const OPERATORS = 1000;
const WAITING = 10_000;
const RUNNING = OPERATORS * 3;
/** One person of the cases does in a second what is allowed to visitors in minutes. */
const WITHOUT_LIMITS = {
  SWITCHBOARD_VISITOR_STARTS_PER_MINUTE: '0',
  SWITCHBOARD_VISITOR_ADDRESS_STARTS_PER_MINUTE: '0',
  SWITCHBOARD_VISITOR_MESSAGES_PER_MINUTE: '0',
};

export interface Bench {
  readonly cache: string;
  readonly folder: string;
  readonly generator: LoadGenerator;
  readonly plan: EnginePlan;
  readonly profile: string | undefined;
}

export async function measureEngine(bench: Bench): Promise<EngineResult> {
  const { cache, folder, plan } = bench;
  const syncedPerSecond = measureSyncs(folder, plan.runMs);
  const whole = await measureThroughput(bench);
  const best = Math.max(...whole.runs.map((run) => run.conversationsPerSecond));
  const drained = await measureDrain(bench, best / 2);
  const assignment = await measureAssignment(cache, folder, plan.rounds);
  return { ...whole, ...drained, syncedPerSecond, assignment };
}

async function measureThroughput({ cache, folder, generator, plan, profile }: Bench) {
  const filled = await filledFolder(cache, DESKS + 1, roomy);
  const service = await startService(filled, join(folder, 'engine'), { env: WITHOUT_LIMITS, profile });
  progress('engine: conversations per second');
  const operators = Array.from({ length: DESKS }, (_, index) => index + 2);
  const url = `http://127.0.0.1:${service.port}`;
  const result = await runJob({ kind: 'throughput', url, operators, atOnce: AT_ONCE, milliseconds: plan.runMs });
  if (result.kind !== 'throughput') throw new Error('Another job was answered.');
  const barePerSecond = await measureBare(service.port, folder, generator, plan.runMs);
  await service.stop();
  return { runs: result.runs, generatorBusy: result.generatorBusy, barePerSecond };
}

/** What Node itself needs for such requests: it sends what the service answered to a message. */
async function measureBare(port: number, folder: string, generator: LoadGenerator, milliseconds: number) {
  const ask = (query: string, input: object): Request => ({
    method: 'POST',
    path: '/visitor/graphql',
    headers: { Authorization: `Bearer ${visitorToken(1)}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables: { input } }),
  });
  const started = JSON.parse((await record(port, ask(CONVERSATION_START, { channel: 'CHAT' }))).body);
  const conversationId = started.data.conversationStart.conversation.id as string;
  const message = ask(MESSAGE_SEND, { conversationId, text: 'Hello, where is my order?' });
  const answers = new Map([[`${message.method} ${message.path}`, await record(port, message)]]);
  const bare = await startBareServer(answers, folder);
  const streams = [{ requests: [wire(message)], connections: CONNECTIONS, expected: [200] }];
  const result = await generator.run({ port: bare.port, milliseconds, mostRequests: 1_000_000, streams });
  await bare.stop();
  return (result.streams[0] as StreamResult).perSecond;
}

async function measureDrain({ cache, folder, plan, profile }: Bench, perSecond: number) {
  const filled = await filledFolder(cache, OPERATORS + 1, crowded(WAITING));
  const service = await startService(filled, join(folder, 'drain'), { env: WITHOUT_LIMITS, profile });
  progress(`engine: from a free slot to the next offer, at ${perSecond.toFixed(0)} conversations per second`);
  const operators = Array.from({ length: OPERATORS }, (_, index) => index + 2);
  const url = `http://127.0.0.1:${service.port}`;
  const result = await runJob({
    ...{ kind: 'drain', url, operators, running: RUNNING, perSecond, milliseconds: plan.drainMs },
  });
  if (result.kind !== 'drain') throw new Error('Another job was answered.');
  const memory = memoryOf(service.pid);
  await service.stop();
  return { drain: { ...result, operators: OPERATORS, waiting: WAITING }, memory };
}

/** One small row after the other, each on the disk before the next. */
function measureSyncs(folder: string, milliseconds: number): number {
  const database = new DatabaseSync(join(folder, 'syncs.db'));
  database.exec(
    'pragma journal_mode = wal; pragma synchronous = full; create table rows (id integer primary key, text)',
  );
  const insert = database.prepare('insert into rows (text) values (?)');
  const begin = performance.now();
  let count = 0;
  for (; performance.now() - begin < milliseconds; count += 1) insert.run('x'.repeat(200));
  const perSecond = count / ((performance.now() - begin) / 1000);
  database.close();
  return perSecond;
}

function runJob(job: Job): Promise<JobResult> {
  const child: ChildProcess = fork(new URL('generator.ts', import.meta.url));
  const endWithUs = () => child.kill('SIGKILL');
  process.once('exit', endWithUs);
  return new Promise<JobResult>((resolve, reject) => {
    child.once('message', (answer: { result: JobResult } | { error: string }) => {
      if ('error' in answer) reject(new Error(answer.error));
      else resolve(answer.result);
    });
    child.once('exit', (code) => reject(new Error(`The generator ended with ${code}.`)));
    child.send(job);
  }).finally(() => {
    process.off('exit', endWithUs);
    child.kill();
  });
}
