import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  CONVERSATION_CLOSE,
  CONVERSATION_START,
  OFFER_ACCEPT,
  OPERATOR_PATH,
  VISITOR_PATH,
} from '../../simulate/documents.ts';
import { startRoundTripCounter } from '../../test/support/databases/round-trip-counter.ts';
import { type Request, recordResponse } from '../cases.ts';
import { NO_RATE_LIMITS } from '../engine/conversations.ts';
import { operatorToken, visitorToken } from '../engine/population.ts';
import { SECRET } from '../nodes/databases.ts';
import { type Server, startNode } from '../processes.ts';
import { showProgress } from '../progress.ts';

/** How often the node waits for the database while a conversation is started, accepted and closed. */

/** Every connection has prepared its statements then. */
const WARM_UP_ROUNDS = 14;
const ATTEMPTS = 12;
/** Long enough for all statements that do not wait for a response, short enough for callers to stay authenticated. */
const RESPONSE_DELAY_MS = 60;
/** What the last conversation left to do is done then; callers are authenticated again. */
const QUIET_MS = 1500;
/** The only operator of the account. */
const OPERATOR_ID = 2;

/** The database has one connected operator. */
export async function countConversationTrips(database: string, folder: string): Promise<number> {
  const counter = await startRoundTripCounter(database);
  const node = await startNode(counter.url, join(folder, 'trips'), { env: { ...SECRET, ...NO_RATE_LIMITS } });
  for (let round = 0; round < WARM_UP_ROUNDS; round++) await runConversation(node);
  // Timers of the node and other processes only add to a count.
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    showProgress(`goals: round trips of a conversation, ${attempt} of ${ATTEMPTS}`);
    await wait(QUIET_MS);
    counter.startCounting(RESPONSE_DELAY_MS);
    await runConversation(node);
    least = Math.min(least, counter.stopCounting());
  }
  await node.stop();
  await counter.close();
  return least;
}

async function runConversation(node: Server): Promise<void> {
  const visitor = { path: VISITOR_PATH, token: visitorToken(1) };
  const operator = { path: OPERATOR_PATH, token: operatorToken(OPERATOR_ID) };
  const started = await execute(node, { ...visitor, query: CONVERSATION_START, input: { channel: 'CHAT' } });
  const { conversationStart } = started as { conversationStart: { conversation: { id: string } } };
  const { id } = conversationStart.conversation;
  await execute(node, { ...operator, query: OFFER_ACCEPT, input: { conversationId: id } });
  await execute(node, { ...operator, query: CONVERSATION_CLOSE, input: { id } });
}

interface Mutation {
  readonly path: string;
  readonly token: string;
  readonly query: string;
  readonly input: object;
}

async function execute({ port }: Server, { path, token, query, input }: Mutation): Promise<Record<string, unknown>> {
  const request: Request = {
    ...{ method: 'POST', path },
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables: { input } }),
  };
  const { body } = await recordResponse(port, request);
  const { data, errors } = JSON.parse(body);
  const [payload] = Object.values(data ?? {}) as { userErrors?: unknown[] }[];
  if (errors || payload?.userErrors?.length) throw new Error(`A request of a conversation failed: ${body}`);
  return data;
}
