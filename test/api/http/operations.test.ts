import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { callOAuth, logIn, tryLogin } from '../../support/clients/oauth.ts';
import { restClient } from '../../support/clients/rest.ts';
import { serveInProcess } from '../../support/processes/in-process-service.ts';
import {
  ADMIN,
  type Switchboard,
  type SwitchboardProcess,
  startSwitchboard,
  startSwitchboardProcess,
  testEnvironment,
  WRITE_KEY,
} from '../../support/processes/switchboard.ts';
import { waitUntil, withTimeout } from '../../support/waiting/wait.ts';

interface LogLine {
  readonly msg: string;
  readonly reqId?: string;
  readonly method?: string;
  readonly route?: string;
  readonly status?: number;
}

const logLines = (service: { log(): string }): LogLine[] =>
  service
    .log()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

suite('a running service', () => {
  let switchboard: Switchboard;
  before(async () => {
    switchboard = await startSwitchboard();
  });
  after(() => switchboard.stop());

  test('reports that it is alive and ready', async () => {
    for (const [path, status] of [
      ['/_health', 'alive'],
      ['/_ready', 'ready'],
    ] as const) {
      const response = await callOAuth(switchboard.url, path);
      assert.equal(response.status, 200);
      assert.deepEqual(response.body, { status });
      assert.equal(response.headers.get('cache-control'), 'no-store');
    }
  });

  test('counts requests by route, logins by outcome and limits hit', async () => {
    const rest = restClient(switchboard.url, switchboard.key);
    for (const path of ['/operator/1', '/operator/999', '/operator/998', '/operator/1?full=1']) await rest.get(path);
    await fetch(`${switchboard.url}/some/where?key=${WRITE_KEY}`);
    await logIn(switchboard.url, ADMIN);
    // Concurrently: ten per minute are admitted, however long the checks take.
    await Promise.all(Array.from({ length: 12 }, () => tryLogin(switchboard.url, 'unknown@example.com', 'wrong')));
    const text = await (await fetch(`${switchboard.url}/metrics`)).text();
    const value = (name: string) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${name} `))
          ?.split(' ')[1],
      );
    const requests = (labels: string) => value(`switchboard_http_request_seconds_count{${labels}}`);
    assert.equal(requests('method="GET",route="/api/2/operator/:id",status="200"'), 2);
    assert.equal(requests('method="GET",route="/api/2/operator/:id",status="404"'), 2);
    assert.equal(requests('method="any",route="unknown",status="404"'), 1);
    assert.equal(value('switchboard_logins_total{outcome="granted"}'), 1);
    assert.equal(value('switchboard_logins_total{outcome="refused"}'), 10);
    assert.equal(value('switchboard_logins_total{outcome="limited"}'), 2);
    assert.equal(value('switchboard_limits_hit_total{limit="login"}'), 2);
    assert.doesNotMatch(text, /operator\/99|some\/where/, 'URLs must not become labels');
  });

  test('puts the request id into the response and the log', async () => {
    const rest = restClient(switchboard.url, switchboard.key);
    const { headers } = await rest.get('/operator/12345');
    const id = headers.get('x-request-id');
    assert.ok(id);
    assert.notEqual((await rest.get('/operator/12345')).headers.get('x-request-id'), id);
    assert.notEqual((await rest.get('/operator', { 'X-Request-Id': 'mine' })).headers.get('x-request-id'), 'mine');
    const linesOfRequest = () => logLines(switchboard).filter(({ reqId }) => reqId === id);
    await waitUntil('the request is in the log', () => linesOfRequest().length > 0);
    const last = (await rest.get('/operator/54321')).headers.get('x-request-id');
    await waitUntil('a later request is too', () => logLines(switchboard).some(({ reqId }) => reqId === last));
    const lines = linesOfRequest();
    assert.equal(lines.length, 1);
    const { method, route, status } = lines[0] as LogLine;
    assert.deepEqual({ method, route, status }, { method: 'GET', route: '/api/2/operator/:id', status: 404 });
  });
});

suite('the metrics without a token', () => {
  let switchboard: Switchboard;
  before(async () => {
    switchboard = await startSwitchboard({ env: { HOST: '0.0.0.0', SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.1' } });
  });
  after(() => switchboard.stop());

  const get = (headers: Record<string, string> = {}, host = '127.0.0.1') =>
    fetch(`http://${host}:${new URL(switchboard.url).port}/metrics`, { headers });

  async function assertForbidden(response: Response, label: string): Promise<void> {
    assert.equal(response.status, 403, label);
    const text = await response.text();
    assert.match(text, /SWITCHBOARD_METRICS_TOKEN/, label);
    assert.doesNotMatch(text, /switchboard_/, label);
  }

  test('answer a direct request from the same machine', async () => {
    assert.equal((await get()).status, 200);
    assert.equal((await get({}, '127.0.0.2')).status, 200);
  });

  test('are forbidden to requests that a proxy forwards', async () => {
    for (const name of [
      'Forwarded',
      'Via',
      'X-Forwarded-For',
      'X-Forwarded-Host',
      'X-Forwarded-Proto',
      'X-Real-IP',
      'True-Client-IP',
      'CF-Connecting-IP',
    ])
      await assertForbidden(await get({ [name]: '127.0.0.1' }), name);
  });

  const address = Object.values(networkInterfaces())
    .flat()
    .find((entry) => entry?.family === 'IPv4' && !entry.internal)?.address;

  test('are forbidden to other addresses', { skip: address === undefined && 'requires a network' }, async () => {
    await assertForbidden(await get({}, address), 'an address of the network');
  });
});

test('the metrics require the token if one is configured', async () => {
  const token = 'metrics-token-0123456789';
  const switchboard = await startSwitchboard({ env: { SWITCHBOARD_METRICS_TOKEN: token } });
  try {
    const get = (headers: Record<string, string>) => fetch(`${switchboard.url}/metrics`, { headers });
    for (const headers of [{}, { Authorization: 'Bearer wrong' }, { Authorization: token }]) {
      const response = await get(headers);
      assert.equal(response.status, 401);
      assert.equal(response.headers.get('www-authenticate'), 'Bearer');
      assert.doesNotMatch(await response.text(), /switchboard_/);
    }
    assert.equal((await get({ Authorization: `Bearer ${token}` })).status, 200);
    assert.equal((await get({ Authorization: `Bearer ${token}`, 'X-Forwarded-For': '192.0.2.1' })).status, 200);
  } finally {
    await switchboard.stop();
  }
});

for (const level of ['info', 'debug']) {
  test(`no secret reaches the log, however it is sent (${level})`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-operations-'));
    const service = await serveInProcess(testEnvironment(folder, { SWITCHBOARD_LOG_LEVEL: level }));
    const { url } = service;
    const key = WRITE_KEY;
    const rest = restClient(url, key);
    const password = 'unlogged-password-1';
    const { body } = await rest.post('/operator', { name: 'Secret', email: 's@example.com', password });
    const token = await logIn(url, { email: 's@example.com', password });
    const secrets = [key, password, token, body.data.sso_key, ADMIN.password, 'wrong-guess-77'];
    for (const secret of secrets) await sendEverywhere(url, key, secret);
    await service.stop();
    rmSync(folder, { recursive: true });
    const log = service.log() + service.output();
    assert.ok(logLines(service).length > 50, 'there is a log to search');
    for (const secret of secrets) {
      for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').slice(0, -4)]) {
        assert.ok(!log.includes(form), `${form} in:\n${log.split('\n').find((line) => line.includes(form))}`);
      }
    }
    for (const { msg } of logLines(service)) assert.equal(typeof msg, 'string');
  });
}

