import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prepare } from '../../src/storage/prepared-statement.ts';
import { databases } from '../support/databases/databases.ts';

for (const { name, open } of databases) {
  test(`${name}: a prepared statement accepts lists of any length, and is built once for similar lengths`, async () => {
    const { database, accountId, ...installation } = await open();
    let builds = 0;
    const findSkills = prepare<{ accountId: number; ids: readonly number[] }, { id: number }>((db, args) => {
      builds += 1;
      const { accountId: account, ids } = args;
      return db.selectFrom('skills').select('id').where('accountId', '=', account).where('id', 'in', ids).orderBy('id');
    });
    await database.transaction(async (tx) => {
      for (let id = 1; id <= 20; id += 1) {
        const row = { accountId, id, name: `${id}`, nameFolded: `${id}`, parentId: null, position: 0 };
        await tx.db
          .insertInto('skills')
          .values({ ...row, createdAt: 0, operatorCount: 0 })
          .execute();
      }
    });
    const find = async (ids: readonly number[]) =>
      (await database.run(findSkills, { accountId, ids })).map(({ id }) => id);
    for (let length = 0; length <= 20; length += 1) {
      const ids = Array.from({ length }, (_, index) => index + 1);
      assert.deepEqual(await find(ids.toReversed()), ids);
      assert.deepEqual(await find([...ids, 99]), ids);
    }
    assert.equal(builds, 6, 'for lists of up to 1, 2, 4, 8, 16 and 32 items');
    await installation.end();
  });
}
