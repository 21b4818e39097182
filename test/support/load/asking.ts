import { PATIENCE_MS } from '../waiting/until.ts';

/** What a client wrote down of one request. */
export interface Asked {
  readonly kind: string;
  readonly node: number;
  /** By the clock of this process, when it was sent. */
  readonly sentAt: number;
  readonly milliseconds: number;
  /** 0 where no answer came. */
  readonly status: number;
  readonly retryAfter: string | null;
  readonly outcome: Outcome;
}

/**
 * `unavailable` is 503; `partly` is an answer in which the GraphQL protocol says of a part that it is unavailable; `silent` is
 * none at all, or a broken connection.
 */
export type Outcome = 'done' | 'unavailable' | 'partly' | 'refused' | 'silent';

export interface Answer extends Asked {
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  readonly body: any;
}

/** Longer than a service that keeps its word ever takes; in the small run, which may have little processor, only what hangs does. */
const ANSWER_WITHIN_MS = process.env.FULL === '1' ? 8000 : PATIENCE_MS;

/** Sends requests and writes down what became of each. */
export class Journal {
  readonly asked: Asked[] = [];

  async ask(kind: string, node: number, url: string, init: RequestInit): Promise<Answer> {
    const sentAt = performance.now();
    const answer = await exchange(url, init);
    const { status, retryAfter, body } = answer;
    const asked = {
      ...{ kind, node, sentAt, milliseconds: performance.now() - sentAt, status, retryAfter },
      outcome: outcomeOf(status, body),
    };
    this.asked.push(asked);
    return { ...asked, body };
  }
}

async function exchange(url: string, init: RequestInit) {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    const text = await response.text();
    const body = text === '' ? undefined : JSON.parse(text);
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body };
  } catch {
    return { status: 0, retryAfter: null, body: undefined };
  }
}

// biome-ignore lint/suspicious/noExplicitAny: whatever came back
function outcomeOf(status: number, body: any): Outcome {
  if (status === 0) return 'silent';
  if (status === 503) return 'unavailable';
  if (status >= 300) return 'refused';
  const errors: { extensions?: { code?: string } }[] = body?.errors ?? [];
  if (errors.length === 0) return 'done';
  return errors.every(({ extensions }) => extensions?.code === 'UNAVAILABLE') ? 'partly' : 'refused';
}
