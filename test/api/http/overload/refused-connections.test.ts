import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RefusedConnections } from '../../../../src/api/http/overload/refused-connections.ts';

test('refused connections are read again in rotation, some in each turn of the event loop', async () => {
  const connections = new RefusedConnections();
  const resumed: number[] = [];
  for (let index = 0; index < 120; index++) connections.add(() => resumed.push(index));
  assert.equal(resumed.length, 0, 'not in the same turn');
  const counts: number[] = [];
  for (let turn = 0; turn < 4; turn++) {
    await nextTurn();
    counts.push(resumed.length);
  }
  assert.deepEqual(counts, [30, 60, 90, 120]);
  assert.deepEqual(resumed, [...Array(120).keys()]);
});
