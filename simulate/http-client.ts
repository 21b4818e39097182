import { Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest, Agent as SecureAgent } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';

/** An HTTP client for JSON that distinguishes requests without a response from failed requests. */

/** The URL of the service, or of several of its nodes. */
export interface Target {
  readonly urls: readonly string[];
  /** Whether the service trusts `X-Forwarded-For`, so that each participant can have a separate address. */
  readonly trustsForwardedFor: boolean;
}

export interface Request {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: the response of any endpoint
  readonly body: any;
}

/** `sent` says whether the service may have executed the request. */
export interface NoResponse {
  readonly noResponse: string;
  readonly sent: boolean;
}

const RESPONSE_TIMEOUT_MS = 15_000;
const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 3000;

export class HttpClient {
  readonly target: Target;
  readonly #agent = new Agent({ keepAlive: true, scheduling: 'lifo' });
  readonly #secureAgent = new SecureAgent({ keepAlive: true, scheduling: 'lifo' });
  readonly #address: string | undefined;
  readonly #closed: { now: boolean };
  #node: number;

  /** `number` selects the first node, and the forwarded address if the service trusts it. */
  constructor(target: Target, number = 0, shared?: HttpClient) {
    this.target = target;
    this.#node = number % target.urls.length;
    this.#address = target.trustsForwardedFor ? toAddress(number) : undefined;
    this.#closed = shared ? shared.#closed : { now: false };
    if (shared) {
      this.#agent = shared.#agent;
      this.#secureAgent = shared.#secureAgent;
    }
  }

  /** Shares the connections with another participant. */
  forParticipant(number: number): HttpClient {
    return new HttpClient(this.target, number, this);
  }

  get url(): string {
    return this.target.urls[this.#node] as string;
  }

  /** A closed client does not retry. */
  get isClosed(): boolean {
    return this.#closed.now;
  }

  get headers(): Record<string, string> {
    return this.#address === undefined ? {} : { 'X-Forwarded-For': this.#address };
  }

  /** Selects the next node, for requests without a response. */
  switchNode(): void {
    this.#node = (this.#node + 1) % this.target.urls.length;
  }

  post({ path, headers, body }: Request): Promise<Reply | NoResponse> {
    const url = new URL(path, this.url);
    const secure = url.protocol === 'https:';
    return new Promise((resolve) => {
      let connected = false;
      const request = (secure ? httpsRequest : httpRequest)(
        url,
        {
          method: 'POST',
          agent: secure ? this.#secureAgent : this.#agent,
          headers: {
            'Content-Type': 'application/json',
            'Content-Length': Buffer.byteLength(body),
            ...this.headers,
            ...headers,
          },
          timeout: RESPONSE_TIMEOUT_MS,
        },
        (response) => {
          readReply(response).then(
            (reply) => resolve(isGatewayError(reply) ? { noResponse: `HTTP ${reply.status}`, sent: true } : reply),
            (error) => resolve(toNoResponse(error, true)),
          );
        },
      );
      request.once('socket', (socket) => {
        if (socket.connecting) socket.once('connect', () => (connected = true));
        else connected = true;
      });
      request.once('timeout', () => request.destroy(new Error('TIMEOUT')));
      request.once('error', (error) => resolve(toNoResponse(error, connected)));
      request.end(body);
    });
  }

  close(): void {
    this.#closed.now = true;
    this.#agent.destroy();
    this.#secureAgent.destroy();
  }
}

async function readReply(response: IncomingMessage): Promise<Reply> {
  const text = (await response.setEncoding('utf8').toArray()).join('');
  return { status: response.statusCode ?? 0, headers: response.headers, body: parseJson(text) };
}

/** The response of a load balancer: the service itself always responds with JSON. */
function isGatewayError({ status, body }: Reply): boolean {
  return body === undefined && (status === 502 || status === 503 || status === 504);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toNoResponse(error: Error & { code?: string }, sent: boolean): NoResponse {
  return { noResponse: error.code ?? error.message, sent };
}

/** Waits for the `Retry-After` of the service, or with exponential backoff. */
export async function waitBeforeRetry(reply: Reply | NoResponse, attempts: number): Promise<void> {
  const seconds = 'headers' in reply ? Number(reply.headers['retry-after']) : Number.NaN;
  if (Number.isFinite(seconds)) await wait(seconds * 1000);
  else await backOff(attempts);
}

/** Exponential backoff with jitter. */
export function backOff(attempts: number): Promise<void> {
  return wait(Math.min(MIN_BACKOFF_MS * 2 ** (attempts - 1), MAX_BACKOFF_MS) * (0.5 + Math.random() / 2));
}

function toAddress(number: number): string {
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
}
