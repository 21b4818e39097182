import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, suite, test } from 'node:test';
import { connect } from 'node:tls';
import { ConfigError, readConfig } from '../../src/config.ts';
import { tryLogin } from '../support/clients/oauth.ts';
import { restClient } from '../support/clients/rest.ts';
import { createCertificate, skipWithoutOpenssl } from '../support/processes/certificate.ts';
import { serveInProcess } from '../support/processes/in-process-service.ts';
import {
  ADMIN,
  runCommand,
  startSwitchboardProcess,
  testEnvironment,
  WRITE_KEY,
} from '../support/processes/switchboard.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-configuration-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a service in this process. */
const serve = (dataFolder: string, env?: Record<string, string>) =>
  serveInProcess(testEnvironment(join(folder, dataFolder), env));

/** Expects the start to fail and returns its error output. */
async function assertRefused(env: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await runCommand(['serve'], testEnvironment(join(folder, 'refused'), env));
  assert.equal(code, 1, stdout + stderr);
  assert.doesNotMatch(stdout, /ready at/);
  assert.doesNotMatch(stderr, /^\s+at /m, 'no stack trace');
  return stderr;
}

function findProblems(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems;
  }
}

suite('an invalid configuration', () => {
  test('is refused with a list of all problems that contains no secrets', async () => {
    const invalid = {
      PORT: 'eighty',
      DATABASE_URL: 'mysql://localhost/switchboard',
      SWITCHBOARD_SECRET: 'too-short-secret',
      SWITCHBOARD_ADMIN_EMAIL: 'no-address',
      SWITCHBOARD_ADMIN_PASSWORD: 'tooshort',
      SWITCHBOARD_API_KEY: 'short key',
      SWITCHBOARD_PUBLIC_URL: 'ftp://example.com',
      SWITCHBOARD_TRUSTED_PROXIES: '10.0.0.0/99',
      SWITCHBOARD_CORS_ORIGINS: 'https://example.com/path',
      SWITCHBOARD_REST_SUNSET: 'soon',
      SWITCHBOARD_LOG_LEVEL: 'loud',
      SWITCHBOARD_METRICS_TOKEN: 'short-token',
      SWITCHBOARD_HSTS: 'one year',
      SWITCHBOARD_STOP_TIMEOUT: '-1',
      SWITCHBOARD_TLS_CERT: '/somewhere/cert.pem',
      SWITCHBOARD_FLUX_CAPACITOR: 'on',
    };
    const text = await assertRefused(invalid);
    const lines = text.trimEnd().split('\n').slice(1);
    for (const name of Object.keys(invalid)) {
      assert.equal(lines.filter((line) => line.includes(name)).length, 1, `${name} in:\n${text}`);
    }
    assert.match(text, /16 problems/);
    assert.equal(lines.length, 16);
    for (const secret of ['too-short-secret', 'tooshort', 'short key', 'short-token']) {
      assert.ok(!text.includes(secret), `${secret} is repeated`);
    }
    assert.equal(existsSync(join(folder, 'refused')), false, 'nothing is created before the configuration is valid');
  });

  test('with an unsupported database is refused with a clear message', async () => {
    const text = await assertRefused({ DATABASE_URL: 'mysql://user:hidden-password@localhost/switchboard' });
    assert.match(text, /DATABASE_URL must be sqlite:<path> or postgres:/);
    assert.doesNotMatch(text, /hidden-password/);
  });

  test('with PostgreSQL needs a shared secret and a reachable server', async () => {
    const url = { DATABASE_URL: 'postgres://user:hidden-password@127.0.0.1:1/switchboard' };
    assert.match(await assertRefused(url), /SWITCHBOARD_SECRET must be set with PostgreSQL/);
    const text = await assertRefused({ ...url, SWITCHBOARD_SECRET: 'a secret of more than 32 characters' });
    assert.match(text, /DATABASE_URL names a PostgreSQL server that cannot be used: .*ECONNREFUSED/);
    assert.doesNotMatch(text, /hidden-password/);
  });

  test('with an unknown setting is refused; other variables are ignored', () => {
    assert.deepEqual(findProblems({ SWITCHBOARD_PROT: '80' }), [
      'SWITCHBOARD_PROT is not a setting; see docs/configuration.md.',
    ]);
    assert.deepEqual(findProblems({ HOME: '/root', SWITCH: '1', switchboard_port: '1' }), []);
  });

  test('with only a certificate or only a key is refused', () => {
    const expected = ['SWITCHBOARD_TLS_CERT and SWITCHBOARD_TLS_KEY must be set together.'];
    assert.deepEqual(findProblems({ SWITCHBOARD_TLS_CERT: 'cert.pem' }), expected);
    assert.deepEqual(findProblems({ SWITCHBOARD_TLS_KEY: 'key.pem' }), expected);
    assert.deepEqual(findProblems({ SWITCHBOARD_TLS_KEY: 'key.pem', SWITCHBOARD_TLS_CERT: '' }), expected);
  });

  test('ignores empty variables', () => {
    const { PORT, HOST, SWITCHBOARD_API_KEY } = readConfig({ PORT: '', HOST: '', SWITCHBOARD_API_KEY: '' });
    assert.deepEqual([PORT, HOST, SWITCHBOARD_API_KEY], [8080, '127.0.0.1', undefined]);
  });

  test('is one whose first key does not have 20 to 200 visible ASCII characters', () => {
    for (const [key, isValid] of [
      ['x'.repeat(19), false],
      ['x'.repeat(20), true],
      ['x'.repeat(200), true],
      ['x'.repeat(201), false],
      [`${'x'.repeat(20)} `, false],
      [`${'x'.repeat(20)}é`, false],
    ] as const) {
      assert.equal(findProblems({ SWITCHBOARD_API_KEY: key }).length === 0, isValid, key);
    }
  });

  test('with a common first password is refused, and a better one is accepted afterwards', async () => {
    const rejected = await runCommand(
      ['serve'],
      testEnvironment(join(folder, 'common'), { SWITCHBOARD_ADMIN_PASSWORD: 'qwertyuiop' }),
    );
    assert.equal(rejected.code, 1);
    assert.match(rejected.stderr, /password must not be a common password/);
    const switchboard = await serve('common');
    assert.equal((await tryLogin(switchboard.url, ADMIN.email, ADMIN.password)).status, 200);
    await switchboard.stop();
  });
});

