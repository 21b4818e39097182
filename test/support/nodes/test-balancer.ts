import {
  Agent,
  createServer,
  get,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Balancer } from './balancer.ts';

const CHECK_INTERVAL_MS = 100;
/** Only a hanging request takes this long, even on a busy machine: a dead node refuses connections immediately. */
const RESPONSE_TIMEOUT_MS = 60_000;
const MAX_RETRIES = 3;

interface Node {
  readonly url: URL;
  up: boolean;
}

/** The outcome of sending a request to one node. */
type Attempt = { readonly response: IncomingMessage } | { readonly error: Error; readonly wasSent: boolean };

export interface TestBalancerOptions {
  /** Drops every n-th response to a repeatable request; none by default. */
  readonly loseEvery?: number;
}

/** For machines without haproxy: a minimal load balancer with the same rules. */
export async function startTestBalancer(
  urls: readonly string[],
  { loseEvery = Number.POSITIVE_INFINITY }: TestBalancerOptions = {},
): Promise<Balancer> {
  const nodes = urls.map((url): Node => ({ url: new URL(url), up: false }));
  const agent = new Agent({ keepAlive: true });
  const choose = createRoundRobin(nodes);
  let retries = 0;
  let repeatableCount = 0;
  const isLost = (request: IncomingMessage, tries: number) => {
    if (tries > 0 || !isRepeatable(request)) return false;
    repeatableCount += 1;
    return repeatableCount % loseEvery === 0;
  };
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    forward(request, response).catch(() => response.destroy());
  });

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray());
    const tried = new Set<Node>();
    for (let tries = 0; ; tries += 1) {
      const node = choose(tried);
      if (!node) return sendError(response, 503);
      tried.add(node);
      const result = await tryNode(node, request, body, agent);
      const canRetry = tries < MAX_RETRIES && choose(tried, true) !== undefined;
      if ('response' in result) {
        const isUnavailable = result.response.statusCode === 503 && isRepeatable(request);
        if (canRetry && (isUnavailable || isLost(request, tries))) result.response.resume();
        else return sendBack(result.response, response);
      } else if (!canRetry || (result.wasSent && !isRepeatable(request))) return sendError(response, 502);
      retries += 1;
    }
  }

  server.on('upgrade', (request, socket: Duplex, head) => upgrade(choose, request, socket, head));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stopHealthChecks = await startHealthChecks(nodes);
  return {
    kind: 'own',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    retries: async () => retries,
    isUp: async (index) => nodes[index]?.up === true,
    stop: async () => {
      stopHealthChecks();
      agent.destroy();
      await close(server);
    },
  };
}

/** Round robin; nodes that were already tried come last. */
function createRoundRobin(nodes: readonly Node[]) {
  let turn = 0;
  return (tried: ReadonlySet<Node>, peek = false): Node | undefined => {
    const up = nodes.filter((node) => node.up);
    const fresh = up.filter((node) => !tried.has(node));
    const candidates = fresh.length > 0 ? fresh : up;
    if (!peek) turn += 1;
    return candidates[turn % candidates.length];
  };
}

function isRepeatable({ method = '', headers }: IncomingMessage): boolean {
  return ['GET', 'HEAD', 'PUT'].includes(method) || headers['idempotency-key'] !== undefined;
}

function tryNode(node: Node, request: IncomingMessage, body: Buffer, agent: Agent): Promise<Attempt> {
  return new Promise((resolve) => {
    let wasSent = false;
    const outgoing = httpRequest({
      ...{ host: node.url.hostname, port: node.url.port, method: request.method, path: request.url, agent },
      ...{ headers: { ...forwardedHeaders(request), 'content-length': body.length }, timeout: RESPONSE_TIMEOUT_MS },
    });
    outgoing.once('socket', (socket) => {
      if (!socket.connecting) wasSent = true;
      else socket.once('connect', () => (wasSent = true));
    });
    outgoing.once('timeout', () => outgoing.destroy(new Error('no response in time')));
    outgoing.once('response', (response) => resolve({ response }));
    outgoing.once('error', (error) => resolve({ error, wasSent }));
    outgoing.end(body);
  });
}

function sendBack(upstream: IncomingMessage, response: ServerResponse): void {
  response.writeHead(upstream.statusCode ?? 502, withoutHopHeaders(upstream.headers));
  upstream.once('error', () => response.destroy()); // the response was cut off, so cut off the client too
  upstream.pipe(response);
}

function sendError(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'text/plain' }).end('no node available\n');
}

function forwardedHeaders({ headers, socket }: IncomingMessage): OutgoingHttpHeaders {
  const before = headers['x-forwarded-for'];
  const address = socket.remoteAddress ?? '';
  return { ...withoutHopHeaders(headers), 'x-forwarded-for': before === undefined ? address : `${before}, ${address}` };
}

/** Hop-by-hop headers apply to one connection only. */
function withoutHopHeaders(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...rest } = headers;
  return rest;
}

/** An upgraded connection is passed through unchanged once a node has accepted it. */
function upgrade(
  choose: ReturnType<typeof createRoundRobin>,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  const tried = new Set<Node>();
  const cut = () => socket.destroy();
  socket.on('error', cut);
  const next = () => {
    const node = tried.size > MAX_RETRIES ? undefined : choose(tried);
    if (!node || tried.has(node)) return cut();
    tried.add(node);
    const upstream = connect(Number(node.url.port), node.url.hostname);
    upstream.once('error', next);
    upstream.once('connect', () => {
      upstream.off('error', next);
      upstream.on('error', cut);
      socket.on('error', () => upstream.destroy());
      socket.once('close', () => upstream.destroy());
      upstream.once('close', cut);
      upstream.write(buildRequestHead(request));
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
  };
  next();
}

function buildRequestHead(request: IncomingMessage): string {
  const headers = { ...request.headers, 'x-forwarded-for': forwardedHeaders(request)['x-forwarded-for'] };
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}: ${value}`),
  );
  return [`${request.method} ${request.url} HTTP/1.1`, ...lines, '', ''].join('\r\n');
}

/** Polls every node; resolves after the first round. */
async function startHealthChecks(nodes: readonly Node[]): Promise<() => void> {
  const round = () => Promise.all(nodes.map(async (node) => (node.up = await isReady(node))));
  await round();
  const timer = setInterval(round, CHECK_INTERVAL_MS);
  return () => clearInterval(timer);
}

function isReady({ url }: Node): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(new URL('/_ready', url), { agent: false, timeout: RESPONSE_TIMEOUT_MS }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(false));
  });
}

async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