/** Sends the secret in every place where a caller could put it, including wrong ones. */
async function sendEverywhere(url: string, key: string, secret: string): Promise<void> {
  const text = encodeURIComponent(secret);
  const api = `${url}/api/2`;
  const auth = { 'X-API-Key': key };
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const json = { 'Content-Type': 'application/json' };
  const basic = (user: string, pass: string) => `Basic ${Buffer.from(`${user}:${pass}`).toString('base64')}`;
  const calls: [string, RequestInit][] = [
    [`${api}/operator`, { headers: { 'X-API-Key': secret } }],
    [`${api}/operator?key=${text}`, {}],
    [`${api}/operator?key[]=${text}`, {}],
    [`${api}/operator`, { headers: { Authorization: basic(secret, 'x') } }],
    [`${api}/operator`, { headers: { Authorization: basic('x', secret) } }],
    [`${api}/operator`, { headers: { Authorization: `Bearer ${secret}` } }],
    [`${api}/operator/${text}`, { headers: auth }],
    [`${api}/${text}`, { headers: auth }],
    [`${api}/operator?filters[${text}]=${text}&page=${text}`, { headers: auth }],
    [
      `${api}/operator?password=${text}`,
      { method: 'POST', body: `password=${text}&${text}=1`, headers: { ...auth, ...form } },
    ],
    [`${api}/operator`, { method: 'POST', body: `{"password":"${secret}"`, headers: { ...auth, ...json } }],
    [`${api}/operator/1`, { method: 'PUT', body: `sso_key=${text}`, headers: { ...auth, ...form } }],
    [
      `${api}/operator/1`,
      { method: 'PUT', body: 'x', headers: { ...auth, 'Content-Type': secret.replaceAll(' ', '') } },
    ],
    [`${api}/group`, { method: 'POST', body: 'foo=1', headers: { ...auth, ...form, 'Idempotency-Key': secret } }],
    [`${url}/oauth2/token`, { method: 'POST', body: `grant_type=${text}&password=${text}`, headers: form }],
    [
      `${url}/oauth2/token?password=${text}`,
      { method: 'POST', body: `grant_type=password&username=${text}&password=${text}`, headers: form },
    ],
    [`${url}/oauth2/revoke`, { method: 'POST', body: `token_type_hint=${text}`, headers: form }],
    [`${url}/_authenticated?access_token=${text}`, { headers: { Authorization: `Bearer ${secret}` } }],
    [`${url}/${text}`, { headers: { Cookie: secret, Referer: `${url}/?key=${text}`, 'User-Agent': secret } }],
    [`${url}/metrics?key=${text}`, { headers: { Authorization: `Bearer ${secret}` } }],
    [`${url}/_health?${text}`, { method: 'POST', body: secret }],
  ];
  await Promise.all(calls.map(async ([address, init]) => (await fetch(address, init)).text()));
  await sendBytes(url, `GET /${secret} HTTP/9.9\r\nX-API-Key: ${secret}\r\n\r\n`);
  await sendBytes(
    url,
    `GET /api/2/operator HTTP/1.1\r\nHost: x\r\nX-API-Key: ${secret}\r\nX-API-Key: ${secret}\r\n\r\n`,
  );
}

