import { type ChildProcess, fork } from 'node:child_process';
import { CONVERSATION_START, MESSAGE_SEND } from '../../simulate/documents.ts';
import { CONNECTIONS, type Request, record, wire } from '../cases.ts';
import type { StreamResult } from '../load.ts';
import { type LoadGenerator, type Server, startBareServer } from '../processes.ts';
import { progress } from '../progress.ts';
import type { Job, JobResult } from './generator.ts';
import { visitorToken } from './population.ts';
import type { ThroughputResult } from './throughput.ts';

/** Whole conversations per second, on one node or several. */

export const DESKS = 100;
/** One person of the cases does in a second what is allowed to visitors in minutes. */
export const WITHOUT_LIMITS = {
  SWITCHBOARD_VISITOR_STARTS_PER_MINUTE: '0',
  SWITCHBOARD_VISITOR_ADDRESS_STARTS_PER_MINUTE: '0',
  SWITCHBOARD_VISITOR_MESSAGES_PER_MINUTE: '0',
};

export interface Conversing {
  readonly nodes: readonly Server[];
  /** The first process of their PostgreSQL, if they have one. */
  readonly postgres?: number | undefined;
  readonly folder: string;
  readonly generator: LoadGenerator;
  readonly atOnce: readonly number[];
  readonly milliseconds: number;
}

export interface Conversations {
  readonly runs: ThroughputResult['runs'];
  readonly generatorBusy: number;
  /** Requests per second of a bare server that sends the same bytes. */
  readonly barePerSecond: number;
}

export async function measureConversations(conversing: Conversing): Promise<Conversations> {
  const { nodes, postgres, folder, generator, atOnce, milliseconds } = conversing;
  progress(`engine: conversations per second, nodes: ${nodes.length}`);
  const operators = Array.from({ length: DESKS }, (_, index) => index + 2);
  const urls = nodes.map(({ port }) => `http://127.0.0.1:${port}`);
  const watched = { nodes: nodes.map(({ pid }) => pid), postgres };
  const result = await runJob({ kind: 'throughput', urls, watched, operators, atOnce, milliseconds });
  if (result.kind !== 'throughput') throw new Error('Another job was answered.');
  const barePerSecond = await measureBare((nodes[0] as Server).port, folder, generator, milliseconds);
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
  const result = await generator.run({ ports: [bare.port], milliseconds, mostRequests: 1_000_000, streams });
  await bare.stop();
  return (result.streams[0] as StreamResult).perSecond;
}

export function runJob(job: Job): Promise<JobResult> {
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
