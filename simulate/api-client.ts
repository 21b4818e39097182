import { type HttpClient, type NoResponse, type Reply, waitBeforeRetry } from './http-client.ts';
import { type Journal, now, type Outcome, type Participant, type RequestCompleted } from './journal.ts';

/** One GraphQL operation. */
export interface ApiRequest {
  /** The name of its field in the response. */
  readonly operation: string;
  readonly query: string;
  readonly variables?: object;
  readonly conversation?: number;
  /** Makes a retry safe if the operation itself is not idempotent. */
  readonly idempotencyKey?: string;
  /** After an attempt without a response, this error code means that the attempt was executed. */
  readonly alreadyDoneCode?: string;
}

export type ApiResult<T> =
  | { readonly outcome: 'done'; readonly data: T; readonly requestedAt: number; readonly at: number }
  | { readonly outcome: Exclude<Outcome, 'done'>; readonly code: string; readonly message: string };

const RETRY_TIMEOUT_MS = 30_000;
/** Codes of temporary errors. */
const RETRYABLE_CODES = new Set(['UNAVAILABLE', 'RATE_LIMITED']);

/** Sends GraphQL requests of one participant and records each result in the journal. */
export class ApiClient {
  readonly client: HttpClient;
  readonly path: string;
  readonly token: string;
  readonly #journal: Journal;
  readonly #participant: Participant | 'admin';

  constructor(
    client: HttpClient,
    journal: Journal,
    participant: Participant | 'admin',
    { path, token }: { path: string; token: string },
  ) {
    this.client = client;
    this.path = path;
    this.token = token;
    this.#journal = journal;
    this.#participant = participant;
  }

  /** Retries are safe: every operation is idempotent, or has a client id or an idempotency key. */
  async execute<T>(request: ApiRequest): Promise<ApiResult<T>> {
    const requestedAt = now();
    const { operation, query, variables, idempotencyKey } = request;
    const body = JSON.stringify({ query, variables });
    const headers = {
      Authorization: `Bearer ${this.token}`,
      ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
    };
    let attemptsWithoutResponse = 0;
    const earlierCodes: string[] = [];
    for (let attempts = 1; ; attempts += 1) {
      const reply = await this.client.post({ path: this.path, headers, body });
      const result = toResult<T>(operation, reply, requestedAt);
      if ('noResponse' in reply) {
        if (reply.sent) attemptsWithoutResponse += 1;
        this.client.switchNode();
      } else if (isOutcomeUnknown(result)) attemptsWithoutResponse += 1;
      if (isRetryable(result) && !this.client.isClosed && now() - requestedAt < RETRY_TIMEOUT_MS) {
        if ('code' in result) earlierCodes.push(result.code);
        await waitBeforeRetry(reply, attempts);
        continue;
      }
      return this.#record(request, result, { requestedAt, attempts, attemptsWithoutResponse, earlierCodes });
    }
  }

  #record<T>(
    { operation, conversation, alreadyDoneCode }: ApiRequest,
    result: ApiResult<T>,
    {
      requestedAt,
      attempts,
      attemptsWithoutResponse,
      earlierCodes,
    }: Pick<RequestCompleted, 'requestedAt' | 'attempts' | 'attemptsWithoutResponse' | 'earlierCodes'>,
  ): ApiResult<T> {
    const wasExecuted = result.outcome === 'refused' && result.code === alreadyDoneCode && attemptsWithoutResponse > 0;
    const outcome =
      wasExecuted || result.outcome === 'done'
        ? 'done'
        : attemptsWithoutResponse > 0 && result.outcome === 'failed'
          ? 'unknown'
          : result.outcome;
    const code = 'code' in result ? result.code : null;
    this.#journal.add({
      kind: 'request_completed',
      participant: this.#participant,
      operation,
      requestedAt,
      outcome,
      code,
      attempts,
      attemptsWithoutResponse,
      conversation: conversation ?? null,
      ...(earlierCodes && earlierCodes.length > 0 && { earlierCodes }),
    });
    return result;
  }
}

function isRetryable<T>(result: ApiResult<T>): boolean {
  return result.outcome === 'unknown' || ('code' in result && RETRYABLE_CODES.has(result.code));
}

/** The load balancer found no node, or the service lost its database during the commit: the same as no response. */
function isOutcomeUnknown<T>(result: ApiResult<T>): boolean {
  if (result.outcome === 'unknown') return true;
  return 'code' in result && result.code === 'UNAVAILABLE' && result.message.includes('not known');
}

interface GraphqlError {
  readonly message: string;
  readonly extensions?: { readonly code?: string };
}

function toResult<T>(operation: string, reply: Reply | NoResponse, requestedAt: number): ApiResult<T> {
  if ('noResponse' in reply) return { outcome: 'unknown', code: reply.noResponse, message: 'There was no response.' };
  const errors = reply.body?.errors as GraphqlError[] | undefined;
  const [error] = errors ?? [];
  if (error) {
    const code = error.extensions?.code ?? `HTTP ${reply.status}`;
    // The client may not know yet that it has just lost the conversation.
    return { outcome: code === 'FORBIDDEN' ? 'refused' : 'failed', code, message: error.message };
  }
  if (reply.status === 503) return { outcome: 'unknown', code: 'HTTP 503', message: 'No node responded.' };
  const data = reply.body?.data?.[operation];
  if (reply.status !== 200 || data === undefined) {
    return { outcome: 'failed', code: 'UNREADABLE', message: `Status ${reply.status}.` };
  }
  const [userError] = (data?.userErrors ?? []) as { message: string; code: string }[];
  if (userError) return { outcome: 'refused', code: userError.code, message: userError.message };
  return { outcome: 'done', data, requestedAt, at: now() };
}
