import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { keepDemoConnected, loadDemo } from '../../src/demo/demo.ts';
import { databases } from '../support/databases/databases.ts';

for (const { name, open } of databases) {
  test(`${name}: the demo keeps its operators connected, but not one who was taken offline or deleted`, async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    const installation = await open();
    const { operators, live, clock, caller, accountId, database } = installation;
    await loadDemo(installation);
    const stop = await keepDemoConnected(installation);
    const connected = async () => {
      const list = await live.list(accountId, { filters: {}, everyone: false }, undefined);
      return list.count + list.leftOut;
    };
    const before = await connected();
    assert.ok(before > 20);
    await live.update((work) => database.transaction(work, accountId), caller, 2, { connected: false });
    await operators.remove((work) => database.transaction(work, accountId), caller, 3);
    const present = await connected();
    for (let round = 0; round < 5; round++) {
      clock.advance(20_000);
      mock.timers.tick(20_000);
      await database.transaction(async () => undefined, accountId); // after the renewal, which was first in line
    }
    assert.equal(await connected(), present);
    assert.ok(present >= before - 2);
    stop();
    mock.timers.reset();
    await installation.end();
  });
}
