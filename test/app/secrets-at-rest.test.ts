import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { logIn, tryLogin } from '../support/clients/oauth.ts';
import { restClient } from '../support/clients/rest.ts';
import { isOnPostgres, TEST_SECRET } from '../support/databases/postgres-database.ts';
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
let createdKey: string;
const ssoKeys: string[] = [];
/** Rows and database files, while the service ran and after it stopped. */
const snapshots = new Map<string, Buffer>();

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-secrets-'));
  switchboard = await startSwitchboardProcess({ folder });
  const rest = restClient(switchboard.url, switchboard.key);
  const { stdout } = await switchboard.runCommand(['key', 'create', '--name', 'kept', '--access', 'write']);
  createdKey = stdout.match(/sb_\S+/)?.[0] ?? assert.fail(stdout);

  const email = 'kept@example.com';
  const fields = { name: 'Kept', email, password: PASSWORDS.first };
  for (const isRepeated of [false, true]) {
    const response = await rest.post('/operator', fields, { 'Idempotency-Key': 'create' });
    assert.equal(response.status, 201);
    assert.equal(response.headers.get('idempotency-replayed'), isRepeated ? 'true' : null);
    if (!isRepeated) ssoKeys.push(response.body.data.sso_key);
  }
  revoked = await logIn(switchboard.url, { email, password: PASSWORDS.first });
  await rest.put('/operator/2', { password: PASSWORDS.second }, { 'Idempotency-Key': 'change' });
  await rest.put('/operator/2', { password: PASSWORDS.second, sso_key: 'wrong' }, { 'Idempotency-Key': 'refused' });
  token = await logIn(switchboard.url, { email, password: PASSWORDS.second });
  await tryLogin(switchboard.url, email, 'a-guess-that-is-wrong');
  await restClient(switchboard.url, createdKey).put('/operator/1', { name: 'Seen' }, { 'Idempotency-Key': 'admin' });
  ssoKeys.push((await rest.get('/operator/1')).body.data.sso_key);
  await takeSnapshot('running');
  await switchboard.stop();
  await takeSnapshot('stopped');
});
after(async () => {
  await switchboard.storedData.end();
  rmSync(folder, { recursive: true, force: true });
});

/** All files except the installation secret, which is not part of the database. */
async function takeSnapshot(when: string): Promise<void> {
  snapshots.set(`rows (${when})`, Buffer.from(await switchboard.storedData.dumpRows()));
  for (const file of readdirSync(folder)) {
    if (file !== 'secret') snapshots.set(`${file} (${when})`, readFileSync(join(folder, file)));
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** PostgreSQL has no local files. */
const KINDS = isOnPostgres ? ['rows'] : ['rows', 'switchboard.db'];

test('the snapshots contain the data', () => {
  const all = [...snapshots.keys()].join(', ');
  if (!isOnPostgres)
    assert.ok(snapshots.has('switchboard.db (stopped)') && snapshots.has('switchboard.db-wal (running)'), all);
  for (const when of ['running', 'stopped']) {
    for (const kind of KINDS) {
      const matching = [...snapshots].filter(([name]) => name.startsWith(kind) && name.endsWith(`(${when})`));
      const isFound = matching.some(([, bytes]) => bytes.includes('kept@example.com'));
      assert.ok(isFound, 'plain text is found, so a secret would be found too');
    }
  }
});

test('no token, key, password or single sign-on key is stored in plain text', () => {
  const secrets = {
    token,
    revoked,
    madeKey: createdKey,
    WRITE_KEY,
    admin: ADMIN.password,
    ...PASSWORDS,
    guess: 'a-guess-that-is-wrong',
  };
  for (const [what, secret] of [...Object.entries(secrets), ...ssoKeys.map((key) => ['sso_key', key] as const)]) {
    assert.ok(secret.length >= 20, `${what} is too short to search for`);
    const derived = secret.split('.').at(-1) as string; // the secret part of a single sign-on key
    for (const [file, bytes] of snapshots) {
      for (const form of [secret, derived, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]) {
        assert.equal(bytes.includes(form), false, `${what} is in ${file}`);
      }
    }
  }
});

test('the installation secret is not stored in the database, and only its owner can read its file', () => {
  const file = join(folder, 'secret');
  const secret = isOnPostgres ? TEST_SECRET : readFileSync(file, 'utf8').trim();
  assert.ok(secret.length >= 32);
  for (const [name, bytes] of snapshots) assert.equal(bytes.includes(secret), false, name);
  if (!isOnPostgres) assert.equal(statSync(file).mode & 0o777, 0o600);
});

test('a key is stored as its SHA-256 and a short prefix', async () => {
  const rows = await switchboard.storedData.query('select * from api_keys order by id');
  assert.deepEqual(
    rows.map(({ prefix, key_hash }) => [prefix, key_hash]),
    [WRITE_KEY, createdKey].map((key) => [key.slice(0, 8), sha256(key)]),
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
    'the last use is recorded',
  );
});

test('a token is stored as its SHA-256 and deleted when it is revoked', async () => {
  const tokens = 'select token_hash, expires_at - issued_at as lifetime from access_tokens';
  const rows = (await switchboard.storedData.query(tokens)).map((row) => ({ ...row }));
  assert.deepEqual(rows, [{ token_hash: sha256(token), lifetime: 43_200_000 }]);
});

test('a password is stored as an Argon2id hash with its own salt', async () => {
  const hashes = (await switchboard.storedData.query('select password_hash from logins')).map((row) =>
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

test('an idempotent request is stored as a fingerprint that cannot be computed without the secret', async () => {
  const rows = await switchboard.storedData.query('select * from idempotency_keys');
  assert.equal(rows.length, 4);
  for (const { body, request_hash } of rows) {
    assert.match(String(request_hash), /^[0-9a-f]{64}$/);
    const parsed = JSON.parse(String(body));
    if (parsed.data) assert.equal(parsed.data.sso_key, null);
  }
});
