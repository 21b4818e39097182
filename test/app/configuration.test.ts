import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { ConfigError, readConfig } from '../../src/config.ts';
import { tryLogin } from '../support/clients/oauth.ts';
import { restClient } from '../support/clients/rest.ts';
import { serveInProcess } from '../support/processes/served.ts';
import {
  ADMIN,
  environment,
  runCommand,
  startSwitchboardProcess,
  WRITE_KEY,
} from '../support/processes/switchboard.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-configuration-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a service that must start, in this process. */
const serve = (own: string, env?: Record<string, string>) => serveInProcess(environment(join(folder, own), env));

/** Starts a service that must not start. */
async function refused(env: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await runCommand(['serve'], environment(join(folder, 'refused'), env));
  assert.equal(code, 1, stdout + stderr);
  assert.doesNotMatch(stdout, /ready at/);
  assert.doesNotMatch(stderr, /^\s+at /m, 'words for a person, not a stack');
  return stderr;
}

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems;
  }
}

suite('a wrong configuration', () => {
  test('is refused with all of its problems at once, and without repeating secrets', async () => {
    const wrong = {
      PORT: 'eighty',
      DATABASE_URL: 'mysql://localhost/switchboard',
      SWITCHBOARD_SECRET: 'too-short-secret',
      SWITCHBOARD_ADMIN_EMAIL: 'nobody',
      SWITCHBOARD_ADMIN_PASSWORD: 'tooshort',
      SWITCHBOARD_API_KEY: 'short key',
      SWITCHBOARD_PUBLIC_URL: 'ftp://example.com',
      SWITCHBOARD_TRUSTED_PROXIES: '10.0.0.0/99',
      SWITCHBOARD_CORS_ORIGINS: 'https://example.com/path',
      SWITCHBOARD_REST_SUNSET: 'soon',
      SWITCHBOARD_LOG_LEVEL: 'loud',
      SWITCHBOARD_METRICS_TOKEN: 'short-token',
      SWITCHBOARD_STOP_TIMEOUT: '-1',
      SWITCHBOARD_TLS_CERT: '/somewhere/cert.pem',
      SWITCHBOARD_FLUX_CAPACITOR: 'on',
    };
    const text = await refused(wrong);
    const lines = text.trimEnd().split('\n').slice(1);
    for (const name of Object.keys(wrong)) {
      assert.equal(lines.filter((line) => line.includes(name)).length, 1, `${name} in:\n${text}`);
    }
    assert.match(text, /15 problems/);
    assert.equal(lines.length, 15);
    for (const secret of ['too-short-secret', 'tooshort', 'short key', 'short-token']) {
      assert.ok(!text.includes(secret), `${secret} is repeated`);
    }
    assert.equal(existsSync(join(folder, 'refused')), false, 'nothing is made before the configuration is good');
  });

  test('a database of another kind is refused in words', async () => {
    const text = await refused({ DATABASE_URL: 'mysql://user:hidden-password@localhost/switchboard' });
    assert.match(text, /DATABASE_URL must be sqlite:<path> or postgres:/);
    assert.doesNotMatch(text, /hidden-password/);
  });

  test('PostgreSQL needs a secret that all nodes share, and a server that answers', async () => {
    const url = { DATABASE_URL: 'postgres://user:hidden-password@127.0.0.1:1/switchboard' };
    assert.match(await refused(url), /SWITCHBOARD_SECRET must be set with PostgreSQL/);
    const text = await refused({ ...url, SWITCHBOARD_SECRET: 'a secret of more than 32 characters' });
    assert.match(text, /DATABASE_URL names a PostgreSQL that cannot be used: .*ECONNREFUSED/);
    assert.doesNotMatch(text, /hidden-password/);
  });

  test('a setting that does not exist is refused; variables of others are not looked at', () => {
    assert.deepEqual(problemsOf({ SWITCHBOARD_PROT: '80' }), [
      'SWITCHBOARD_PROT is not a setting; see docs/configuration.md.',
    ]);
    assert.deepEqual(problemsOf({ HOME: '/root', SWITCH: '1', switchboard_port: '1' }), []);
  });

  test('half of TLS is refused, whichever half', () => {
    const together = ['SWITCHBOARD_TLS_CERT and SWITCHBOARD_TLS_KEY must be set together.'];
    assert.deepEqual(problemsOf({ SWITCHBOARD_TLS_CERT: 'cert.pem' }), together);
    assert.deepEqual(problemsOf({ SWITCHBOARD_TLS_KEY: 'key.pem' }), together);
    assert.deepEqual(problemsOf({ SWITCHBOARD_TLS_KEY: 'key.pem', SWITCHBOARD_TLS_CERT: '' }), together);
  });

  test('an empty variable counts as left out', () => {
    const { PORT, HOST, SWITCHBOARD_API_KEY } = readConfig({ PORT: '', HOST: '', SWITCHBOARD_API_KEY: '' });
    assert.deepEqual([PORT, HOST, SWITCHBOARD_API_KEY], [8080, '127.0.0.1', undefined]);
  });

  test('the first key has 20 to 200 visible ASCII characters', () => {
    for (const [key, good] of [
      ['x'.repeat(19), false],
      ['x'.repeat(20), true],
      ['x'.repeat(200), true],
      ['x'.repeat(201), false],
      [`${'x'.repeat(20)} `, false],
      [`${'x'.repeat(20)}é`, false],
    ] as const) {
      assert.equal(problemsOf({ SWITCHBOARD_API_KEY: key }).length === 0, good, key);
    }
  });

  test('a first password that everybody tries is refused, and a better one is taken afterwards', async () => {
    const bad = await runCommand(
      ['serve'],
      environment(join(folder, 'common'), { SWITCHBOARD_ADMIN_PASSWORD: 'qwertyuiop' }),
    );
    assert.equal(bad.code, 1);
    assert.match(bad.stderr, /password must not be one of the commonest/);
    const switchboard = await serve('common');
    assert.equal((await tryLogin(switchboard.url, ADMIN.email, ADMIN.password)).status, 200);
    await switchboard.stop();
  });
});

