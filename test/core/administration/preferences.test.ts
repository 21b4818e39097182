import assert from 'node:assert/strict';
import { afterEach, beforeEach, suite, test } from 'node:test';
import type { PreferencesUpdate } from '../../../src/core/administration/preferences.ts';
import { type Caller, fullAccessCaller, type Transact } from '../../../src/core/kernel/caller.ts';
import { toDomainError } from '../../../src/core/kernel/errors.ts';
import { databases, type TestInstallation } from '../../support/databases/databases.ts';

const DEFAULTS = {
  ...{ theme: 'system', density: 'comfortable', sound: true, notifications: false },
  ...{ singleKeyShortcuts: true, enterSends: true },
};

for (const { name, open } of databases) {
  suite(`preferences (${name})`, () => {
    let installation: TestInstallation;
    let transact: Transact;
    let viewer: Caller;
    beforeEach(async () => {
      installation = await open();
      transact = (work) => installation.database.transaction(work, 1);
      const fields = { name: 'Martin', email: 'martin@example.com' };
      const { id } = await installation.operators.create(transact, installation.caller, fields);
      viewer = { ...installation.caller, operatorId: id, actor: { type: 'operator', id } };
    });
    afterEach(() => installation.end());

    const find = () => installation.preferences.find(1, viewer.operatorId ?? 0);
    const update = (input: PreferencesUpdate) => installation.preferences.update(transact, viewer, input);
    const store = (preferences: string) =>
      transact(async ({ db }) => {
        await db.updateTable('operatorPreferences').set({ preferences }).execute();
      });

    test('has defaults, keeps what is omitted, and belongs to one operator', async () => {
      assert.deepEqual(await find(), DEFAULTS);
      assert.deepEqual(await update({ theme: 'dark' }), { ...DEFAULTS, theme: 'dark' });
      const changes = { density: 'compact', sound: false, notifications: true } as const;
      const keys = { singleKeyShortcuts: false, enterSends: false };
      assert.deepEqual(await update({ ...changes, ...keys, theme: null }), { theme: 'dark', ...changes, ...keys });
      assert.deepEqual(await update({}), { theme: 'dark', ...changes, ...keys });
      assert.deepEqual(await find(), { theme: 'dark', ...changes, ...keys });
      assert.deepEqual(await installation.preferences.find(1, 1), DEFAULTS);
    });

    test('a stored value that is no longer valid counts as the default', async () => {
      await update({ theme: 'dark' });
      await store('{"theme":"sepia","sound":"loud","density":1}');
      assert.deepEqual(await find(), DEFAULTS);
    });

    test('a setting of a newer version is kept', async () => {
      await update({ theme: 'dark' });
      await store('{"theme":"light","newer":"compact"}');
      await update({ theme: 'dark' });
      const row = await installation.database.read.selectFrom('operatorPreferences').selectAll().executeTakeFirst();
      assert.deepEqual(JSON.parse(row?.preferences ?? ''), { ...DEFAULTS, theme: 'dark', newer: 'compact' });
    });

    test('ends with the operator; an API key has none', async () => {
      await update({ theme: 'dark' });
      await installation.operators.delete(transact, installation.caller, viewer.operatorId ?? 0);
      const rows = await installation.database.read.selectFrom('operatorPreferences').selectAll().execute();
      assert.deepEqual(rows, []);
      const key = fullAccessCaller(1, { type: 'api_key', id: 1 });
      await assert.rejects(
        async () => installation.preferences.update(transact, key, { theme: 'dark' }),
        (error) => toDomainError(error)?.kind === 'forbidden',
      );
      await assert.rejects(update({ theme: 'dark' }), /Unknown 'operator'/);
    });
  });
}
