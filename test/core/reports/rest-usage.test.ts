import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fullAccessCaller } from '../../../src/core/kernel/caller.ts';
import { databases, type TestInstallation } from '../../support/databases/databases.ts';
import { openStoredData, type StoredData } from '../../support/databases/stored-data.ts';

for (const { name, open } of databases) {
  describe(`REST usage on ${name}`, () => {
    let opened: TestInstallation;
    let stored: StoredData;
    before(async () => {
      opened = await open();
      stored = openStoredData(opened.config.DATABASE_URL);
    });
    after(async () => {
      await stored.end();
      await opened.end();
    });

    const byKey = (id: number) => fullAccessCaller(opened.accountId, { type: 'api_key', id });
    const listUsage = async () =>
      (await opened.restUsage.list(opened.caller)).map(({ key, what, count, firstUsedAt, lastUsedAt }) => [
        key.id,
        what,
        count,
        lastUsedAt - firstUsedAt,
      ]);

    test('counts that cannot be stored are kept for the next flush', async () => {
      const { restUsage, clock } = opened;
      const allowAgain = await stored.blockInserts('rest_usage');
      restUsage.countUse(byKey(1), 'GET /skill');
      await assert.rejects(restUsage.flush());
      clock.advance(1000);
      restUsage.countUse(byKey(1), 'GET /skill');
      restUsage.countUse(byKey(1), 'GET /group');
      await assert.rejects(restUsage.flush());
      await allowAgain();
      assert.deepEqual(await listUsage(), [
        [1, 'GET /skill', 2, 1000],
        [1, 'GET /group', 1, 0],
      ]);
    });

    test('counts are added to stored ones, and uses during a flush are not lost', async () => {
      const { restUsage, clock } = opened;
      clock.advance(1000);
      restUsage.countUse(byKey(1), 'GET /skill');
      const flushed = restUsage.flush();
      restUsage.countUse(byKey(1), 'GET /skill');
      await flushed;
      assert.deepEqual((await listUsage())[0], [1, 'GET /skill', 4, 2000]);
    });
  });
}
