import { ApiClient } from '../api-client.ts';
import { VISITOR_PATH } from '../documents.ts';
import { waitBeforeRetry } from '../http-client.ts';
import { now, type Participant } from '../journal.ts';
import type { VisitorPlan } from '../plan.ts';
import type { SimulationContext } from './context.ts';

const MAX_SESSION_ATTEMPTS = 10;
/** Visitors have other addresses than operators. */
const FIRST_VISITOR_ADDRESS = 1 << 16;

/** Opens a session as the widget does. */
export async function openSession(
  { client, setup, journal }: SimulationContext,
  { index, need }: VisitorPlan,
  participant: Participant,
): Promise<ApiClient | undefined> {
  const httpClient = client.forParticipant(FIRST_VISITOR_ADDRESS + index);
  const { website, language } = need;
  const body = JSON.stringify({ websiteId: setup.websites[website], language });
  const requestedAt = now();
  let attemptsWithoutResponse = 0;
  const earlierCodes: string[] = [];
  for (let attempts = 1; ; attempts += 1) {
    const reply = await httpClient.post({ path: '/visitor/session', body });
    if ('noResponse' in reply && reply.sent) attemptsWithoutResponse += 1;
    const token = 'body' in reply && reply.status === 201 ? (reply.body?.token as string | undefined) : undefined;
    const isRetryable = 'noResponse' in reply || reply.status === 429 || reply.status === 503;
    if (token === undefined && isRetryable && attempts < MAX_SESSION_ATTEMPTS) {
      if ('noResponse' in reply) httpClient.switchNode();
      earlierCodes.push('noResponse' in reply ? reply.noResponse : `HTTP ${reply.status}`);
      await waitBeforeRetry(reply, attempts);
      continue;
    }
    const code = token ? null : 'noResponse' in reply ? reply.noResponse : `HTTP ${reply.status}`;
    const outcome = token ? 'done' : 'noResponse' in reply ? 'unknown' : 'failed';
    journal.add({
      kind: 'request_completed',
      participant,
      operation: 'session',
      requestedAt,
      outcome,
      code,
      attempts,
      attemptsWithoutResponse,
      conversation: null,
      ...(earlierCodes.length > 0 && { earlierCodes }),
    });
    return token ? new ApiClient(httpClient, journal, participant, { path: VISITOR_PATH, token }) : undefined;
  }
}
