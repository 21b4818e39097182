import assert from 'node:assert/strict';
import { afterEach, beforeEach, suite, test } from 'node:test';
import { computeTotp, toTotpStep } from '../../../src/core/access/two-factor/totp.ts';
import type { Invitation } from '../../../src/core/administration/password-links.ts';
import { type Caller, fullAccessCaller, type Transact } from '../../../src/core/kernel/caller.ts';
import { toDomainError } from '../../../src/core/kernel/errors.ts';
import type { OperatorCreate, OperatorUpdate } from '../../../src/core/operators/operator.ts';
import { databases, type TestInstallation } from '../../support/databases/databases.ts';

const HOME = '192.0.2.1';
const PASSWORD = 'three green bicycles';
const HOUR_MS = 3_600_000;

for (const { name, open } of databases) {
  suite(`password links (${name})`, () => {
    let installation: TestInstallation;
    let transact: Transact;
    let operatorId: number;
    beforeEach(async () => {
      installation = await open();
      transact = (work) => installation.database.transaction(work, installation.accountId);
      operatorId = await createOperator({ roles: ['operator'] });
    });
    afterEach(() => installation.end());

    let operatorCount = 0;
    async function createOperator(fields: Partial<OperatorCreate>): Promise<number> {
      operatorCount += 1;
      const input = { name: 'Martin', email: `operator${operatorCount}@example.com`, ...fields };
      return (await installation.operators.create(transact, installation.caller, input)).id;
    }

    /** The operator as a caller, with the permissions that they have now. */
    async function toCaller(id: number): Promise<Caller> {
      const token = await installation.database.transaction((tx) =>
        installation.tokens.issue(tx, { accountId: 1, operatorId: id }, { kind: 'password' }),
      );
      return (await installation.tokenCallers.findCaller(token)) ?? assert.fail('no caller');
    }

    const update = (id: number, fields: OperatorUpdate) =>
      installation.operators.update(transact, installation.caller, id, fields);
    const invite = (id = operatorId, caller: Caller = installation.caller) =>
      installation.passwordLinks.create(transact, caller, id);
    const find = async ({ secret }: Invitation) =>
      installation.passwordLinks.find(secret ?? assert.fail('no token'), HOME);
    const use = async ({ secret }: Invitation, password = PASSWORD) =>
      installation.passwordLinks.setPassword(secret ?? assert.fail('no token'), password, HOME);
    const logIn = async (password = PASSWORD) => {
      const [operator] = await installation.operatorQuery.load(1, [operatorId]);
      const email = operator?.email ?? assert.fail('no operator');
      return installation.login.logIn({ email, password, address: HOME });
    };
    const countLinks = async () =>
      (await installation.database.read.selectFrom('passwordLinks').selectAll().execute()).length;
    const getKind = (error: unknown) => toDomainError(error)?.kind;
    const isForbidden = (error: unknown) => getKind(error) === 'forbidden';

    test('a link sets the password once', async () => {
      const link = await invite();
      assert.equal(link.expiresAt, installation.clock.now + 24 * HOUR_MS);
      const found = await find(link);
      assert.deepEqual([found?.operator.id, found?.expiresAt], [operatorId, link.expiresAt]);
      assert.equal(await use(link), true);
      assert.ok(await logIn());
      assert.equal(await use(link, 'four yellow bicycles'), false);
      assert.equal(await find(link), undefined);
      assert.equal(await countLinks(), 0);
    });

    test('exactly one of many concurrent requests sets its password', async () => {
      const link = await invite();
      const passwords = Array.from({ length: 10 }, (_, index) => `${PASSWORD} ${index}`);
      const results = await Promise.all(passwords.map((password) => use(link, password)));
      assert.equal(results.filter(Boolean).length, 1);
      assert.equal(results.length, 10);
    });

    test("a link ends after 24 hours by the database's clock, and is deleted", async () => {
      const [link, otherId] = [await invite(), await createOperator({})];
      const other = await invite(otherId);
      installation.clock.advance(24 * HOUR_MS - 1);
      assert.equal(await use(other), true);
      installation.clock.advance(1);
      assert.equal(await find(link), undefined);
      assert.equal(await use(link), false);
      installation.clock.advance(1);
      await installation.passwordLinks.deleteExpired();
      assert.equal(await countLinks(), 0);
    });

    test('a new link replaces the earlier one of the operator, and no other', async () => {
      const otherId = await createOperator({});
      const [first, other, second] = [await invite(), await invite(otherId), await invite()];
      assert.equal(await use(first), false);
      assert.equal(await use(other), true);
      assert.equal(await use(second), true);
    });

    test('a password change, another e-mail address and deletion end the link', async () => {
      const changed = await invite();
      await update(operatorId, { password: 'set by an admin' });
      assert.equal(await use(changed), false);
      const moved = await invite();
      await update(operatorId, { pseudo: 'Ally' });
      assert.ok(await find(moved), 'another change does not end it');
      await update(operatorId, { email: 'moved@example.com' });
      assert.equal(await use(moved), false);
      const deleted = await invite();
      await installation.operators.delete(transact, installation.caller, operatorId);
      assert.equal(await find(deleted), undefined);
      assert.equal(await use(deleted), false);
      assert.equal(await countLinks(), 0);
    });

    test('a password that is not accepted names the broken rule and does not use up the link', async () => {
      const link = await invite();
      for (const [password, reason] of [
        ['short', 'too_short'],
        ['x'.repeat(201), 'too_long'],
        [`ten letters \0`, 'invalid_characters'],
        ['qwertyuiop', 'too_common'],
        [link.operator.email.toUpperCase(), 'too_common'],
      ] as const) {
        await assert.rejects(use(link, password), (error) => {
          assert.deepEqual(
            toDomainError(error)?.details.problems?.map((problem) => [problem.path[0], problem.reason]),
            [['password', reason]],
          );
          return true;
        });
      }
      assert.equal(await use(link), true);
    });

    test('setting the password ends every token and single sign-on code of the operator, and no other', async () => {
      const issue = (id: number) =>
        installation.database.transaction((tx) =>
          installation.tokens.issue(tx, { accountId: 1, operatorId: id }, { kind: 'password' }),
        );
      await Promise.all([issue(operatorId), issue(operatorId), issue(1)]);
      const key = installation.operators.deriveSsoKey(1, { id: operatorId, ssoVersion: 1 });
      await installation.singleSignOn.issueCode(key, HOME);
      assert.equal(await use(await invite()), true);
      const { read } = installation.database;
      const owners = await read.selectFrom('accessTokens').select('operatorId').execute();
      assert.deepEqual(owners, [{ operatorId: 1 }]);
      assert.deepEqual(await read.selectFrom('ssoCodes').selectAll().execute(), []);
    });

    test('two-factor authentication stays on', async () => {
      const viewer: Caller = { ...installation.caller, operatorId, actor: { type: 'operator', id: operatorId } };
      const currentPassword = 'the first password';
      await update(operatorId, { password: currentPassword });
      const { secret } = await installation.twoFactor.start(transact, viewer, { currentPassword });
      const code = computeTotp(secret, toTotpStep(installation.clock.now));
      await installation.twoFactor.confirm(transact, viewer, { code });
      const enabledAt = installation.clock.now;
      installation.clock.advance(HOUR_MS);
      assert.equal(await use(await invite()), true);
      const [state] = await installation.twoFactorQuery.load(1, [operatorId]);
      assert.equal(state?.enabledAt, enabledAt);
      assert.equal(await installation.twoFactorQuery.countRecoveryCodes({ accountId: 1, operatorId }), 10);
    });

    test('only those who may set the password make a link, and never their own', async () => {
      const groups = await installation.groups.create(transact, installation.caller, { name: 'G', parentId: null });
      const other = await installation.groups.create(transact, installation.caller, { name: 'O', parentId: null });
      const [manager, colleague, inside, outside, admin] = [
        await createOperator({ roles: ['manager'], groupId: groups.id }),
        await createOperator({ roles: ['manager'], groupId: groups.id }),
        await createOperator({ groupId: groups.id }),
        await createOperator({ groupId: other.id }),
        await createOperator({ roles: ['admin'], groupId: groups.id }),
      ];
      for (const target of [outside, colleague, admin, manager])
        await assert.rejects(invite(target, await toCaller(manager)), isForbidden);
      await assert.rejects(invite(admin, await toCaller(admin)), isForbidden);
      await assert.rejects(invite(inside, await toCaller(inside)), isForbidden);
      await assert.rejects(invite(inside, await toCaller(outside)), isForbidden);
      await assert.rejects(invite(inside, fullAccessCaller(1, { type: 'api_key', id: 1 }, false)), isForbidden);
      await assert.rejects(invite(inside, fullAccessCaller(2, { type: 'api_key', id: 1 })), /Unknown 'operator'/);
      assert.equal(await countLinks(), 0);
      assert.equal(await use(await invite(inside, await toCaller(manager))), true);
      assert.equal(await use(await invite(manager, await toCaller(admin))), true);
    });

    test('a link ends when its creator may no longer set the password', async () => {
      const { id: groupId } = await installation.groups.create(transact, installation.caller, {
        name: 'G',
        parentId: null,
      });
      const manager = await createOperator({ roles: ['manager'], groupId });
      await update(operatorId, { groupId });
      const byManager = async () => invite(operatorId, await toCaller(manager));

      const demoted = await byManager();
      await update(manager, { roles: ['operator'] });
      assert.equal(await find(demoted), undefined);
      assert.equal(await use(demoted), false);
      await update(manager, { roles: ['manager'] });

      const promoted = await byManager();
      await update(operatorId, { roles: ['admin'] });
      assert.equal(await use(promoted), false, 'a manager must not become an admin');
      await update(operatorId, { roles: ['operator'] });

      const moved = await byManager();
      await update(operatorId, { groupId: null });
      assert.equal(await use(moved), false);
      await update(operatorId, { groupId });

      const orphaned = await byManager();
      await installation.operators.delete(transact, installation.caller, manager);
      assert.equal(await use(orphaned), false);
    });

    test('a link that has ended does not come back when the change is undone', async () => {
      const { groups, caller } = installation;
      const { id: groupId } = await groups.create(transact, caller, { name: 'G', parentId: null });
      const { id: subgroupId } = await groups.create(transact, caller, { name: 'S', parentId: groupId });
      const manager = await createOperator({ roles: ['manager'], groupId });
      await update(operatorId, { groupId: subgroupId });
      const moveSubgroup = (parentId: number | null) => groups.update(transact, caller, subgroupId, { parentId });
      for (const [change, undo] of [
        [() => update(manager, { roles: ['operator'] }), () => update(manager, { roles: ['manager'] })],
        [() => update(operatorId, { roles: ['manager'] }), () => update(operatorId, { roles: ['operator'] })],
        [() => update(operatorId, { groupId: null }), () => update(operatorId, { groupId: subgroupId })],
        [() => moveSubgroup(null), () => moveSubgroup(groupId)],
      ] as const) {
        const link = await invite(operatorId, await toCaller(manager));
        assert.equal(await countLinks(), 1);
        await change();
        await undo();
        assert.equal(await use(link), false, String(change));
      }
      const kept = await invite(operatorId, await toCaller(manager));
      await update(operatorId, { groupId });
      await invite(await createOperator({ groupId }), await toCaller(manager));
      assert.ok(await find(kept), 'its creator may still make it');
      await installation.operators.delete(transact, caller, manager);
      assert.equal(await countLinks(), 0);
    });

    test('a link ends with the API key that made it', async () => {
      const { key } = await transact((tx) =>
        installation.apiKeys.create(tx, installation.caller, { name: 'K', access: 'write', expiresAt: null }),
      );
      const byKey = () => invite(operatorId, fullAccessCaller(1, { type: 'api_key', id: key.id }));
      assert.equal(await use(await byKey()), true);
      const link = await byKey();
      await transact((tx) => installation.apiKeys.revoke(tx, installation.caller, key.id));
      assert.equal(await use(link), false);
    });

    test('the event log names the operator, the way and the address, and no secret', async () => {
      const link = await invite();
      await use(link);
      const events = await installation.database.read
        .selectFrom('events')
        .select(['type', 'actorType', 'actorId', 'via', 'address', 'changes'])
        .where('subjectType', '=', 'operator')
        .where('subjectId', '=', operatorId)
        .orderBy('position', 'desc')
        .limit(2)
        .execute();
      assert.deepEqual(
        events.map(({ type, actorType, actorId, via, address }) => [type, actorType, actorId, via, address]),
        [
          ['operator.updated', 'operator', operatorId, 'password_link', HOME],
          ['operator.invited', 'system', null, null, null],
        ],
      );
      assert.deepEqual(
        events.map(({ changes }) => JSON.parse(changes)),
        [
          { fields: ['password'], values: {} },
          { fields: [], values: {} },
        ],
      );
    });

    test('the database holds no token', async () => {
      const { secret } = await invite();
      const rows = await installation.database.read.selectFrom('passwordLinks').selectAll().execute();
      assert.equal(rows.length, 1);
      assert.ok(!JSON.stringify(rows).includes(secret ?? assert.fail('no token')));
      assert.equal(await installation.passwordLinks.find(rows[0]?.tokenHash ?? '', HOME), undefined);
    });

    test('tries are limited per address, together with logins', async () => {
      const link = await invite();
      for (let index = 0; index < 50; index += 1) {
        assert.equal(await installation.passwordLinks.find('unknown', HOME), undefined);
        assert.equal(await installation.passwordLinks.setPassword('unknown', PASSWORD, HOME), false);
      }
      await assert.rejects(find(link), (error) => getKind(error) === 'limited');
      await assert.rejects(use(link), (error) => getKind(error) === 'limited');
      await assert.rejects(logIn(), (error) => getKind(error) === 'limited');
      assert.ok(await installation.passwordLinks.find(link.secret ?? '', '192.0.2.2'));
    });
  });
}
