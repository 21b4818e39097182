import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BatchLoader } from '../../../src/api/graphql-server/batch-loader.ts';

function createLoader(maxSize = 10) {
  const reads: (readonly number[])[] = [];
  const loader = new BatchLoader(
    async (keys: readonly number[]) => {
      reads.push([...keys]);
      if (keys.includes(13)) throw new Error('unlucky');
      return keys.map((key) => `value ${key}`);
    },
    { maxSize, schedule: (load) => void setImmediate(load) },
  );
  return { loader, reads };
}

test('keys that are asked for together are read together, each once, in batches of limited size', async () => {
  const { loader, reads } = createLoader(3);
  const values = await Promise.all([
    loader.load(1),
    loader.loadMany([2, 1, 3]),
    loader.loadMany([4, 2]),
    loader.load(4),
  ]);
  assert.deepEqual(values, ['value 1', ['value 2', 'value 1', 'value 3'], ['value 4', 'value 2'], 'value 4']);
  assert.deepEqual(reads, [[1, 2, 3], [4]]);
});

test('a value at hand is returned without a promise, until it is cleared', async () => {
  const { loader, reads } = createLoader();
  await loader.load(1);
  loader.prime(2, 'primed');
  loader.prime(1, 'ignored');
  assert.equal(loader.load(1), 'value 1');
  assert.deepEqual(loader.loadMany([2, 1]), ['primed', 'value 1']);
  assert.deepEqual(loader.loadMany([]), []);
  assert.equal(await loader.clear(1).load(1), 'value 1');
  assert.deepEqual(reads, [[1], [1]]);
});

test('an error of a read reaches everyone who waits for it, and no one else', async () => {
  const { loader } = createLoader();
  const one = loader.load(1);
  const many = loader.loadMany([1, 13]);
  await assert.rejects(async () => one, /unlucky/);
  await assert.rejects(async () => many, /unlucky/);
  await assert.rejects(async () => loader.load(13), /unlucky/);
  assert.equal(await loader.load(2), 'value 2');
});
