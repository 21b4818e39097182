import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { keepDemoOperatorsConnected, loadDemoData } from '../../src/demo/demo.ts';
import { databases } from '../support/databases/databases.ts';

for (const { name, open } of databases) {
  test(`${name}: demo operators stay connected unless they were taken offline or deleted`, async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    const installation = await open();
    const { operators, live, clock, caller, accountId, database } = installation;
    await loadDemoData(installation);
    const stop = await keepDemoOperatorsConnected(installation);
    const countConnected = async () => {
      const list = await live.list(accountId, { filters: {}, includeOffline: false }, undefined);
      return list.count + list.omittedCount;
    };
    const before = await countConnected();
    assert.ok(before > 20);
    await live.update((work) => database.transaction(work, accountId), caller, 2, { connected: false });
    await operators.delete((work) => database.transaction(work, accountId), caller, 3);
    const remaining = await countConnected();
    for (let round = 0; round < 5; round++) {
      clock.advance(20_000);
      mock.timers.tick(20_000);
      await database.transaction(async () => undefined, accountId); // runs after the queued renewal
    }
    assert.equal(await countConnected(), remaining);
    assert.ok(remaining >= before - 2);
    stop();
    mock.timers.reset();
    await installation.end();
  });
}