/** Sends bytes and waits for the first response data. */
function sendBytes(url: string, bytes: string): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.once('data', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}

suite('a shutdown', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-operations-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const exitOf = ({ process }: SwitchboardProcess) => new Promise((resolve) => process.once('exit', resolve));

  const refusesConnections = (url: string) =>
    waitUntil('connections are refused', async () => {
      const failed = await fetch(`${url}/_health`, { headers: { Connection: 'close' } }).then(
        () => undefined,
        (error) => (error as { cause?: { code?: string } }).cause?.code,
      );
      return failed === 'ECONNREFUSED';
    });

  /** The number of open connections, including the one of this request. */
  const countConnections = async (url: string) => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(text.match(/^switchboard_connections (\d+)$/m)?.[1]);
  };

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`on ${signal} finishes running requests, accepts no new ones and exits with 0`, async () => {
      // An idle connection that delayed the shutdown would do so for longer than this test waits.
      const switchboard = await startSwitchboardProcess({ folder, env: { SWITCHBOARD_STOP_TIMEOUT: '600' } });
      const agent = new Agent({ keepAlive: true });
      await requestWithKeepAlive(agent, `${switchboard.url}/_health`);
      const half = sendHalf(switchboard.url, `label=${signal}&url=https://${signal}.example.com`);
      let isLoggedIn = false;
      const slow = tryLogin(switchboard.url, ADMIN.email, ADMIN.password).finally(() => {
        isLoggedIn = true; // its connection is reused
      });
      await half.started;
      const connections = () => 3 + (isLoggedIn ? 0 : 1);
      await waitUntil('both are connected', async () => (await countConnections(switchboard.url)) >= connections());
      await fetch(`${switchboard.url}/_health`, { headers: { Connection: 'close' } }); // earlier requests have been read
      const exit = exitOf(switchboard);
      switchboard.process.kill(signal);
      await refusesConnections(switchboard.url);
      half.finish();
      const [first = '', second = ''] = (await half.response).split(/(?<=})(?=HTTP)/);
      assert.match(first, /^HTTP\/1\.1 201 /);
      assert.match(second, /^HTTP\/1\.1 503 .*{"status":"not ready"}$/s);
      for (const header of [/^retry-after: 1$/im, /^connection: close$/im]) assert.match(second, header);
      assert.equal((await slow).status, 200);
      assert.equal(await withTimeout('the exit despite an idle connection', exit), 0);
      assert.ok(logLines(switchboard).some(({ msg }) => msg === 'stopped'));
      agent.destroy();
    });
  }

  test('works when the log output is closed', async () => {
    const switchboard = await startSwitchboardProcess({ folder });
    const exit = exitOf(switchboard);
    switchboard.process.stdout?.destroy();
    switchboard.process.stderr?.destroy();
    switchboard.process.kill('SIGTERM');
    assert.equal(await exit, 0);
  });

  test('keeps the data intact for the next start', async () => {
    const switchboard = await startSwitchboardProcess({ folder, env: { SWITCHBOARD_DRAIN_SECONDS: '0' } });
    assert.equal((await fetch(`${switchboard.url}/_ready`)).status, 200);
    const { body } = await restClient(switchboard.url, switchboard.key).get('/website?full=1');
    assert.deepEqual(
      body.data.map(({ label }: { label: string }) => label),
      ['SIGINT', 'SIGTERM', 'My website'],
    );
    const { code, stdout } = await switchboard.runCommand(['doctor']);
    assert.equal(code, 0, stdout);
    await switchboard.stop();
  });
});

/** Makes one request and leaves its connection open. */
function requestWithKeepAlive(agent: Agent, url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    httpRequest(url, { agent }, (response) => response.resume().once('end', resolve))
      .once('error', reject)
      .end();
  });
}

/** Sends the first half of a write; `finish` sends the rest and a pipelined second request. */
function sendHalf(url: string, body: string): { started: Promise<void>; response: Promise<string>; finish(): void } {
  const { hostname, port } = new URL(url);
  const head = `POST /api/2/website HTTP/1.1\r\nHost: x\r\nX-API-Key: ${WRITE_KEY}\r\nContent-Length: ${body.length}\r\n\r\n`;
  const socket = connect(Number(port), hostname);
  const started = new Promise<void>((resolve) => socket.write(head + body.slice(0, 5), () => resolve()));
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)));
  const response = new Promise<string>((resolve, reject) => {
    socket.once('close', () => resolve(Buffer.concat(chunks).toString()));
    socket.once('error', reject);
  });
  return { started, response, finish: () => socket.write(`${body.slice(5)}GET /_ready HTTP/1.1\r\nHost: x\r\n\r\n`) };
}