const NO_CREDENTIALS = { SWITCHBOARD_ADMIN_EMAIL: '', SWITCHBOARD_ADMIN_PASSWORD: '', SWITCHBOARD_API_KEY: '' };

/** Credentials in the output of a first start. */
function extractCredentials(text: string): { email: string; password: string; key: string } {
  const value = (label: string) => text.match(new RegExp(`^ *${label} +(\\S+)$`, 'm'))?.[1] ?? assert.fail(text);
  return { email: value('Log in'), password: value('Password'), key: value('API key') };
}

suite('the first start', () => {
  test('shows address, e-mail, password and key once, on the terminal and not in the log', async () => {
    const dataFolder = join(folder, 'first');
    const env = { ...NO_CREDENTIALS, SWITCHBOARD_LOG_LEVEL: 'trace' };
    const first = await startSwitchboardProcess({ folder: dataFolder, env });
    const { email, password, key } = extractCredentials(first.output());
    assert.ok(first.output().includes(first.url));
    assert.equal((await tryLogin(first.url, email, password)).status, 200);
    assert.equal((await restClient(first.url, key).post('/group', { name: 'Created with the first key' })).status, 201);
    await first.stop();
    for (const secret of [password, key]) assert.ok(!first.log().includes(secret), 'in the log');

    const second = await serve('first', env);
    await second.stop();
    assert.match(second.output(), /^Switchboard is ready at \S+\n$/);
    for (const secret of [password, key]) assert.ok(!second.log().includes(secret), 'in the log of the second start');
  });

  test('does not show secrets from the configuration', async () => {
    const switchboard = await serve('configured');
    await switchboard.stop();
    const all = switchboard.output() + switchboard.log();
    assert.ok(all.includes(ADMIN.email));
    for (const secret of [ADMIN.password, WRITE_KEY]) assert.ok(!all.includes(secret));
  });

  test('uses configured credentials only on an empty database', async () => {
    const switchboard = await serve('configured', {
      ...{ SWITCHBOARD_API_KEY: 'another-key-0123456789', SWITCHBOARD_ADMIN_PASSWORD: 'another password' },
    });
    assert.equal((await restClient(switchboard.url, 'another-key-0123456789').get('/operator')).status, 403);
    assert.equal((await restClient(switchboard.url, WRITE_KEY).get('/operator')).status, 200);
    assert.equal((await tryLogin(switchboard.url, ADMIN.email, 'another password')).status, 400);
    await switchboard.stop();
  });

  test('on a used port prints one clear line and leaves nothing behind', async () => {
    const holder = await serve('holder');
    const { port } = new URL(holder.url);
    const second = await runCommand(['serve', '--port', port], testEnvironment(join(folder, 'taken'), NO_CREDENTIALS));
    assert.equal((await fetch(`${holder.url}/_health`)).status, 200, 'the other service keeps running');
    await holder.stop();
    assert.equal(second.code, 1);
    const lines = second.stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
    assert.equal(lines.length, 1, second.stderr);
    assert.match(lines[0] ?? '', new RegExp(`EADDRINUSE.*${port}`));
    assert.doesNotMatch(second.stdout, /ready at/);

    assert.equal(second.stdout, '', 'no account was created, so there is nothing to show');

    const switchboard = await serve('taken', NO_CREDENTIALS);
    const { email, password, key } = extractCredentials(switchboard.output());
    assert.equal((await tryLogin(switchboard.url, email, password)).status, 200);
    assert.equal((await restClient(switchboard.url, key).get('/operator')).status, 200);
    await switchboard.stop();
  });
});

