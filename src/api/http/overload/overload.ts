import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { hasBody } from '../request-body.ts';
import { type SecurityHeaders, toHeaderLines } from '../security-headers.ts';
import { hasSessionCookie } from '../session-cookie.ts';
import { continueReading, stopReading } from '../socket-reading.ts';
import { AdmissionQueue } from './admission-queue.ts';
import { RefusedConnections } from './refused-connections.ts';
import { classifyRequest, type PathPolicy, type RequestClass, type RequestTraits } from './request-class.ts';
import { type GateAdmission, SocketGate } from './socket-gate.ts';

const RETRY_AFTER_SECONDS = 1;
/** Always served, so that balancers and monitoring see a node that works. */
const OPERATIONS_PATHS = new Set(['/_health', '/_ready', '/metrics']);
/** More than these are treated like other anonymous requests. */
const MAX_OPERATIONS_PER_SECOND = 100;

export interface OverloadOptions {
  readonly burstMs: number;
  /** The first match applies; the last one matches everything. */
  readonly overloadPolicies: readonly PathPolicy[];
  readonly securityHeaders: SecurityHeaders;
  isWebSocketUrl(url: string): boolean;
  /** Milliseconds; replaced in tests. */
  readClock?(): number;
}

interface PreparedRefusal {
  readonly headers: readonly string[];
  readonly body: string;
  readonly bytes: Buffer;
}

/** Serves requests in time or refuses them at once: see docs/decisions/0011-overload.md. */
export class OverloadProtection implements GateAdmission {
  readonly refusalCounts: Record<RequestClass, number> = { conversation: 0, integration: 0, anonymous: 0 };
  readonly #options: OverloadOptions;
  readonly #readClock: () => number;
  readonly #queue: AdmissionQueue;
  readonly #refusals: ReadonlyMap<PathPolicy, PreparedRefusal>;
  readonly #refusedConnections = new RefusedConnections();
  readonly #gates = new WeakMap<Socket, SocketGate>();
  #operationsSecond = 0;
  #operationsCount = 0;

  constructor(options: OverloadOptions) {
    this.#options = options;
    this.#readClock = options.readClock ?? (() => performance.now());
    this.#queue = new AdmissionQueue(options.burstMs, this.#readClock);
    const { overloadPolicies, securityHeaders } = options;
    this.#refusals = new Map(overloadPolicies.map((policy) => [policy, prepareRefusal(policy, securityHeaders)]));
  }

  get waitingCount(): number {
    return this.#queue.waitingCount;
  }

  /** Decides before every other listener of the server; WebSockets ask `canUpgrade`. */
  protect(server: Server): void {
    const [serve] = server.listeners('request') as [RequestListener];
    server.off('request', serve);
    server.on('request', (request, response) => this.#handle(request, response, () => serve(request, response)));
  }

  /** A WebSocket that is refused arrives as a plain request. */
  canUpgrade({ url = '' }: IncomingMessage): boolean {
    return this.#options.isWebSocketUrl(url) && this.#queue.isOpen('integration');
  }

  #handle(request: IncomingMessage, response: ServerResponse, serve: () => void): void {
    const { url = '', headers } = request;
    this.#trackInGate(request, response);
    if (this.#isForOperations(url)) {
      serve();
      return;
    }
    const traits = {
      url,
      hasToken: headers.authorization !== undefined || hasSessionCookie(headers.cookie),
      hasApiKey: headers['x-api-key'] !== undefined,
    };
    const policy = this.#findPolicy(url);
    const requestClass = classifyRequest(policy, traits);
    const refuse = () => this.#refuse(request, response, policy, requestClass);
    const isRefusedWebSocket =
      headers.upgrade !== undefined && this.#options.isWebSocketUrl(url) && !this.canUpgrade(request);
    if (isRefusedWebSocket) {
      refuse();
      return;
    }
    this.#queue.admit({
      requestClass,
      refuse,
      isGone: () => response.destroyed,
      serve: () => {
        trackRunning(request, response, this.#queue);
        serve();
      },
    });
  }

  #refuse({ socket }: IncomingMessage, response: ServerResponse, policy: PathPolicy, requestClass: RequestClass): void {
    this.refusalCounts[requestClass] += 1;
    const { headers, body } = this.#refusals.get(policy) as PreparedRefusal;
    const respond = () => response.writeHead(503, headers as string[]).end(body);
    if (this.#gates.has(socket)) {
      respond();
      return;
    }
    // In rotation, because a response through node:http takes long: a turn with thousands of them would not end.
    stopReading(socket);
    this.readLater(() => {
      respond();
      continueReading(socket);
      this.#openGate(socket); // this client will probably send more
    });
  }

  readLater(resume: () => void): void {
    this.#refusedConnections.add(resume);
  }

  #openGate(socket: Socket): void {
    if (socket.destroyed || this.#gates.has(socket)) return;
    this.#gates.set(socket, new SocketGate(socket, this));
  }

  findRefusal(traits: RequestTraits): Buffer | undefined {
    if (OPERATIONS_PATHS.has(traits.url)) return undefined;
    const policy = this.#findPolicy(traits.url);
    const requestClass = classifyRequest(policy, traits);
    if (this.#queue.isOpen(requestClass)) return undefined;
    this.refusalCounts[requestClass] += 1;
    return this.#refusals.get(policy)?.bytes;
  }

  #trackInGate(request: IncomingMessage, response: ServerResponse): void {
    const gate = this.#gates.get(request.socket);
    if (!gate) return;
    gate.markStarted(request);
    response.once('close', () => gate.markFinished());
  }

  #findPolicy(url: string): PathPolicy {
    return this.#options.overloadPolicies.find(({ prefix }) => url.startsWith(prefix)) as PathPolicy;
  }

  #isForOperations(url: string): boolean {
    if (!OPERATIONS_PATHS.has(url)) return false;
    const second = Math.floor(this.#readClock() / 1000);
    if (second !== this.#operationsSecond) this.#operationsCount = 0;
    this.#operationsSecond = second;
    this.#operationsCount += 1;
    return this.#operationsCount <= MAX_OPERATIONS_PER_SECOND;
  }
}

/**
 * A request runs from when it has arrived completely until its response is complete. The time in between a client
 * controls by sending or reading slowly: that has its own timeouts.
 */
function trackRunning(request: IncomingMessage, response: ServerResponse, queue: AdmissionQueue): void {
  const start = () => {
    if (response.destroyed || response.writableEnded) return;
    queue.markStarted();
    let isFinished = false;
    const finish = () => {
      if (isFinished) return;
      isFinished = true;
      queue.markFinished();
    };
    response.once('prefinish', finish).once('close', finish);
  };
  if (hasBody(request)) request.once('end', start);
  else start();
}

function prepareRefusal({ refusal: { headers, body } }: PathPolicy, securityHeaders: SecurityHeaders): PreparedRefusal {
  const allHeaders = {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'retry-after': String(RETRY_AFTER_SECONDS),
    'cache-control': 'no-store',
    ...securityHeaders,
    // The response is the same for everyone, so pages of any origin may see that they should retry.
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'Retry-After',
  };
  return {
    headers: Object.entries(allHeaders).flat(),
    body,
    bytes: Buffer.from(`HTTP/1.1 503 Service Unavailable\r\n${toHeaderLines(allHeaders)}\r\n${body}`),
  };
}
