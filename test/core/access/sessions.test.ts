import assert from 'node:assert/strict';
import { afterEach, beforeEach, suite, test } from 'node:test';
import { digest } from '../../../src/core/access/secrets.ts';
import type { Transact } from '../../../src/core/kernel/caller.ts';
import { secretOf } from '../../support/clients/oauth.ts';
import { databases, type TestInstallation } from '../../support/databases/databases.ts';

const HOME = '192.0.2.1';
const PASSWORD = 'a long enough password';
const EMAIL = 'manager@example.com';

for (const { name, open } of databases)
  suite(`sessions of browsers (${name})`, () => {
    let installation: TestInstallation;
    let operatorId: number;
    const transact: Transact = (work) => installation.database.transaction(work, installation.accountId);
    beforeEach(async () => {
      installation = await open();
      const fields = { name: 'Manager', email: EMAIL, password: PASSWORD, roles: ['manager' as const] };
      ({ id: operatorId } = await installation.operators.create(transact, installation.caller, fields));
    });
    afterEach(() => installation.end());

    const logIn = async (use: 'token' | 'session', password = PASSWORD, email = EMAIL) =>
      secretOf(await installation.access.login.logIn({ email, password, address: HOME, device: 'Browser/1.0', use }));
    const isValid = async (secret: string | undefined, kind: 'token' | 'session' = 'session') => {
      installation.access.tokenCallers.evict(secret ?? '', kind); // the cache of half a second
      return (await installation.access.tokenCallers.findCaller(secret ?? assert.fail('refused'), kind)) !== undefined;
    };
    const listSessions = async () => (await installation.access.sessions.load(1, [operatorId]))[0] ?? [];
    const readEvents = async () => {
      const rows = await installation.database.read
        .selectFrom('events')
        .select(['type', 'changes', 'actorId', 'via', 'address'])
        .where('subjectType', '=', 'session')
        .orderBy('position')
        .execute();
      return rows.map(({ type, changes, actorId, via, address }) => [
        type,
        JSON.parse(changes).values,
        actorId,
        via,
        address,
      ]);
    };
    const reasons = async () => (await readEvents()).slice(1).map(([, values]) => values.reason);

    test('are announced when they begin and when they end; tokens are not', async () => {
      await logIn('token');
      const secret = (await logIn('session')) ?? assert.fail('refused');
      await installation.access.sessions.endOwn(secret, 'logged_out', HOME);
      await installation.access.sessions.endOwn(secret, 'logged_out', HOME);
      assert.deepEqual(await readEvents(), [
        ['session.created', { operatorId, method: 'password' }, operatorId, 'session', HOME],
        ['session.ended', { operatorId, reason: 'logged_out' }, operatorId, 'session', HOME],
      ]);
      assert.equal(await isValid(secret), false);
    });

    test('a guess at a token to revoke does not wait for the writer', async () => {
      const token = (await logIn('token')) ?? assert.fail('refused');
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const writing = installation.database.transaction(() => held, installation.accountId);
      for (let count = 0; count < 20; count += 1) await installation.access.tokens.revoke(`${count}`.repeat(20));
      release();
      await writing;
      assert.equal(await isValid(token, 'token'), true);
      await installation.access.tokens.revoke(token);
      assert.equal(await isValid(token, 'token'), false);
    });

    test('are listed with device and address, newest first, until they end', async () => {
      await logIn('session');
      installation.clock.advance(1000);
      await logIn('token');
      await logIn('session');
      const [newest, oldest, ...others] = await listSessions();
      assert.equal(others.length, 0);
      assert.deepEqual([newest?.device, newest?.address], ['Browser/1.0', HOME]);
      assert.equal(newest?.createdAt, (oldest?.createdAt ?? 0) + 1000);
      installation.clock.advance(43_200_000 - 1000);
      assert.deepEqual(
        (await listSessions()).map(({ id }) => id),
        [newest?.id],
      );
    });

    test('a demotion ends them; a promotion and other changes do not, and tokens go on', async () => {
      const [session, token] = [await logIn('session'), await logIn('token')];
      const update = (roles: ('operator' | 'manager' | 'admin')[]) =>
        installation.operators.update(transact, installation.caller, operatorId, { roles });
      await update(['manager', 'operator']);
      await update(['admin']);
      assert.equal(await isValid(session), true);
      await update(['operator']);
      assert.equal(await isValid(session), false);
      assert.equal(await isValid(token, 'token'), true);
      assert.deepEqual(await reasons(), ['demoted']);
    });

    test('a new password and a deletion end sessions and tokens', async () => {
      const [session, token] = [await logIn('session'), await logIn('token')];
      const password = 'another long enough password';
      await installation.operators.update(transact, installation.caller, operatorId, { password });
      const next = await logIn('session', password);
      assert.deepEqual(
        [await isValid(session), await isValid(token, 'token'), await isValid(next)],
        [false, false, true],
      );
      await installation.operators.delete(transact, installation.caller, operatorId);
      assert.equal(await isValid(next), false);
      const values = (await readEvents()).filter(([type]) => type === 'session.ended').map(([, value]) => value.reason);
      assert.deepEqual(values, ['password_changed', 'deleted']);
    });

    test('the operator and admins end them, managers do not; the current one stays', async () => {
      const { sessions, tokenCallers } = installation.access;
      const [current, other] = [await logIn('session'), await logIn('session')];
      const caller = (await tokenCallers.findCaller(current ?? '', 'session')) ?? assert.fail('no caller');
      await sessions.endOthers(transact, caller, operatorId);
      assert.deepEqual([await isValid(current), await isValid(other)], [true, false]);
      assert.throws(() => sessions.endOthers(transact, caller, 1), { kind: 'forbidden' });
      assert.throws(() => sessions.end(transact, caller, 1, 1), { kind: 'forbidden' });
      const [{ id = 0 } = {}] = await listSessions();
      await assert.rejects(sessions.end(transact, installation.caller, 1, id), { kind: 'unknown' }, 'of another');
      await sessions.end(transact, installation.caller, operatorId, id);
      assert.equal(await isValid(current), false);
    });

    test('a refused login is recorded in the same way for known and unknown e-mail addresses', async () => {
      const readRows = () => installation.database.read.selectFrom('failedLogins').selectAll().orderBy('at').execute();
      for (const email of [EMAIL, 'unknown@example.com', 'my-password-by-mistake']) {
        installation.clock.advance(1);
        assert.equal(await logIn('session', 'wrong', email), undefined);
      }
      const rows = await readRows();
      assert.deepEqual(
        rows.map(({ reason, address, device }) => [reason, address, device]),
        Array(3).fill(['wrong_password', HOME, 'Browser/1.0']),
      );
      const typed = 'my-password-by-mistake';
      const windows = await installation.database.read.selectFrom('rateWindows').selectAll().execute();
      const stored = JSON.stringify([rows, windows]);
      assert.ok(windows.some(({ subject }) => subject.startsWith('user ')));
      for (const form of [typed, digest(typed)])
        assert.ok(!stored.includes(form), 'only a digest with a key of the installation is stored');
      const [known, unknown] = await installation.access.failedLogins.loadNewest([`  ${EMAIL.toUpperCase()}`, 'x']);
      assert.equal(known?.length, 1);
      assert.deepEqual(unknown, []);
      assert.equal(JSON.stringify(await readEvents()), '[]');
    });

    test('refused logins are kept for 30 days, the newest 10,000', async () => {
      const { failedLogins } = installation.access;
      const count = async () =>
        (await installation.database.read.selectFrom('failedLogins').selectAll().execute()).length;
      await transact(async (tx) => {
        for (let start = 0; start < 10_005; start += 500) {
          const rows = Array.from({ length: Math.min(500, 10_005 - start) }, (_, index) => ({
            ...{ id: `row ${start + index}`, at: tx.now, emailDigest: 'x', address: HOME, device: null },
            reason: 'wrong_password',
          }));
          await tx.db.insertInto('failedLogins').values(rows).execute();
        }
      });
      await failedLogins.deleteExpired();
      assert.equal(await count(), 10_000);
      installation.clock.advance(30 * 24 * 3_600_000 + 1);
      await failedLogins.deleteExpired();
      assert.equal(await count(), 0);
    });

    test('the database contains nothing that logs in', async () => {
      const secret = (await logIn('session')) ?? assert.fail('refused');
      const rows = await installation.database.read.selectFrom('accessTokens').selectAll().execute();
      const values = rows.flatMap((row) => Object.values(row)).map(String);
      assert.ok(values.length > 0);
      for (const value of values) {
        assert.ok(!value.includes(secret));
        for (const kind of ['token', 'session'] as const)
          assert.equal(await installation.access.tokenCallers.findCaller(value, kind), undefined, value);
      }
    });
  });