suite('a database file', () => {
  test('has one server at a time; its lock is released when the server is killed', async () => {
    const dataFolder = join(folder, 'one-server');
    const first = await startSwitchboardProcess({ folder: dataFolder });
    const second = await runCommand(['serve'], testEnvironment(dataFolder));
    assert.equal(second.code, 1);
    assert.match(second.stderr, /Another process is already serving .+\. Stop it first\./);
    const restored = await runCommand(['restore', dataFolder, '--force'], testEnvironment(dataFolder));
    assert.match(restored.stderr, /The service is running/);
    const exited = new Promise((resolve) => first.process.once('exit', resolve));
    first.process.kill('SIGKILL');
    await exited;
    await (await serve('one-server')).stop();
  });

  test('that is not a database is refused in one line', async () => {
    const dataFolder = join(folder, 'no-database');
    mkdirSync(dataFolder);
    writeFileSync(join(dataFolder, 'switchboard.db'), 'this is not a database, but long enough to be read'.repeat(100));
    const { code, stderr } = await runCommand(['serve'], testEnvironment(dataFolder));
    assert.equal(code, 1);
    assert.match(stderr, /DATABASE_URL names .* cannot be used: file is not a database/);
    assert.doesNotMatch(stderr, / {4}at /, 'no stack trace');
    rmSync(join(dataFolder, 'switchboard.db'));
    await (await serve('no-database')).stop();
  });

  test('is complete without the write-ahead log after a clean stop', async () => {
    await (await serve('clean-stop')).stop();
    const log = join(folder, 'clean-stop', 'switchboard.db-wal');
    assert.ok(!existsSync(log) || statSync(log).size === 0, 'the write-ahead log is empty');
  });
});

suite('TLS', { skip: skipWithoutOpenssl }, () => {
  const pem = (name: string) => join(folder, `${name}.pem`);
  let files: ReturnType<typeof createCertificate>;
  before(() => {
    files = createCertificate(folder);
  });

  const getSecurely = (url: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const options = { ca: readFileSync(pem('cert')), headers: { 'X-API-Key': WRITE_KEY } };
      request(`${url}/api/2/operator`, options, (response) => resolve(response.resume()))
        .once('error', reject)
        .end();
    });

  /** Sends bytes and returns everything that is received until the connection ends. */
  const sendSecurely = async (url: string, bytes: string): Promise<string> => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), ca: readFileSync(pem('cert')) });
    socket.write(bytes);
    return text(socket);
  };

  const HANDSHAKE =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
  /** Requests whose responses are written to the socket directly. */
  const SOCKET_RESPONSES = [
    ['BREW / HTTP/1.1\r\nHost: a\r\n\r\n', 501],
    ['nonsense\r\n\r\n', 400],
    [`GET /graphql HTTP/1.1\r\nHost: a\r\nOrigin: https://evil.example\r\n${HANDSHAKE}\r\n`, 403],
    [`GET /visitor/graphql HTTP/1.1\r\nHost: a\r\nOrigin: https://evil.example\r\n${HANDSHAKE}\r\n`, 403],
  ] as const;

  test('serves HTTPS and no plain HTTP', async () => {
    const switchboard = await serve('tls', files);
    try {
      assert.match(switchboard.url, /^https:/);
      const { statusCode, headers } = await getSecurely(switchboard.url);
      assert.equal(statusCode, 200);
      assert.equal(headers['strict-transport-security'], 'max-age=31536000');
      await assert.rejects(fetch(switchboard.url.replace('https:', 'http:')));
    } finally {
      await switchboard.stop();
    }
  });

  test('sends the configured Strict-Transport-Security', async () => {
    const policy = 'max-age=600; includeSubDomains';
    const switchboard = await serve('hsts', { ...files, SWITCHBOARD_HSTS: policy });
    try {
      const { headers } = await getSecurely(switchboard.url);
      assert.equal(headers['strict-transport-security'], policy);
      for (const [request, status] of SOCKET_RESPONSES) {
        const response = await sendSecurely(switchboard.url, request);
        assert.match(response, new RegExp(`^HTTP/1\\.1 ${status} `));
        assert.match(response, new RegExp(`^strict-transport-security: ${policy}\r$`, 'im'), request);
      }
    } finally {
      await switchboard.stop();
    }
  });

  test('missing or invalid files are refused with a clear message', async () => {
    writeFileSync(pem('nonsense'), 'this is not a certificate\n');
    const missing = await assertRefused({ SWITCHBOARD_TLS_CERT: pem('missing'), SWITCHBOARD_TLS_KEY: pem('key') });
    assert.match(missing, /missing\.pem/);
    const invalid = await assertRefused({ SWITCHBOARD_TLS_CERT: pem('nonsense'), SWITCHBOARD_TLS_KEY: pem('key') });
    assert.match(invalid, /SWITCHBOARD_TLS_CERT/);
  });
});
