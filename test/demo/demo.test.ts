import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Transact } from '../../src/core/kernel/caller.ts';
import { loadOperators } from '../../src/core/operators/operator-store.ts';
import { loadDemoData } from '../../src/demo/demo.ts';
import { listTeam } from '../../src/demo/shop/shop-data.ts';
import { databases } from '../support/databases/databases.ts';

for (const { name, open } of databases) {
  test(`${name}: demo data is added once, and the shop to demo data that lacks it`, async () => {
    const installation = await open();
    const { operators, websites, caller, accountId, database } = installation;
    const transact: Transact = (work) => database.transaction(work, accountId);
    assert.deepEqual(await loadDemoData(installation), { operators: 40, shopOperators: 6 });
    assert.deepEqual(await loadDemoData(installation), { operators: 0, shopOperators: 0 });
    assert.deepEqual(
      (await websites.load(accountId, [1, 2, 3, 4])).map(({ label }) => label),
      ['Halden', 'Bank', 'Support', 'Shop'],
    );

    // As an earlier version left it, with another admin who was added since.
    for (const { id } of await listTeam({ db: database.read }, caller)) await operators.delete(transact, caller, id);
    const admin = { name: 'Kim', email: 'kim@example.com', websiteList: [2], languageList: ['it'] };
    const { id } = await operators.create(transact, caller, admin);
    assert.deepEqual(await loadDemoData(installation), { operators: 0, shopOperators: 6 });
    const [kim] = await database.transaction((tx) => loadOperators(tx.db, accountId, [id]), accountId);
    assert.deepEqual(
      { websiteList: kim?.websiteList, languageList: kim?.languageList, chatPriority: kim?.chatPriority },
      { websiteList: [2, 5], languageList: ['it', 'en', 'de', 'es', 'fr'], chatPriority: 10 },
    );
    await installation.end();
  });
}
