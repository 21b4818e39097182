import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ShortLivedCache, VersionedCache } from '../../../src/core/kernel/caches.ts';

interface Item {
  readonly name: string;
}

/** Reads that the test resolves. */
function createReads() {
  const started: PromiseWithResolvers<Item | undefined>[] = [];
  const read = () => {
    started.push(Promise.withResolvers());
    return (started.at(-1) as (typeof started)[number]).promise;
  };
  return { started, read };
}

suite('short-lived cache', () => {
  test('shares one read between concurrent and following requests', async () => {
    const cache = new ShortLivedCache<Item>();
    const { started, read } = createReads();
    const both = [cache.get('a', read), cache.get('a', read)];
    started[0]?.resolve({ name: 'a' });
    assert.deepEqual(await Promise.all(both), [{ name: 'a' }, { name: 'a' }]);
    assert.deepEqual(await cache.get('a', read), { name: 'a' });
    assert.deepEqual(cache.peek('a'), { name: 'a' });
    assert.equal(started.length, 1);
  });

  test('does not cache missing values or errors', async () => {
    const cache = new ShortLivedCache<Item>();
    assert.equal(await cache.get('a', async () => undefined), undefined);
    await assert.rejects(
      cache.get('a', () => Promise.reject(new Error('away'))),
      { message: 'away' },
    );
    assert.deepEqual(await cache.get('a', async () => ({ name: 'a' })), { name: 'a' });
  });

  test('returns a missing value only to requests from before it existed', async () => {
    const cache = new ShortLivedCache<Item>();
    const { started, read } = createReads();
    const early = cache.get('a', read);
    const late = cache.get('a', async () => ({ name: 'a' }));
    started[0]?.resolve(undefined);
    assert.equal(await early, undefined);
    assert.deepEqual(await late, { name: 'a' });
    assert.deepEqual(cache.peek('a'), { name: 'a' });
  });

  for (const [criterion, remove] of [
    ['by key', (cache: ShortLivedCache<Item>) => cache.delete('a')],
    ['by value', (cache: ShortLivedCache<Item>) => cache.deleteWhere(({ name }) => name === 'old')],
  ] as const) {
    test(`deletes an entry ${criterion} immediately, even during its read`, async () => {
      const cache = new ShortLivedCache<Item>();
      const { started, read } = createReads();
      await cache.get('b', async () => ({ name: 'other' }));
      const before = cache.get('a', read);
      remove(cache);
      const after = cache.get('a', async () => ({ name: 'new' }));
      started[0]?.resolve({ name: 'old' });
      assert.deepEqual(await before, { name: 'old' });
      assert.deepEqual(await after, { name: 'new' });
      assert.deepEqual(cache.peek('a'), { name: 'new' });
      assert.deepEqual(cache.peek('b'), { name: 'other' });
    });
  }
});

suite('versioned cache', () => {
  test('finds a value by its exact version, or since an earlier one', () => {
    const cache = new VersionedCache<Item>();
    const item = cache.set('a', 2, { name: 'a' });
    assert.deepEqual(
      [1, 2, 3].map((version) => cache.get('a', version)),
      [undefined, item, undefined],
    );
    assert.deepEqual(
      [1, 2, 3].map((version) => cache.getSince('a', version)),
      [item, item, undefined],
    );
  });

  test('removes a promise that rejects', async () => {
    const cache = new VersionedCache<Promise<Item>>();
    const failed = cache.set('a', 1, Promise.reject(new Error('away')));
    assert.equal(cache.get('a', 1), failed);
    await assert.rejects(failed);
    assert.equal(cache.get('a', 1), undefined);
  });

  test('returns values in the order of the stamps, loads missing ones together and omits deleted ones', async () => {
    const cache = new VersionedCache<string>();
    cache.set('1', 1, 'old');
    cache.set('2', 1, 'cached');
    const loads: number[][] = [];
    const stamps = [4, 3, 2, 1].map((id) => ({ id, version: id === 2 ? 1 : 2 }));
    const load = () =>
      cache.getAll(
        stamps,
        ({ id }) => `${id}`,
        async (missing) => {
          loads.push(missing.map(({ id }) => id));
          return [1, 3].map((id) => ({ id, version: 2, value: `new ${id}` }));
        },
      );
    assert.deepEqual(await load(), ['new 3', 'cached', 'new 1']);
    assert.deepEqual(await load(), ['new 3', 'cached', 'new 1']);
    assert.deepEqual(loads, [[4, 3, 1], [4]]);
  });
});
