import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { logIn, tryLogin } from '../support/clients/oauth.ts';
import { restClient } from '../support/clients/rest.ts';
import { onPostgres, SECRET } from '../support/databases/postgres-database.ts';
import {
  ADMIN,
  type SwitchboardProcess,
  startSwitchboardProcess,
  WRITE_KEY,
} from '../support/processes/switchboard.ts';

const PASSWORDS = { first: 'the-first-password-kept', second: 'the-second-password-kept' };

let folder: string;
let switchboard: SwitchboardProcess;
let token: string;
let revoked: string;
let madeKey: string;
const ssoKeys: string[] = [];
/** The rows, and the files where there are any, as they were while the service ran, and after it had stopped. */
const kept = new Map<string, Buffer>();

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-secrets-'));
  switchboard = await startSwitchboardProcess({ folder });
  const rest = restClient(switchboard.url, switchboard.key);
  const { stdout } = await switchboard.command(['key', 'create', '--name', 'kept', '--access', 'write']);
  madeKey = stdout.match(/sb_\S+/)?.[0] ?? assert.fail(stdout);

  const email = 'kept@example.com';
  const fields = { name: 'Kept', email, password: PASSWORDS.first };
  for (const again of [false, true]) {
    const made = await rest.post('/operator', fields, { 'Idempotency-Key': 'create' });
    assert.equal(made.status, 201);
    assert.equal(made.headers.get('idempotency-replayed'), again ? 'true' : null);
    if (!again) ssoKeys.push(made.body.data.sso_key);
  }
  revoked = await logIn(switchboard.url, { email, password: PASSWORDS.first });
  await rest.put('/operator/2', { password: PASSWORDS.second }, { 'Idempotency-Key': 'change' });
  await rest.put('/operator/2', { password: PASSWORDS.second, sso_key: 'wrong' }, { 'Idempotency-Key': 'refused' });
  token = await logIn(switchboard.url, { email, password: PASSWORDS.second });
  await tryLogin(switchboard.url, email, 'a-guess-that-is-wrong');
  await restClient(switchboard.url, madeKey).put('/operator/1', { name: 'Seen' }, { 'Idempotency-Key': 'admin' });
  ssoKeys.push((await rest.get('/operator/1')).body.data.sso_key);
  await keep('running');
  await switchboard.stop();
  await keep('stopped');
});
after(async () => {
  await switchboard.stored.end();
  rmSync(folder, { recursive: true, force: true });
});

/** Everything but the secret of the installation itself, which is no part of the database. */
async function keep(when: string): Promise<void> {
  kept.set(`rows (${when})`, Buffer.from(await switchboard.stored.everyRow()));
  for (const file of readdirSync(folder)) {
    if (file !== 'secret') kept.set(`${file} (${when})`, readFileSync(join(folder, file)));
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** The rows are of both databases, the files of the embedded one. */
const KINDS = onPostgres ? ['rows'] : ['rows', 'switchboard.db'];

test('what is looked at holds the data', () => {
  const all = [...kept.keys()].join(', ');
  if (!onPostgres) assert.ok(kept.has('switchboard.db (stopped)') && kept.has('switchboard.db-wal (running)'), all);
  for (const when of ['running', 'stopped']) {
    for (const kind of KINDS) {
      const looked = [...kept].filter(([name]) => name.startsWith(kind) && name.endsWith(`(${when})`));
      const found = looked.some(([, bytes]) => bytes.includes('kept@example.com'));
      assert.ok(found, 'what is stored in the clear is found, so a secret would be');
    }
  }
});

test('no token, key, password or single sign-on key is in them', () => {
  const secrets = {
    token,
    revoked,
    madeKey,
    WRITE_KEY,
    admin: ADMIN.password,
    ...PASSWORDS,
    guess: 'a-guess-that-is-wrong',
  };
  for (const [what, secret] of [...Object.entries(secrets), ...ssoKeys.map((key) => ['sso_key', key] as const)]) {
    assert.ok(secret.length >= 20, `${what} is too short to search for`);
    const derived = secret.split('.').at(-1) as string; // of a single sign-on key the part that is secret
    for (const [file, bytes] of kept) {
      for (const form of [secret, derived, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]) {
        assert.equal(bytes.includes(form), false, `${what} is in ${file}`);
      }
    }
  }
});

test('the secret of the installation is in none of them, and its file is for its owner alone', () => {
  const file = join(folder, 'secret');
  const secret = onPostgres ? SECRET : readFileSync(file, 'utf8').trim();
  assert.ok(secret.length >= 32);
  for (const [name, bytes] of kept) assert.equal(bytes.includes(secret), false, name);
  if (!onPostgres) assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('a key is kept as its SHA-256 and a short beginning', async () => {
  const rows = await switchboard.stored.rows('select * from api_keys order by id');
  assert.deepEqual(
    rows.map(({ prefix, key_hash }) => [prefix, key_hash]),
    [WRITE_KEY, madeKey].map((key) => [key.slice(0, 8), sha256(key)]),
  );
  const columns = 'account_id,access,created_at,expires_at,id,key_hash,last_used_at,name,prefix,revoked_at';
  assert.equal(
    Object.keys(rows[0] ?? {})
      .sort()
      .join(),
    columns.split(',').sort().join(),
  );
  assert.ok(
    rows.every((row) => Number(row.last_used_at) > 0),
    'and when it was last used',
  );
});

test('a token is kept as its SHA-256, and not at all once it has ended', async () => {
  const tokens = 'select token_hash, expires_at - issued_at as lifetime from access_tokens';
  const rows = (await switchboard.stored.rows(tokens)).map((row) => ({ ...row }));
  assert.deepEqual(rows, [{ token_hash: sha256(token), lifetime: 43_200_000 }]);
});

test('a password is kept as an Argon2id hash with a salt of its own', async () => {
  const hashes = (await switchboard.stored.rows('select password_hash from logins')).map((row) =>
    String(row.password_hash),
  );
  assert.equal(hashes.length, 2);
  for (const hash of hashes) {
    const [, memory, passes, salt = ''] =
      hash.match(/^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=\d+\$([^$]+)\$[^$]{40,}$/) ?? [];
    assert.ok(Number(memory) >= 19_456, hash);
    assert.ok(Number(passes) >= 2, hash);
    assert.ok(Buffer.from(salt, 'base64').length >= 16, hash);
  }
  assert.equal(new Set(hashes.map((hash) => hash.split('$')[4])).size, 2);
});

test('a repeated request is kept as a fingerprint that nobody can compute without the secret', async () => {
  const rows = await switchboard.stored.rows('select * from idempotency_keys');
  assert.equal(rows.length, 4);
  for (const { body, request_hash } of rows) {
    assert.match(String(request_hash), /^[0-9a-f]{64}$/);
    const parsed = JSON.parse(String(body));
    if (parsed.data) assert.equal(parsed.data.sso_key, null);
  }
});
