import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import {
  AddressRefused,
  anyAddress,
  checkedLookup,
  publicAddress,
  type Resolve,
  resolveByNameServers,
  resolveLikeSystem,
} from './addresses.ts';
import { type Outcome, TIMEOUT_MS } from './delivery.ts';
import { literalAddress } from './private-networks.ts';

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Posts what a delivery says and tells what came of it. */
export interface Sender {
  send(post: Post): Promise<Outcome>;
  /** Gives up what is on its way. */
  close(): void;
}

export interface SenderOptions {
  /** Whether receivers may be in private networks. */
  readonly allowPrivate: boolean;
  readonly timeoutMs?: number;
  readonly resolve?: Resolve;
}

const IDLE_MS = 4000;
/** An answer's body says nothing to us; a longer one ends the connection. */
const MAX_BODY_BYTES = 64 * 1024;

/** HTTP with a deadline for the whole, without redirects, and only to addresses that are allowed. */
export class HttpSender implements Sender {
  readonly #timeoutMs: number;
  readonly #isAllowed: (address: string) => boolean;
  readonly #lookup: LookupFunction;
  readonly #agents = {
    'http:': new HttpAgent({ keepAlive: true, timeout: IDLE_MS }),
    'https:': new HttpsAgent({ keepAlive: true, timeout: IDLE_MS }),
  };
  readonly #running = new Map<ClientRequest, (outcome: Outcome) => void>();
  #closed = false;

  constructor({ allowPrivate, timeoutMs = TIMEOUT_MS, resolve }: SenderOptions) {
    this.#timeoutMs = timeoutMs;
    this.#isAllowed = allowPrivate ? anyAddress : publicAddress;
    this.#lookup = checkedLookup(
      resolve ?? (allowPrivate ? resolveLikeSystem : resolveByNameServers()),
      this.#isAllowed,
    );
  }

  async send(post: Post): Promise<Outcome> {
    const url = new URL(post.url);
    const literal = literalAddress(url); // is connected to without a look-up
    if (literal !== undefined && !this.#isAllowed(literal)) return { error: new AddressRefused().message };
    const deadline = performance.now() + this.#timeoutMs;
    const outcome = await this.#attempt(url, post, deadline, true);
    // A kept connection may have been closed at the other end just now; that is not the receiver's failure.
    return outcome === 'stale connection' ? ((await this.#attempt(url, post, deadline, false)) as Outcome) : outcome;
  }

  close(): void {
    this.#closed = true;
    for (const [request, settle] of this.#running) {
      settle('abandoned');
      request.destroy();
    }
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  #attempt(url: URL, { headers, body }: Post, deadline: number, mayReuse: boolean) {
    return new Promise<Outcome | 'stale connection'>((settle) => {
      if (this.#closed) return settle('abandoned');
      const isSecure = url.protocol === 'https:';
      const request = (isSecure ? httpsRequest : httpRequest)(url, {
        method: 'POST',
        headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
        lookup: this.#lookup,
        agent: mayReuse ? this.#agents[url.protocol as 'http:' | 'https:'] : false,
      });
      this.#running.set(request, settle);
      const timer = setTimeout(() => {
        settle({ error: `no answer within ${this.#timeoutMs / 1000} s` });
        request.destroy();
      }, deadline - performance.now());
      request.once('response', (response) => {
        settle({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
        discard(response);
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = mayReuse && request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        settle(isStale ? 'stale connection' : { error: inWords(error) });
      });
      request.once('close', () => {
        clearTimeout(timer);
        this.#running.delete(request);
        settle({ error: 'the connection ended without an answer' });
      });
      request.end(body);
    });
  }
}

/** Read to its end, so that the connection can be used again, but not for ever. */
function discard(response: IncomingMessage): void {
  let read = 0;
  response.on('data', (chunk: Buffer) => {
    read += chunk.length;
    if (read > MAX_BODY_BYTES) response.destroy();
  });
  response.on('error', () => undefined); // what it said counts
}

function inWords(error: NodeJS.ErrnoException): string {
  if (error instanceof AddressRefused) return error.message;
  return `could not connect: ${error.code ?? error.message}`.slice(0, 200);
}
