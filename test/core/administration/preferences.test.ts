import assert from 'node:assert/strict';
import { afterEach, beforeEach, suite, test } from 'node:test';
import { type Caller, fullAccessCaller, type Transact } from '../../../src/core/kernel/caller.ts';
import { toDomainError } from '../../../src/core/kernel/errors.ts';
import { databases, type TestInstallation } from '../../support/databases/databases.ts';

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
    const update = (theme?: 'system' | 'light' | 'dark') =>
      installation.preferences.update(transact, viewer, { theme });
    const store = (preferences: string) =>
      transact(async ({ db }) => {
        await db.updateTable('operatorPreferences').set({ preferences }).execute();
      });

    test('has defaults, keeps what is omitted, and belongs to one operator', async () => {
      assert.deepEqual(await find(), { theme: 'system' });
      assert.deepEqual(await update('dark'), { theme: 'dark' });
      assert.deepEqual(await update(), { theme: 'dark' });
      assert.deepEqual(await find(), { theme: 'dark' });
      assert.deepEqual(await installation.preferences.find(1, 1), { theme: 'system' });
    });

    test('a stored value that is no longer valid counts as the default', async () => {
      await update('dark');
      await store('{"theme":"sepia"}');
      assert.deepEqual(await find(), { theme: 'system' });
    });

    test('a setting of a newer version is kept', async () => {
      await update('dark');
      await store('{"theme":"light","density":"compact"}');
      await update('dark');
      const row = await installation.database.read.selectFrom('operatorPreferences').selectAll().executeTakeFirst();
      assert.deepEqual(JSON.parse(row?.preferences ?? ''), { theme: 'dark', density: 'compact' });
    });

    test('ends with the operator; an API key has none', async () => {
      await update('dark');
      await installation.operators.delete(transact, installation.caller, viewer.operatorId ?? 0);
      const rows = await installation.database.read.selectFrom('operatorPreferences').selectAll().execute();
      assert.deepEqual(rows, []);
      const key = fullAccessCaller(1, { type: 'api_key', id: 1 });
      await assert.rejects(
        async () => installation.preferences.update(transact, key, { theme: 'dark' }),
        (error) => toDomainError(error)?.kind === 'forbidden',
      );
      await assert.rejects(update('dark'), /Unknown 'operator'/);
    });
  });
}