const NOTHING_SET = { SWITCHBOARD_ADMIN_EMAIL: '', SWITCHBOARD_ADMIN_PASSWORD: '', SWITCHBOARD_API_KEY: '' };

/** What a first start shows of the way in. */
function shownIn(text: string): { email: string; password: string; key: string } {
  const value = (label: string) => text.match(new RegExp(`^ *${label} +(\\S+)$`, 'm'))?.[1] ?? assert.fail(text);
  return { email: value('Log in'), password: value('Password'), key: value('API key') };
}

suite('the first start', () => {
  test('shows address, e-mail, password and key once, on the terminal and not in the log', async () => {
    const own = join(folder, 'first');
    const env = { ...NOTHING_SET, SWITCHBOARD_LOG_LEVEL: 'trace' };
    const first = await startSwitchboardProcess({ folder: own, env });
    const { email, password, key } = shownIn(first.output());
    assert.ok(first.output().includes(first.url));
    assert.equal((await tryLogin(first.url, email, password)).status, 200);
    assert.equal((await restClient(first.url, key).post('/group', { name: 'by the first key' })).status, 201);
    await first.stop();
    for (const secret of [password, key]) assert.ok(!first.log().includes(secret), 'in the log');

    const second = await serve('first', env);
    await second.stop();
    assert.match(second.output(), /^Switchboard is ready at \S+\n$/);
    for (const secret of [password, key]) assert.ok(!second.log().includes(secret), 'in the log of the second start');
  });

  test('shows no secret that the configuration gave', async () => {
    const switchboard = await serve('given');
    await switchboard.stop();
    const all = switchboard.output() + switchboard.log();
    assert.ok(all.includes(ADMIN.email));
    for (const secret of [ADMIN.password, WRITE_KEY]) assert.ok(!all.includes(secret));
  });

  test('looks at what the configuration gives on an empty database only', async () => {
    const switchboard = await serve('given', {
      ...{ SWITCHBOARD_API_KEY: 'another-key-0123456789', SWITCHBOARD_ADMIN_PASSWORD: 'another password' },
    });
    assert.equal((await restClient(switchboard.url, 'another-key-0123456789').get('/operator')).status, 403);
    assert.equal((await restClient(switchboard.url, WRITE_KEY).get('/operator')).status, 200);
    assert.equal((await tryLogin(switchboard.url, ADMIN.email, 'another password')).status, 400);
    await switchboard.stop();
  });

  test('on a port that is taken is one clear line, and leaves nothing behind', async () => {
    const holder = await serve('holder');
    const { port } = new URL(holder.url);
    const taken = await runCommand(['serve', '--port', port], environment(join(folder, 'taken'), NOTHING_SET));
    assert.equal((await fetch(`${holder.url}/_health`)).status, 200, 'the other one goes on');
    await holder.stop();
    assert.equal(taken.code, 1);
    const lines = taken.stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
    assert.equal(lines.length, 1, taken.stderr);
    assert.match(lines[0] ?? '', new RegExp(`EADDRINUSE.*${port}`));
    assert.doesNotMatch(taken.stdout, /ready at/);

    assert.equal(taken.stdout, '', 'no account was made, so there is nothing to show');

    const switchboard = await serve('taken', NOTHING_SET);
    const { email, password, key } = shownIn(switchboard.output());
    assert.equal((await tryLogin(switchboard.url, email, password)).status, 200);
    assert.equal((await restClient(switchboard.url, key).get('/operator')).status, 200);
    await switchboard.stop();
  });
});

