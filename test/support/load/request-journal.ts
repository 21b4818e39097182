import { WAIT_TIMEOUT_MS } from '../waiting/wait.ts';

/** A client's record of one request. */
export interface RequestRecord {
  readonly kind: string;
  readonly node: number;
  /** By this process's clock. */
  readonly sentAt: number;
  readonly milliseconds: number;
  /** 0 if there was no response. */
  readonly status: number;
  readonly retryAfter: string | null;
  readonly outcome: Outcome;
}

/**
 * `unavailable` is 503; `partial` is a GraphQL response in which some fields are unavailable; `no response` includes
 * broken connections.
 */
export type Outcome = 'done' | 'unavailable' | 'partial' | 'refused' | 'no response';

export interface RecordedResponse extends RequestRecord {
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  readonly body: any;
}

/** Longer than a correct service ever takes; the small run only ends hanging requests. */
const RESPONSE_TIMEOUT_MS = process.env.FULL === '1' ? 8000 : WAIT_TIMEOUT_MS;

/** Sends requests and records the outcome of each. */
export class RequestJournal {
  readonly records: RequestRecord[] = [];

  async send(kind: string, node: number, url: string, init: RequestInit): Promise<RecordedResponse> {
    const sentAt = performance.now();
    const response = await fetchResponse(url, init);
    const { status, retryAfter, body } = response;
    const record = {
      ...{ kind, node, sentAt, milliseconds: performance.now() - sentAt, status, retryAfter },
      outcome: toOutcome(status, body),
    };
    this.records.push(record);
    return { ...record, body };
  }
}

async function fetchResponse(url: string, init: RequestInit) {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) });
    const text = await response.text();
    const body = text === '' ? undefined : JSON.parse(text);
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body };
  } catch {
    return { status: 0, retryAfter: null, body: undefined };
  }
}

// biome-ignore lint/suspicious/noExplicitAny: any JSON
function toOutcome(status: number, body: any): Outcome {
  if (status === 0) return 'no response';
  if (status === 503) return 'unavailable';
  if (status >= 300) return 'refused';
  const errors: { extensions?: { code?: string } }[] = body?.errors ?? [];
  if (errors.length === 0) return 'done';
  return errors.every(({ extensions }) => extensions?.code === 'UNAVAILABLE') ? 'partial' : 'refused';
}
