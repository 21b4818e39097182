import { type ChildProcess, fork } from 'node:child_process';
import { CONVERSATION_START, MESSAGE_SEND } from '../../simulate/documents.ts';
import { CONNECTIONS, type Request, recordResponse, serializeRequest } from '../cases.ts';
import type { StreamResult } from '../load.ts';
import { type LoadGenerator, type Server, startBareServer } from '../processes.ts';
import { showProgress } from '../progress.ts';
import type { Job, JobResult } from './generator.ts';
import { visitorToken } from './population.ts';
import type { ThroughputResult } from './throughput.ts';

/** Complete conversations per second, on one or several nodes. */

export const DESK_COUNT = 100;
/** A simulated visitor does in one second what the rate limits allow in minutes. */
export const NO_RATE_LIMITS = {
  SWITCHBOARD_VISITOR_STARTS_PER_MINUTE: '0',
  SWITCHBOARD_VISITOR_ADDRESS_STARTS_PER_MINUTE: '0',
  SWITCHBOARD_VISITOR_MESSAGES_PER_MINUTE: '0',
  SWITCHBOARD_VISITOR_SOCKETS: '0',
  SWITCHBOARD_VISITOR_ADDRESS_SOCKETS: '0',
};

export interface ConversationLoad {
  readonly nodes: readonly Server[];
  /** The main process of PostgreSQL, if the nodes use it. */
  readonly postgres?: number | undefined;
  readonly folder: string;
  readonly generator: LoadGenerator;
  readonly concurrencies: readonly number[];
  readonly milliseconds: number;
}

export interface ConversationsResult {
  readonly runs: ThroughputResult['runs'];
  readonly generatorUtilization: number;
  /** Requests per second of a bare server that sends the same bytes. */
  readonly barePerSecond: number;
}

export async function measureConversations(load: ConversationLoad): Promise<ConversationsResult> {
  const { nodes, postgres, folder, generator, concurrencies, milliseconds } = load;
  showProgress(`engine: conversations per second, nodes: ${nodes.length}`);
  const operators = Array.from({ length: DESK_COUNT }, (_, index) => index + 2);
  const urls = nodes.map(({ port }) => `http://127.0.0.1:${port}`);
  const processes = { nodes: nodes.map(({ pid }) => pid), postgres };
  const result = await runJob({
    kind: 'throughput',
    urls,
    processes,
    operators,
    concurrencies,
    milliseconds,
  });
  if (result.kind !== 'throughput') throw new Error('The generator returned the result of another job.');
  const barePerSecond = await measureBare((nodes[0] as Server).port, folder, generator, milliseconds);
  return { runs: result.runs, generatorUtilization: result.generatorUtilization, barePerSecond };
}

/** What Node alone needs for such requests: the bare server sends the recorded response to a message. */
async function measureBare(port: number, folder: string, generator: LoadGenerator, milliseconds: number) {
  const toRequest = (query: string, input: object): Request => ({
    method: 'POST',
    path: '/visitor/graphql',
    headers: { Authorization: `Bearer ${visitorToken(1)}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables: { input } }),
  });
  const started = JSON.parse((await recordResponse(port, toRequest(CONVERSATION_START, { channel: 'CHAT' }))).body);
  const conversationId = started.data.conversationStart.conversation.id as string;
  const message = toRequest(MESSAGE_SEND, { conversationId, text: 'Hello, where is my order?' });
  const responses = new Map([[`${message.method} ${message.path}`, await recordResponse(port, message)]]);
  const bare = await startBareServer(responses, folder);
  const streams = [{ requests: [serializeRequest(message)], connections: CONNECTIONS, expected: [200] }];
  const result = await generator.run({ ports: [bare.port], milliseconds, maxRequests: 1_000_000, streams });
  await bare.stop();
  return (result.streams[0] as StreamResult).perSecond;
}

export function runJob(job: Job): Promise<JobResult> {
  const child: ChildProcess = fork(new URL('generator.ts', import.meta.url));
  const killChild = () => child.kill('SIGKILL');
  process.once('exit', killChild);
  return new Promise<JobResult>((resolve, reject) => {
    child.once('message', (answer: { result: JobResult } | { error: string }) => {
      if ('error' in answer) reject(new Error(answer.error));
      else resolve(answer.result);
    });
    child.once('exit', (code) => reject(new Error(`The generator exited with ${code}.`)));
    child.send(job);
  }).finally(() => {
    process.off('exit', killChild);
    child.kill();
  });
}
