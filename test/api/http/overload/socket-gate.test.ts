import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before, beforeEach, suite, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { SocketGate } from '../../../../src/api/http/overload/socket-gate.ts';
import { waitUntil } from '../../../support/waiting/wait.ts';

const REFUSAL = Buffer.from('HTTP/1.1 503 Service Unavailable\r\ncontent-length: 7\r\n\r\nrefused');

let server: Server;
let isClosed = false;
let parsed: string[];

before(async () => {
  const gates = new WeakMap<Socket, SocketGate>();
  server = createServer(async (request, response) => {
    const gate = gates.get(request.socket);
    gate?.markStarted(request);
    response.once('close', () => gate?.markFinished());
    parsed.push(request.url ?? '');
    await request.resume().toArray();
    response.end(request.url);
  });
  const admission = {
    findRefusal: () => (isClosed ? REFUSAL : undefined),
    readLater: (resume: () => void) => setImmediate(resume),
  };
  server.on('connection', (socket) => gates.set(socket, new SocketGate(socket, admission)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
after(() => server.close());
beforeEach(() => {
  isClosed = false;
  parsed = [];
});

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

class Client {
  readonly #socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  #received = '';
  readonly closed = once(this.#socket, 'close');

  constructor() {
    this.#socket.setNoDelay().on('data', (chunk) => {
      this.#received += chunk;
    });
  }

  send(text: string): void {
    this.#socket.write(text);
  }

  /** The bodies of all responses, in order. */
  get bodies(): string[] {
    return [...this.#received.matchAll(/content-length: (\d+)(?:\r\n[^\r]+)*\r\n\r\n/gi)].map((match) => {
      const start = match.index + match[0].length;
      return this.#received.slice(start, start + Number(match[1]));
    });
  }

  async receive(count: number): Promise<string[]> {
    await waitUntil(`${count} responses arrived`, () => this.bodies.length >= count);
    return this.bodies;
  }

  async request(text: string): Promise<string | undefined> {
    const before = this.bodies.length;
    this.send(text);
    return (await this.receive(before + 1)).at(-1);
  }

  close(): void {
    this.#socket.destroy();
  }
}

suite('a gate', () => {
  let client: Client;
  beforeEach(() => {
    client = new Client();
  });
  const closeGate = async () => {
    assert.equal(await client.request(get('/first')), '/first');
    isClosed = true;
  };

  test('refuses plain GET requests before they are parsed, and lets them pass again later', async () => {
    await closeGate();
    assert.equal(await client.request(get('/second')), 'refused');
    assert.equal(await client.request(get('/third')), 'refused');
    isClosed = false;
    assert.equal(await client.request(get('/fourth')), '/fourth');
    assert.deepEqual(parsed, ['/first', '/fourth']);
    client.close();
  });

  test('leaves everything else to the parser', async () => {
    await closeGate();
    assert.equal(await client.request(post('/body', 'text')), '/body');
    client.close();
  });

  for (const [what, request] of Object.entries({
    'two requests with bare line feeds':
      'GET /a HTTP/1.1\nHost: localhost\n\nGET /b HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'a bare carriage return': get('/a', 'X: y\rContent-Length: 5\r\n'),
    'another protocol': 'GET /a XTTP/9\r\n\r\n',
    'a folded header': get('/a', 'X: y\r\n Transfer-Encoding: chunked\r\n'),
    'a header without a name': get('/a', ': y\r\n'),
    'HTTP/1.0': 'GET /a HTTP/1.0\r\n\r\n',
    'a connection that is to be closed': get('/a', 'Connection: close\r\n'),
  })) {
    test(`leaves ${what} to the parser, which closes the connection`, async () => {
      await closeGate();
      client.send(request);
      await client.closed;
      assert.ok(!client.bodies.includes('refused'));
    });
  }

  test('does not take the body of a request for a request', async () => {
    await closeGate();
    const body = get('/in-the-body');
    client.send(`POST /outer HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n`);
    await waitUntil('the head was parsed', () => parsed.includes('/outer'));
    assert.equal(await client.request(body), '/outer');
    assert.equal(client.bodies.length, 2);
    client.close();
  });

  test('does not take the body of a GET request for a request', async () => {
    await closeGate();
    const body = get('/in-the-body');
    client.send(get('/outer', `Content-Length: ${body.length}\r\n`));
    await waitUntil('the head was parsed', () => parsed.includes('/outer'));
    assert.equal(await client.request(body), '/outer');
    assert.deepEqual(parsed, ['/first', '/outer']);
    client.close();
  });

  test('never answers a request twice or not at all, however the bytes are split', async () => {
    const request = fc.oneof(
      fc.constant((index: number) => get(`/${index}`)),
      fc.constant((index: number) => post(`/${index}`, get(`/body-of-${index}`))),
      fc.constant((index: number) => post(`/${index}`, '')),
    );
    const sequence = fc.record({
      requests: fc.array(request, { minLength: 1, maxLength: 6 }),
      cuts: fc.array(fc.nat(600), { maxLength: 6 }),
      closedAt: fc.array(fc.boolean(), { minLength: 13, maxLength: 13 }),
    });
    await fc.assert(
      fc.asyncProperty(sequence, async ({ requests, cuts, closedAt }) => {
        const splitClient = new Client();
        isClosed = false;
        const text = requests.map((build, index) => build(index)).join('');
        const texts = requests.map((build, index) => build(index));
        const ends = texts.map((_, index) => texts.slice(0, index + 1).join('').length);
        const borders = [...new Set([...ends, ...cuts.map((cut) => cut % text.length)])].sort((a, b) => a - b);
        for (const [index, end] of borders.entries()) {
          splitClient.send(text.slice(borders[index - 1] ?? 0, end));
          for (let turn = 0; turn < 4; turn++) await nextTurn();
          isClosed = closedAt[index % closedAt.length] as boolean;
        }
        const bodies = await splitClient.receive(requests.length);
        splitClient.close();
        assert.equal(bodies.length, requests.length);
        for (const [index, body] of bodies.entries()) assert.ok(body === `/${index}` || body === 'refused', body);
      }),
      { numRuns: 100 },
    );
  });
});
