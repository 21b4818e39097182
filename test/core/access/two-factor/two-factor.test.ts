import assert from 'node:assert/strict';
import { afterEach, beforeEach, suite, test } from 'node:test';
import { InstallationSecrets } from '../../../../src/core/access/secrets.ts';
import { countRecoveryCodes } from '../../../../src/core/access/two-factor/recovery-codes.ts';
import { SecondFactors } from '../../../../src/core/access/two-factor/second-factors.ts';
import { computeTotp, toTotpStep } from '../../../../src/core/access/two-factor/totp.ts';
import { findTwoFactor, unsealTotpSecret } from '../../../../src/core/access/two-factor/two-factor-store.ts';
import type { Caller, Transact } from '../../../../src/core/kernel/caller.ts';
import { toDomainError } from '../../../../src/core/kernel/errors.ts';
import { databases, type TestInstallation } from '../../../support/databases/databases.ts';
import { ADMIN } from '../../../support/processes/switchboard.ts';

const STEP_MS = 30_000;

for (const { name, open } of databases) {
  suite(`two-factor authentication (${name})`, () => {
    let installation: TestInstallation;
    let transact: Transact;
    /** The admin, with an open session. */
    let admin: Caller;
    let owner: { accountId: number; operatorId: number };

    beforeEach(async () => {
      installation = await open();
      transact = (work) => installation.database.transaction(work, installation.accountId);
      const login = await installation.operators.findLogin(ADMIN.email);
      assert.ok(login);
      owner = login;
      admin = callerOf(owner.operatorId);
    });
    afterEach(() => installation.end());

    function callerOf(operatorId: number, fields: Partial<Caller> = {}): Caller {
      return { ...installation.caller, actor: { type: 'operator', id: operatorId }, operatorId, ...fields };
    }

    const codeOf = (secret: string, offset = 0) => computeTotp(secret, toTotpStep(installation.clock.now) + offset);
    const currentPassword = ADMIN.password;
    const start = (caller = admin, input: { currentPassword?: string; code?: string } = { currentPassword }) =>
      installation.twoFactor.start(transact, caller, input);

    /** Returns the secret and the recovery codes. The code of this time step is used up. */
    async function setUp() {
      const { secret } = await start();
      const { recoveryCodes } = await installation.twoFactor.confirm(transact, admin, { code: codeOf(secret) });
      return { secret, recoveryCodes };
    }

    const use = (code: string, secondFactors = new SecondFactors(installation.secrets, installation.limits)) =>
      transact((tx) => secondFactors.use(tx, admin, owner, code));

    const rejects = (work: Promise<unknown>, kind: string, field?: string) =>
      assert.rejects(work, (error) => {
        const domainError = toDomainError(error);
        assert.equal(domainError?.kind, kind, String(error));
        if (field !== undefined) assert.deepEqual(domainError?.details.problems?.[0]?.path, [field]);
        return true;
      });

    const readState = async (operatorId = owner.operatorId) =>
      (await installation.twoFactorQuery.load(owner.accountId, [operatorId]))[0];

    const readChanges = async () => {
      const rows = await installation.database.read.selectFrom('events').selectAll().orderBy('position').execute();
      return rows.filter(({ type }) => type === 'operator.updated').map(({ changes }) => JSON.parse(changes));
    };

    test('a secret is in use from the first code on', async () => {
      const { secret, email } = await start();
      assert.equal(email, ADMIN.email);
      assert.equal((await readState())?.enabledAt, null);
      assert.equal(await use(codeOf(secret)), undefined, 'not before it is confirmed');
      await rejects(installation.twoFactor.confirm(transact, admin, { code: codeOf(secret, 5) }), 'invalid', 'code');
      assert.equal((await readState())?.enabledAt, null);
      const { recoveryCodes } = await installation.twoFactor.confirm(transact, admin, { code: codeOf(secret) });
      assert.equal((await readState())?.enabledAt, installation.clock.now);
      assert.equal(new Set(recoveryCodes).size, 10);
      for (const code of recoveryCodes) assert.match(code, /^[0-9a-z]{5}-[0-9a-z]{5}$/);
      assert.equal(await use(codeOf(secret)), undefined, 'the code that confirmed it is used up');
      installation.clock.advance(STEP_MS);
      assert.equal(await use(codeOf(secret)), 'totp');
    });

    test('a secret that is not confirmed in time is not valid and is deleted', async () => {
      const { secret } = await start();
      installation.clock.advance(15 * 60_000);
      await rejects(installation.twoFactor.confirm(transact, admin, { code: codeOf(secret) }), 'state');
      installation.clock.advance(1);
      await installation.twoFactor.deleteExpired();
      assert.equal(await findTwoFactor(installation.database.read, owner), undefined);
    });

    test('one started later replaces it; deleting expired ones keeps what is in use', async () => {
      const first = await start();
      const second = await start();
      await rejects(installation.twoFactor.confirm(transact, admin, { code: codeOf(first.secret) }), 'invalid', 'code');
      await installation.twoFactor.confirm(transact, admin, { code: codeOf(second.secret) });
      installation.clock.advance(STEP_MS);
      await start(admin, { currentPassword, code: codeOf(second.secret) });
      installation.clock.advance(60 * 60_000);
      await installation.twoFactor.deleteExpired();
      assert.equal((await findTwoFactor(installation.database.read, owner))?.pendingSecret, null);
      assert.equal(await use(codeOf(second.secret)), 'totp');
    });

    test('a code is accepted once, a step early and a step late, and never after a later one', async () => {
      const { secret } = await setUp();
      installation.clock.advance(10 * STEP_MS);
      assert.equal(await use(codeOf(secret, -2)), undefined);
      assert.equal(await use(codeOf(secret, 2)), undefined);
      assert.equal(await use(codeOf(secret, -1)), 'totp');
      assert.equal(await use(codeOf(secret, -1)), undefined);
      const [first, rest] = [codeOf(secret, 1).slice(0, 3), codeOf(secret, 1).slice(3)];
      assert.equal(await use(` ${first} ${rest} `), 'totp', 'as apps show it');
      assert.equal(await use(codeOf(secret, 1)), undefined);
      assert.equal(await use(codeOf(secret)), undefined, 'a later one was used');
    });

    test('the same code at the same time is accepted by one', async () => {
      const { secret, recoveryCodes } = await setUp();
      installation.clock.advance(STEP_MS);
      const other = new SecondFactors(installation.secrets, installation.limits);
      for (const code of [codeOf(secret), recoveryCodes[0] as string]) {
        const results = await Promise.all(
          Array.from({ length: 6 }, (_, index) => use(code, index % 2 ? other : undefined)),
        );
        assert.equal(results.filter((result) => result !== undefined).length, 1);
      }
    });

    test('each recovery code is accepted once, however it is typed', async () => {
      const { recoveryCodes } = await setUp();
      const [first = '', second = '', third = ''] = recoveryCodes;
      assert.equal(await use(first), 'recovery_code');
      assert.equal(await use(first), undefined);
      assert.equal(await use(` ${second.toUpperCase().replace('-', ' ')}`), 'recovery_code');
      assert.equal(await use(third.replace('-', '').replaceAll('0', 'O').replaceAll('1', 'l')), 'recovery_code');
      assert.equal(await installation.twoFactorQuery.countRecoveryCodes(owner), 7);
      assert.deepEqual((await readChanges()).at(-1), {
        fields: ['recoveryCodes'],
        values: { recoveryCodesLeft: 7 },
      });
    });

    test('new recovery codes replace the old ones', async () => {
      const { secret, recoveryCodes } = await setUp();
      installation.clock.advance(STEP_MS);
      const input = { currentPassword, code: codeOf(secret) };
      const renewed = await installation.twoFactor.createRecoveryCodes(transact, admin, input);
      assert.equal(await use(recoveryCodes[0] as string), undefined);
      assert.equal(await use(renewed.recoveryCodes[0] as string), 'recovery_code');
      await rejects(installation.twoFactor.createRecoveryCodes(transact, admin, input), 'invalid', 'code');
    });

    test('own changes need the password and a code', async () => {
      await rejects(start(admin, {}), 'invalid', 'currentPassword');
      await rejects(start(admin, { currentPassword: 'another password' }), 'invalid', 'currentPassword');
      const { secret } = await setUp();
      installation.clock.advance(STEP_MS);
      const code = codeOf(secret);
      const { twoFactor } = installation;
      const wrongPassword = { currentPassword: 'another password', code };
      await rejects(twoFactor.disable(transact, admin, wrongPassword), 'invalid', 'currentPassword');
      await rejects(twoFactor.createRecoveryCodes(transact, admin, wrongPassword), 'invalid', 'currentPassword');
      const wrongCode = { currentPassword, code: codeOf(secret, 5) };
      await rejects(twoFactor.disable(transact, admin, wrongCode), 'invalid', 'code');
      installation.clock.advance(60_000); // the limit of logins
      await rejects(start(), 'invalid', 'code');
      await rejects(start(admin, wrongCode), 'invalid', 'code');
      await start(admin, { currentPassword, code: codeOf(secret) });
      installation.clock.advance(STEP_MS);
      assert.equal(await use(codeOf(secret)), 'totp', 'until the new secret is confirmed');
      installation.clock.advance(STEP_MS);
      await twoFactor.disable(transact, admin, { currentPassword, code: codeOf(secret) });
      assert.equal(await findTwoFactor(installation.database.read, owner), undefined);
      assert.equal(await countRecoveryCodes(installation.database.read, owner), 0);
      installation.clock.advance(60_000);
      await rejects(twoFactor.disable(transact, admin, { currentPassword, code: codeOf(secret) }), 'state');
      assert.deepEqual(
        (await readChanges()).map(({ values }) => values),
        [{ twoFactor: true }, { twoFactor: false }],
      );
    });

    test('it stays on while the account requires it for a role of the operator', async () => {
      const { secret } = await setUp();
      const require = (roles: unknown) =>
        installation.accounts.update(transact, installation.caller, { twoFactorRequired: roles } as never);
      await require(['operator', 'admin']);
      assert.equal((await readState())?.isRequired, true);
      installation.clock.advance(STEP_MS);
      const input = { currentPassword, code: codeOf(secret) };
      await rejects(installation.twoFactor.disable(transact, admin, input), 'state');
      await require(['operator']);
      assert.equal((await readState())?.isRequired, false);
      await installation.twoFactor.disable(transact, admin, input);
    });

    test('twenty tries per operator and hour', async () => {
      const attempt = () => installation.limits.admitCode(owner);
      for (let index = 0; index < 20; index += 1) await attempt();
      await rejects(attempt(), 'limited');
      await installation.limits.admitCode({ ...owner, operatorId: owner.operatorId + 1 });
      installation.clock.advance(3_600_000 - 1);
      await rejects(attempt(), 'limited');
      installation.clock.advance(1);
      await attempt();
    });

    test('the first code counts as a login too', async () => {
      const { secret } = await start(); // with the password: a login
      for (let index = 0; index < 9; index += 1) await installation.limits.admit(ADMIN.email);
      const confirm = () => installation.twoFactor.confirm(transact, admin, { code: codeOf(secret) });
      await rejects(confirm(), 'limited');
      installation.clock.advance(60_000);
      await confirm();
    });

    test('an admin resets it for another operator, never for themselves', async () => {
      const { twoFactor } = installation;
      const create = (email: string, roles: ['admin'] | ['manager'] | ['operator']) =>
        installation.operators.create(transact, installation.caller, { name: 'Doe', email, roles });
      const second = callerOf((await create('second@example.com', ['admin'])).id);
      const manager = callerOf((await create('manager@example.com', ['manager'])).id, { accessLevel: 'manager' });
      await rejects(twoFactor.reset(transact, second, owner.operatorId), 'state');
      const { secret } = await setUp();
      await rejects(twoFactor.reset(transact, admin, owner.operatorId), 'forbidden');
      await rejects(twoFactor.reset(transact, manager, owner.operatorId), 'forbidden');
      await rejects(
        twoFactor.reset(transact, { ...installation.caller, canWrite: false }, owner.operatorId),
        'forbidden',
      );
      await rejects(twoFactor.reset(transact, second, 999_999), 'unknown');
      assert.notEqual((await readState())?.enabledAt, null);
      await twoFactor.reset(transact, second, owner.operatorId);
      installation.clock.advance(STEP_MS);
      assert.equal(await use(codeOf(secret)), undefined);
      assert.equal(await countRecoveryCodes(installation.database.read, owner), 0);
    });

    test('deleting the operator deletes secret and codes', async () => {
      const { database, operators, caller } = installation;
      await operators.create(transact, caller, { name: 'Doe', email: 'second@example.com', roles: ['admin'] });
      await setUp();
      await operators.delete(transact, caller, owner.operatorId);
      assert.equal(await findTwoFactor(database.read, owner), undefined);
      assert.equal(await countRecoveryCodes(database.read, owner), 0);
    });

    test('a stored secret opens only for its operator, with the secret of the installation', async () => {
      const { secret } = await setUp();
      const { database, secrets } = installation;
      const sealed = (await findTwoFactor(database.read, owner))?.secret;
      assert.equal(unsealTotpSecret(secrets, owner, sealed), secret);
      for (const other of [
        { ...owner, operatorId: owner.operatorId + 1 },
        { ...owner, accountId: owner.accountId + 1 },
      ])
        assert.equal(unsealTotpSecret(secrets, other, sealed), undefined);
      assert.equal(
        unsealTotpSecret(new InstallationSecrets('another secret of another server'), owner, sealed),
        undefined,
      );
    });

    test('a row copied to another operator does not let anyone log in', async () => {
      const { database, operators, caller } = installation;
      const { id } = await operators.create(transact, caller, { name: 'Doe', email: 'second@example.com' });
      const { secret, recoveryCodes } = await setUp();
      const other = { ...owner, operatorId: id };
      await transact(async (tx) => {
        await tx.db.updateTable('twoFactors').set({ operatorId: id }).execute();
        await tx.db.updateTable('recoveryCodes').set({ operatorId: id }).execute();
      });
      assert.ok((await findTwoFactor(database.read, other))?.enabledAt);
      installation.clock.advance(STEP_MS);
      const secondFactors = new SecondFactors(installation.secrets, installation.limits);
      for (const code of [codeOf(secret), recoveryCodes[0] as string])
        assert.equal(await transact((tx) => secondFactors.use(tx, admin, other, code)), undefined);
    });
  });
}
