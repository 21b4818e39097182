import { Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest, Agent as SecureAgent } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';

/** HTTP with JSON, as a patient client speaks it: what got no answer is told apart from what failed. */

/** Where the service is: one address, or several nodes of it. */
export interface Target {
  readonly urls: readonly string[];
  /** Whether the service believes what it is told of a client's address, so that everybody can come from their own. */
  readonly believesAddresses: boolean;
}

export interface Request {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service answers
  readonly body: any;
}

/** `sent` says whether the service may have carried it out. */
export interface NoAnswer {
  readonly noAnswer: string;
  readonly sent: boolean;
}

const ANSWER_WITHIN_MS = 15_000;
const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 3000;

export class Client {
  readonly target: Target;
  readonly #agent = new Agent({ keepAlive: true, scheduling: 'lifo' });
  readonly #secureAgent = new SecureAgent({ keepAlive: true, scheduling: 'lifo' });
  readonly #address: string | undefined;
  readonly #closed: { now: boolean };
  #node: number;

  /** `number` gives everybody a node to begin with, and an address of their own where that is believed. */
  constructor(target: Target, number = 0, shared?: Client) {
    this.target = target;
    this.#node = number % target.urls.length;
    this.#address = target.believesAddresses ? addressOf(number) : undefined;
    this.#closed = shared ? shared.#closed : { now: false };
    if (shared) {
      this.#agent = shared.#agent;
      this.#secureAgent = shared.#secureAgent;
    }
  }

  /** The same connections for another person. */
  for(number: number): Client {
    return new Client(this.target, number, this);
  }

  get url(): string {
    return this.target.urls[this.#node] as string;
  }

  /** Nobody tries anything again then. */
  get isClosed(): boolean {
    return this.#closed.now;
  }

  get headers(): Record<string, string> {
    return this.#address === undefined ? {} : { 'X-Forwarded-For': this.#address };
  }

  /** Another node, for whoever got no answer from this one. */
  moveOn(): void {
    this.#node = (this.#node + 1) % this.target.urls.length;
  }

  post({ path, headers, body }: Request): Promise<Reply | NoAnswer> {
    const url = new URL(path, this.url);
    const secure = url.protocol === 'https:';
    return new Promise((resolve) => {
      let connected = false;
      const sent = (secure ? httpsRequest : httpRequest)(
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
          timeout: ANSWER_WITHIN_MS,
        },
        (response) => {
          readReply(response).then(
            (reply) => resolve(isOfGateway(reply) ? { noAnswer: `HTTP ${reply.status}`, sent: true } : reply),
            (error) => resolve(noAnswer(error, true)),
          );
        },
      );
      sent.once('socket', (socket) => {
        if (socket.connecting) socket.once('connect', () => (connected = true));
        else connected = true;
      });
      sent.once('timeout', () => sent.destroy(new Error('TIMEOUT')));
      sent.once('error', (error) => resolve(noAnswer(error, connected)));
      sent.end(body);
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
  return { status: response.statusCode ?? 0, headers: response.headers, body: parsed(text) };
}

/** What a load balancer says in the place of a node; the service itself always answers in JSON. */
function isOfGateway({ status, body }: Reply): boolean {
  return body === undefined && (status === 502 || status === 503 || status === 504);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function noAnswer(error: Error & { code?: string }, sent: boolean): NoAnswer {
  return { noAnswer: error.code ?? error.message, sent };
}

/** As long as the service asks for; else longer from try to try. */
export async function waitAfter(reply: Reply | NoAnswer, tries: number): Promise<void> {
  const seconds = 'headers' in reply ? Number(reply.headers['retry-after']) : Number.NaN;
  if (Number.isFinite(seconds)) await wait(seconds * 1000);
  else await pause(tries);
}

/** Longer from try to try, and never the same for all. */
export function pause(tries: number): Promise<void> {
  return wait(Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), MAX_WAIT_MS) * (0.5 + Math.random() / 2));
}

function addressOf(number: number): string {
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
}
