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

const LOOK_EVERY_MS = 100;
/** Only what hangs takes so long, also where there is little processor: a dead node refuses connections at once. */
const ANSWER_WITHIN_MS = 60_000;
const MAX_RETRIES = 3;

interface Node {
  readonly url: URL;
  up: boolean;
}

/** What became of one try of a request. */
type Try = { readonly answer: IncomingMessage } | { readonly lost: Error; readonly sent: boolean };

export interface OwnBalancerOptions {
  /** Of the answers to what may be repeated, every so-manieth is lost on its way from the node; none if nothing is said. */
  readonly losesEvery?: number;
}

/** For machines without haproxy: as small as a load balancer can be, and with the same rules. */
export async function startOwnBalancer(
  urls: readonly string[],
  { losesEvery = Number.POSITIVE_INFINITY }: OwnBalancerOptions = {},
): Promise<Balancer> {
  const nodes = urls.map((url): Node => ({ url: new URL(url), up: false }));
  const agent = new Agent({ keepAlive: true });
  const choose = inTurn(nodes);
  let retries = 0;
  let repeatable = 0;
  const isLost = (request: IncomingMessage, tries: number) => {
    if (tries > 0 || !mayRepeat(request)) return false;
    repeatable += 1;
    return repeatable % losesEvery === 0;
  };
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    pass(request, response).catch(() => response.destroy());
  });

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray());
    const tried = new Set<Node>();
    for (let tries = 0; ; tries += 1) {
      const node = choose(tried);
      if (!node) return refuse(response, 503);
      tried.add(node);
      const result = await tryOn(node, request, body, agent);
      const again = tries < MAX_RETRIES && choose(tried, true) !== undefined;
      if ('answer' in result) {
        const isRefused = result.answer.statusCode === 503 && mayRepeat(request);
        if (again && (isRefused || isLost(request, tries))) result.answer.resume();
        else return hand(result.answer, response);
      } else if (!again || (result.sent && !mayRepeat(request))) return refuse(response, 502);
      retries += 1;
    }
  }

  server.on('upgrade', (request, socket: Duplex, head) => upgrade(choose, request, socket, head));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stopLooking = await look(nodes);
  return {
    kind: 'own',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    retries: async () => retries,
    isUp: async (index) => nodes[index]?.up === true,
    stop: async () => {
      stopLooking();
      agent.destroy();
      await close(server);
    },
  };
}

/** One after the other; those that were tried already only when there is no other. */
function inTurn(nodes: readonly Node[]) {
  let turn = 0;
  return (tried: ReadonlySet<Node>, onlyLook = false): Node | undefined => {
    const up = nodes.filter((node) => node.up);
    const fresh = up.filter((node) => !tried.has(node));
    const left = fresh.length > 0 ? fresh : up;
    if (!onlyLook) turn += 1;
    return left[turn % left.length];
  };
}

function mayRepeat({ method = '', headers }: IncomingMessage): boolean {
  return ['GET', 'HEAD', 'PUT'].includes(method) || headers['idempotency-key'] !== undefined;
}

function tryOn(node: Node, request: IncomingMessage, body: Buffer, agent: Agent): Promise<Try> {
  return new Promise((resolve) => {
    let sent = false;
    const passed = httpRequest({
      ...{ host: node.url.hostname, port: node.url.port, method: request.method, path: request.url, agent },
      ...{ headers: { ...forwarded(request), 'content-length': body.length }, timeout: ANSWER_WITHIN_MS },
    });
    passed.once('socket', (socket) => {
      if (!socket.connecting) sent = true;
      else socket.once('connect', () => (sent = true));
    });
    passed.once('timeout', () => passed.destroy(new Error('no answer in time')));
    passed.once('response', (answer) => resolve({ answer }));
    passed.once('error', (lost) => resolve({ lost, sent }));
    passed.end(body);
  });
}

function hand(answer: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answer.statusCode ?? 502, withoutHops(answer.headers));
  answer.once('error', () => response.destroy()); // cut off in the middle: so is its reader
  answer.pipe(response);
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'text/plain' }).end('no node answers\n');
}

function forwarded({ headers, socket }: IncomingMessage): OutgoingHttpHeaders {
  const before = headers['x-forwarded-for'];
  const address = socket.remoteAddress ?? '';
  return { ...withoutHops(headers), 'x-forwarded-for': before === undefined ? address : `${before}, ${address}` };
}

/** What is said of one connection is not said of the next. */
function withoutHops(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...rest } = headers;
  return rest;
}

/** A connection that changes its protocol is passed on as it is, once a node has taken it. */
function upgrade(choose: ReturnType<typeof inTurn>, request: IncomingMessage, socket: Duplex, head: Buffer): void {
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
      upstream.write(rawHead(request));
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
  };
  next();
}

function rawHead(request: IncomingMessage): string {
  const headers = { ...request.headers, 'x-forwarded-for': forwarded(request)['x-forwarded-for'] };
  const lines = Object.entries(headers).flatMap(([name, values]) => [values].flat().map((one) => `${name}: ${one}`));
  return [`${request.method} ${request.url} HTTP/1.1`, ...lines, '', ''].join('\r\n');
}

/** Asks every node again and again whether it takes requests; answers after the first round. */
async function look(nodes: readonly Node[]): Promise<() => void> {
  const round = () => Promise.all(nodes.map(async (node) => (node.up = await isReady(node))));
  await round();
  const timer = setInterval(round, LOOK_EVERY_MS);
  return () => clearInterval(timer);
}

function isReady({ url }: Node): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = get(new URL('/_ready', url), { agent: false, timeout: ANSWER_WITHIN_MS }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    asked.once('timeout', () => asked.destroy());
    asked.once('error', () => resolve(false));
  });
}

async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
