import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { postSession, readCookie } from '../support/clients/browser-session.ts';
import { type GraphqlClient, graphqlClient, keyClient } from '../support/clients/graphql.ts';
import { logIn, tryLogin } from '../support/clients/oauth.ts';
import { type RestClient, restClient } from '../support/clients/rest.ts';
import { isOnPostgres, TEST_SECRET } from '../support/databases/postgres-database.ts';
import { setUpTwoFactor } from '../support/fixtures/two-factor.ts';
import {
  ADMIN,
  type SwitchboardProcess,
  startSwitchboardProcess,
  WRITE_KEY,
} from '../support/processes/switchboard.ts';

const PASSWORDS = { first: 'the-first-password-kept', second: 'the-second-password-kept' };
const MEMBER = { email: 'member@example.com', password: 'the-password-of-a-member' };
const TYPED_AS_EMAIL = 'a-password-typed-as-e-mail';

let folder: string;
let switchboard: SwitchboardProcess;
let token: string;
let revoked: string;
let createdKey: string;
const ssoKeys: string[] = [];
/** Of an operator with two-factor authentication. */
let memberSecrets: Readonly<Record<string, string>>;
let sessionSecret: string;
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
  memberSecrets = await useMember(rest);
  await takeSnapshot('running');
  await switchboard.stop();
  await takeSnapshot('stopped');
});
after(async () => {
  await switchboard.storedData.end();
  rmSync(folder, { recursive: true, force: true });
});

/** Makes every credential that an operator can have. Returns them, used and unused ones. */
async function useMember(rest: RestClient): Promise<Record<string, string>> {
  const { body } = await rest.post('/operator', { name: 'Member', ...MEMBER });
  const { id, sso_key: ssoKey } = body.data;
  const memberToken = await logIn(switchboard.url, MEMBER);
  const viewer = graphqlClient(switchboard.url, memberToken);
  const { secret: totpSecret, recoveryCodes } = await setUpTwoFactor(viewer, MEMBER.password);
  const pendingSecret = await startTwoFactorAgain(viewer, recoveryCodes[0] ?? '');
  const login = await postSession(switchboard.url, { ...MEMBER, code: recoveryCodes[1] });
  assert.equal(login.status, 200, login.text);
  sessionSecret = readCookie(login).split('=')[1] ?? '';
  const failed = await postSession(switchboard.url, { email: TYPED_AS_EMAIL, password: 'wrong' });
  assert.equal(failed.status, 400);
  const { data } = await keyClient(switchboard.url, switchboard.key).run(
    `mutation{operatorInvite(input:{id:${id}}){link{url}}}`,
  );
  const link = data.operatorInvite.link.url.split('#token=')[1];
  const sso = await fetch(`${switchboard.url}/admin/login?key=${ssoKey}`, { redirect: 'manual' });
  const code = sso.headers.get('location')?.match(/#code=([\w-]+)/)?.[1] ?? assert.fail('no code');
  ssoKeys.push(ssoKey);
  const codes = Object.fromEntries(
    recoveryCodes.map((recoveryCode, index) => [`recovery code ${index}`, recoveryCode]),
  );
  return { memberToken, sessionSecret, totpSecret, pendingSecret, ...codes, link, code };
}

async function startTwoFactorAgain({ run }: GraphqlClient, code: string): Promise<string> {
  const { data } = await run(
    `mutation{twoFactorStart(input:{currentPassword:"${MEMBER.password}" code:"${code}"}){secret}}`,
  );
  return data.twoFactorStart.secret;
}

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

test('no token, session, key, code, link, password or single sign-on key is stored in plain text', () => {
  const secrets = {
    token,
    revoked,
    madeKey: createdKey,
    WRITE_KEY,
    admin: ADMIN.password,
    ...PASSWORDS,
    guess: 'a-guess-that-is-wrong',
    member: MEMBER.password,
    typed: TYPED_AS_EMAIL,
    ...memberSecrets,
  };
  for (const [what, secret] of [...Object.entries(secrets), ...ssoKeys.map((key) => ['sso_key', key] as const)]) {
    const isLong = secret.length >= 20 || /^[0-9a-z]{5}-[0-9a-z]{5}$/.test(secret);
    assert.ok(isLong, `${what} is too short to search for`);
    const derived = secret.split('.').at(-1) as string; // the secret part of a single sign-on key
    for (const [file, bytes] of snapshots) {
      for (const form of [
        ...[secret, derived, encodeURIComponent(secret), Buffer.from(secret).toString('base64')],
        ...[secret.replace('-', ''), Buffer.from(secret).toString('hex')],
      ]) {
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
  const tokens = 'select token_hash, expires_at - issued_at as lifetime from access_tokens where operator_id = 2';
  const rows = (await switchboard.storedData.query(tokens)).map((row) => ({ ...row }));
  assert.deepEqual(rows, [{ token_hash: sha256(token), lifetime: 43_200_000 }]);
});

test('what people type or remember is not stored as a plain hash, which could be guessed', () => {
  const typed = Object.entries(memberSecrets).filter(([what]) => what.startsWith('recovery code'));
  assert.equal(typed.length, 10);
  for (const [what, secret] of [...typed, ['e-mail', TYPED_AS_EMAIL] as const]) {
    for (const [file, bytes] of snapshots) assert.equal(bytes.includes(sha256(secret)), false, `${what} is in ${file}`);
  }
});

test('a session is stored as the SHA-256 of what no client can send as a token', async () => {
  const rows = await switchboard.storedData.query('select token_hash from access_tokens where is_session = 1');
  assert.deepEqual(
    rows.map(({ token_hash }) => token_hash),
    [sha256(`session ${sessionSecret}`)],
  );
});

test('a password is stored as an Argon2id hash with its own salt', async () => {
  const hashes = (await switchboard.storedData.query('select password_hash from logins')).map((row) =>
    String(row.password_hash),
  );
  assert.equal(hashes.length, 3);
  for (const hash of hashes) {
    const [, memory, passes, salt = ''] =
      hash.match(/^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=\d+\$([^$]+)\$[^$]{40,}$/) ?? [];
    assert.ok(Number(memory) >= 19_456, hash);
    assert.ok(Number(passes) >= 2, hash);
    assert.ok(Buffer.from(salt, 'base64').length >= 16, hash);
  }
  assert.equal(new Set(hashes.map((hash) => hash.split('$')[4])).size, 3);
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