suite('a database file', () => {
  test('has one server at a time; the place is free again when that one is killed', async () => {
    const own = join(folder, 'one-server');
    const first = await startSwitchboardProcess({ folder: own });
    const second = await runCommand(['serve'], environment(own));
    assert.equal(second.code, 1);
    assert.match(second.stderr, /Another process serves .* already/);
    const restored = await runCommand(['restore', own, '--force'], environment(own));
    assert.match(restored.stderr, /The service is running/);
    const dead = new Promise((resolve) => first.process.once('exit', resolve));
    first.process.kill('SIGKILL');
    await dead;
    await (await serve('one-server')).stop();
  });

  test('that is none is refused in one line', async () => {
    const own = join(folder, 'no-database');
    mkdirSync(own);
    writeFileSync(join(own, 'switchboard.db'), 'this is not a database, but long enough to be looked at'.repeat(100));
    const { code, stderr } = await runCommand(['serve'], environment(own));
    assert.equal(code, 1);
    assert.match(stderr, /DATABASE_URL names .* cannot be used: file is not a database/);
    assert.doesNotMatch(stderr, / {4}at /, 'no stack trace');
    rmSync(join(own, 'switchboard.db'));
    await (await serve('no-database')).stop();
  });

  test('is complete by itself after a clean stop', async () => {
    await (await serve('clean-stop')).stop();
    const log = join(folder, 'clean-stop', 'switchboard.db-wal');
    assert.ok(!existsSync(log) || statSync(log).size === 0, 'nothing is left beside it');
  });
});

suite('TLS', { skip: spawnSync('openssl', ['version']).status === 0 ? false : 'there is no openssl here' }, () => {
  const pem = (name: string) => join(folder, `${name}.pem`);
  before(() => {
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', pem('key')];
    const made = spawnSync('openssl', ['req', '-x509', ...key, '-out', pem('cert'), '-days', '2', ...subject]);
    assert.equal(made.status, 0, String(made.stderr));
  });

  test('serves HTTPS with the certificate, and nothing without it', async () => {
    const switchboard = await serve('tls', { SWITCHBOARD_TLS_CERT: pem('cert'), SWITCHBOARD_TLS_KEY: pem('key') });
    try {
      assert.match(switchboard.url, /^https:/);
      const status = await new Promise((resolve, reject) => {
        const headers = { 'X-API-Key': WRITE_KEY };
        const options = { ca: readFileSync(pem('cert')), headers };
        request(`${switchboard.url}/api/2/operator`, options, (response) => resolve(response.resume().statusCode))
          .once('error', reject)
          .end();
      });
      assert.equal(status, 200);
      await assert.rejects(fetch(switchboard.url.replace('https:', 'http:')));
    } finally {
      await switchboard.stop();
    }
  });

  test('files that are missing or not what they should be are refused in words', async () => {
    writeFileSync(pem('nonsense'), 'this is no certificate\n');
    const missing = await refused({ SWITCHBOARD_TLS_CERT: pem('missing'), SWITCHBOARD_TLS_KEY: pem('key') });
    assert.match(missing, /missing\.pem/);
    const nonsense = await refused({ SWITCHBOARD_TLS_CERT: pem('nonsense'), SWITCHBOARD_TLS_KEY: pem('key') });
    assert.match(nonsense, /SWITCHBOARD_TLS_CERT/);
  });
});
