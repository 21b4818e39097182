import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IdLoader } from '../../../src/api/graphql-server/id-loader.ts';

/** Rows are their identifiers as text; 9 is unknown. */
function createLoader({ fails = false } = {}) {
  const batches: (readonly number[])[] = [];
  const loader = new IdLoader<string>({
    maxBatchSize: 3,
    scheduleRead: queueMicrotask,
    read: async (ids) => {
      batches.push([...ids]);
      if (fails) throw new Error('no database');
      return new Map(ids.filter((id) => id !== 9).map((id) => [id, String(id)]));
    },
  });
  return { loader, batches };
}

test('what is requested before a read shares it, up to the maximum, and each identifier is read once', async () => {
  const { loader, batches } = createLoader();
  assert.deepEqual(await Promise.all([1, 2, 1, 3, 9].map((id) => loader.load(id))), ['1', '2', '1', '3', undefined]);
  assert.deepEqual(batches, [[1, 2, 3], [9]]);
});

test('a loaded row is returned without a promise, also one that is unknown', async () => {
  const { loader, batches } = createLoader();
  await loader.preload([1, 9]);
  assert.equal(loader.load(1), '1');
  assert.equal(loader.load(9), undefined);
  assert.deepEqual(loader.loadAll([9, 1, 1]), ['1', '1']);
  assert.deepEqual(await loader.loadAll([1, 2]), ['1', '2']);
  assert.deepEqual(batches, [[1, 9], [2]]);
});

test('a cleared row is read again; a primed one is not read', async () => {
  const { loader, batches } = createLoader();
  await loader.load(1);
  assert.equal(await loader.clear(1).load(1), '1');
  loader.prime(2, 'two');
  assert.equal(loader.load(2), 'two');
  assert.deepEqual(batches, [[1], [1]]);
});

test('a failed preload is reported by each field that needs its rows, without another read', async () => {
  const { loader, batches } = createLoader({ fails: true });
  await loader.preload([1, 2]);
  await assert.rejects(async () => loader.load(1), /no database/);
  await assert.rejects(async () => loader.loadAll([2]), /no database/);
  assert.equal(batches.length, 1);
});
