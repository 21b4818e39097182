import { type Client, type NoAnswer, type Reply, waitAfter } from './client.ts';
import { type Answered, type Journal, now, type Outcome, type Who } from './journal.ts';

/** One GraphQL operation of somebody. */
export interface Question {
  /** Its field in the answer. */
  readonly operation: string;
  readonly query: string;
  readonly variables?: object;
  readonly conversation?: number;
  /** Makes a second sending harmless where the operation itself is not. */
  readonly key?: string;
  /** After a try without an answer this refusal means that the try was carried out. */
  readonly doneIf?: string;
}

export type Answer<T> =
  | { readonly outcome: 'done'; readonly data: T; readonly askedAt: number; readonly at: number }
  | { readonly outcome: Exclude<Outcome, 'done'>; readonly code: string; readonly message: string };

/** How long somebody goes on trying. */
const PATIENCE_MS = 30_000;
/** What may be another the next time. */
const PASSING = new Set(['UNAVAILABLE', 'RATE_LIMITED', 'IN_PROGRESS']);

/** Asks one of the two GraphQL endpoints on somebody's behalf, and writes down what came of it. */
export class Asking {
  readonly client: Client;
  readonly path: string;
  readonly token: string;
  readonly #journal: Journal;
  readonly #who: Who | 'admin';

  constructor(client: Client, journal: Journal, who: Who | 'admin', { path, token }: { path: string; token: string }) {
    this.client = client;
    this.path = path;
    this.token = token;
    this.#journal = journal;
    this.#who = who;
  }

  /** Everything that is asked here can be sent again: by its nature, by a client id, or by a key. */
  async ask<T>(question: Question): Promise<Answer<T>> {
    const askedAt = now();
    const { operation, query, variables, key } = question;
    const body = JSON.stringify({ query, variables });
    const headers = { Authorization: `Bearer ${this.token}`, ...(key === undefined ? {} : { 'Idempotency-Key': key }) };
    let unanswered = 0;
    const earlier: string[] = [];
    for (let tries = 1; ; tries += 1) {
      const reply = await this.client.post({ path: this.path, headers, body });
      const answer = judged<T>(operation, reply, askedAt);
      if ('noAnswer' in reply) {
        if (reply.sent) unanswered += 1;
        this.client.moveOn();
      } else if (saysUnknown(answer)) unanswered += 1;
      if (mayPass(answer) && !this.client.isClosed && now() - askedAt < PATIENCE_MS) {
        if ('code' in answer) earlier.push(answer.code);
        await waitAfter(reply, tries);
        continue;
      }
      return this.#keep(question, answer, { askedAt, tries, unanswered, earlier });
    }
  }

  #keep<T>(
    { operation, conversation, doneIf }: Question,
    answer: Answer<T>,
    { askedAt, tries, unanswered, earlier }: Pick<Answered, 'askedAt' | 'tries' | 'unanswered' | 'earlier'>,
  ): Answer<T> {
    const carriedOut = answer.outcome === 'refused' && answer.code === doneIf && unanswered > 0;
    const outcome =
      carriedOut || answer.outcome === 'done'
        ? 'done'
        : unanswered > 0 && answer.outcome === 'failed'
          ? 'unknown'
          : answer.outcome;
    const code = 'code' in answer ? answer.code : null;
    this.#journal.add({
      ...{ kind: 'answered', who: this.#who, operation, askedAt, outcome, code, tries, unanswered },
      conversation: conversation ?? null,
      ...(earlier && earlier.length > 0 && { earlier }),
    });
    return answer;
  }
}

function mayPass<T>(answer: Answer<T>): boolean {
  return answer.outcome === 'unknown' || ('code' in answer && PASSING.has(answer.code));
}

/** A load balancer found nobody, or the service lost its database in the middle of the change: as good as no answer. */
function saysUnknown<T>(answer: Answer<T>): boolean {
  if (answer.outcome === 'unknown') return true;
  return 'code' in answer && answer.code === 'UNAVAILABLE' && answer.message.includes('not known');
}

interface GraphqlError {
  readonly message: string;
  readonly extensions?: { readonly code?: string };
}

function judged<T>(operation: string, reply: Reply | NoAnswer, askedAt: number): Answer<T> {
  if ('noAnswer' in reply) return { outcome: 'unknown', code: reply.noAnswer, message: 'There was no answer.' };
  const errors = reply.body?.errors as GraphqlError[] | undefined;
  const [error] = errors ?? [];
  if (error) {
    const code = error.extensions?.code ?? `HTTP ${reply.status}`;
    // Who lost a conversation a moment ago may not know it yet.
    return { outcome: code === 'FORBIDDEN' ? 'refused' : 'failed', code, message: error.message };
  }
  if (reply.status === 503) return { outcome: 'unknown', code: 'HTTP 503', message: 'No node answered.' };
  const data = reply.body?.data?.[operation];
  if (reply.status !== 200 || data === undefined) {
    return { outcome: 'failed', code: 'UNREADABLE', message: `Status ${reply.status}.` };
  }
  const [mistake] = (data?.userErrors ?? []) as { message: string; code: string }[];
  if (mistake) return { outcome: 'refused', code: mistake.code, message: mistake.message };
  return { outcome: 'done', data, askedAt, at: now() };
}
