import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fullAccessCaller } from '../../../src/core/kernel/caller.ts';
import { databases, type OpenInstallation } from '../../support/databases/databases.ts';
import { type Stored, storedAt } from '../../support/databases/stored.ts';

for (const { name, open } of databases) {
  describe(`the migration meter on ${name}`, () => {
    let opened: OpenInstallation;
    let stored: Stored;
    before(async () => {
      opened = await open();
      stored = storedAt(opened.config.DATABASE_URL);
    });
    after(async () => {
      await stored.end();
      await opened.end();
    });

    const byKey = (id: number) => fullAccessCaller(opened.accountId, { type: 'api_key', id });
    const shown = async () =>
      (await opened.restUsage.list(opened.caller)).map(({ key, what, count, firstUsedAt, lastUsedAt }) => [
        key.id,
        what,
        count,
        lastUsedAt - firstUsedAt,
      ]);

    test('what cannot be written is kept until it can', async () => {
      const { restUsage, clock } = opened;
      const allowAgain = await stored.refuseInserts('rest_usage');
      restUsage.count(byKey(1), 'GET /skill');
      await assert.rejects(restUsage.record());
      clock.advance(1000);
      restUsage.count(byKey(1), 'GET /skill');
      restUsage.count(byKey(1), 'GET /group');
      await assert.rejects(restUsage.record());
      await allowAgain();
      assert.deepEqual(await shown(), [
        [1, 'GET /skill', 2, 1000],
        [1, 'GET /group', 1, 0],
      ]);
    });

    test('counts are added to what is written, and what is counted while that is written is not lost', async () => {
      const { restUsage, clock } = opened;
      clock.advance(1000);
      restUsage.count(byKey(1), 'GET /skill');
      const written = restUsage.record();
      restUsage.count(byKey(1), 'GET /skill');
      await written;
      assert.deepEqual((await shown())[0], [1, 'GET /skill', 4, 2000]);
    });
  });
}
