import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import {
  AddressNotAllowed,
  allowAnyAddress,
  createCheckedLookup,
  createDnsResolver,
  type Resolve,
  resolveWithSystem,
} from './addresses.ts';
import { type Outcome, RESPONSE_TIMEOUT_MS } from './delivery.ts';
import { isPublicAddress, parseLiteralAddress } from './private-networks.ts';

export interface OutgoingRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a delivery and reports the outcome. */
export interface Sender {
  send(request: OutgoingRequest): Promise<Outcome>;
  /** Aborts all requests in flight. */
  close(): void;
}

export interface SenderOptions {
  /** Whether events may be sent to private networks. */
  readonly allowPrivateHosts: boolean;
  readonly timeoutMs?: number;
  readonly resolve?: Resolve;
}

const IDLE_TIMEOUT_MS = 4000;
/** The response body is ignored; a longer one closes the connection. */
const MAX_RESPONSE_BYTES = 64 * 1024;

/** HTTP client with one deadline per delivery, without redirects, and only to allowed addresses. */
export class HttpSender implements Sender {
  readonly #timeoutMs: number;
  readonly #isAllowed: (address: string) => boolean;
  readonly #lookup: LookupFunction;
  readonly #agents = {
    'http:': new HttpAgent({ keepAlive: true, timeout: IDLE_TIMEOUT_MS }),
    'https:': new HttpsAgent({ keepAlive: true, timeout: IDLE_TIMEOUT_MS }),
  };
  readonly #inFlight = new Map<ClientRequest, (outcome: Outcome) => void>();
  #isClosed = false;

  constructor({ allowPrivateHosts, timeoutMs = RESPONSE_TIMEOUT_MS, resolve }: SenderOptions) {
    this.#timeoutMs = timeoutMs;
    this.#isAllowed = allowPrivateHosts ? allowAnyAddress : isPublicAddress;
    this.#lookup = createCheckedLookup(
      resolve ?? (allowPrivateHosts ? resolveWithSystem : createDnsResolver()),
      this.#isAllowed,
    );
  }

  async send(outgoing: OutgoingRequest): Promise<Outcome> {
    const url = new URL(outgoing.url);
    const literal = parseLiteralAddress(url); // connects without a DNS lookup
    if (literal !== undefined && !this.#isAllowed(literal)) return { error: new AddressNotAllowed().message };
    const deadline = performance.now() + this.#timeoutMs;
    const outcome = await this.#attempt(url, outgoing, deadline, true);
    // The receiver may have just closed a keep-alive connection; that is not a failure of the receiver.
    return outcome === 'stale connection'
      ? ((await this.#attempt(url, outgoing, deadline, false)) as Outcome)
      : outcome;
  }

  close(): void {
    this.#isClosed = true;
    for (const [request, settle] of this.#inFlight) {
      settle('abandoned');
      request.destroy();
    }
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  #attempt(url: URL, { headers, body }: OutgoingRequest, deadline: number, canReuse: boolean) {
    return new Promise<Outcome | 'stale connection'>((settle) => {
      if (this.#isClosed) return settle('abandoned');
      const isSecure = url.protocol === 'https:';
      const request = (isSecure ? httpsRequest : httpRequest)(url, {
        method: 'POST',
        headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
        lookup: this.#lookup,
        agent: canReuse ? this.#agents[url.protocol as 'http:' | 'https:'] : false,
      });
      this.#inFlight.set(request, settle);
      const timer = setTimeout(() => {
        settle({ error: `no response within ${this.#timeoutMs / 1000} s` });
        request.destroy();
      }, deadline - performance.now());
      request.once('response', (response) => {
        settle({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
        discardBody(response);
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = canReuse && request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        settle(isStale ? 'stale connection' : { error: describeError(error) });
      });
      request.once('close', () => {
        clearTimeout(timer);
        this.#inFlight.delete(request);
        settle({ error: 'the connection ended without an answer' });
      });
      request.end(body);
    });
  }
}

/** Reads the body to its end so that the connection can be reused, up to a limit. */
function discardBody(response: IncomingMessage): void {
  let read = 0;
  response.on('data', (chunk: Buffer) => {
    read += chunk.length;
    if (read > MAX_RESPONSE_BYTES) response.destroy();
  });
  response.on('error', () => undefined); // the status has already been recorded
}

function describeError(error: NodeJS.ErrnoException): string {
  if (error instanceof AddressNotAllowed) return error.message;
  return `could not connect: ${error.code ?? error.message}`.slice(0, 200);
}
