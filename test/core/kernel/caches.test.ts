import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ShortLivedCache, VersionedCache } from '../../../src/core/kernel/caches.ts';

interface Thing {
  readonly name: string;
}

/** Reads that end when the test says so. */
function reads() {
  const started: PromiseWithResolvers<Thing | undefined>[] = [];
  const read = () => {
    started.push(Promise.withResolvers());
    return (started.at(-1) as (typeof started)[number]).promise;
  };
  return { started, read };
}

suite('what is kept for a moment', () => {
  test('is read once for all who ask at once and soon after', async () => {
    const cache = new ShortLivedCache<Thing>();
    const { started, read } = reads();
    const both = [cache.get('a', read), cache.get('a', read)];
    started[0]?.resolve({ name: 'a' });
    assert.deepEqual(await Promise.all(both), [{ name: 'a' }, { name: 'a' }]);
    assert.deepEqual(await cache.get('a', read), { name: 'a' });
    assert.deepEqual(cache.peek('a'), { name: 'a' });
    assert.equal(started.length, 1);
  });

  test('is never what does not exist, or what failed', async () => {
    const cache = new ShortLivedCache<Thing>();
    assert.equal(await cache.get('a', async () => undefined), undefined);
    await assert.rejects(
      cache.get('a', () => Promise.reject(new Error('away'))),
      { message: 'away' },
    );
    assert.deepEqual(await cache.get('a', async () => ({ name: 'a' })), { name: 'a' });
  });

  test('does not exist only for who asked before it did', async () => {
    const cache = new ShortLivedCache<Thing>();
    const { started, read } = reads();
    const early = cache.get('a', read);
    const late = cache.get('a', async () => ({ name: 'a' }));
    started[0]?.resolve(undefined);
    assert.equal(await early, undefined);
    assert.deepEqual(await late, { name: 'a' });
    assert.deepEqual(cache.peek('a'), { name: 'a' });
  });

  for (const [how, end] of [
    ['by its name', (cache: ShortLivedCache<Thing>) => cache.delete('a')],
    ['by what it is', (cache: ShortLivedCache<Thing>) => cache.deleteWhere(({ name }) => name === 'old')],
  ] as const) {
    test(`is gone at once when it is deleted ${how}, also while it is read`, async () => {
      const cache = new ShortLivedCache<Thing>();
      const { started, read } = reads();
      await cache.get('b', async () => ({ name: 'other' }));
      const before = cache.get('a', read);
      end(cache);
      const after = cache.get('a', async () => ({ name: 'new' }));
      started[0]?.resolve({ name: 'old' });
      assert.deepEqual(await before, { name: 'old' });
      assert.deepEqual(await after, { name: 'new' });
      assert.deepEqual(cache.peek('a'), { name: 'new' });
      assert.deepEqual(cache.peek('b'), { name: 'other' });
    });
  }
});

suite('what is kept by its version', () => {
  test('is found by this version alone, or by all before it', () => {
    const cache = new VersionedCache<Thing>();
    const thing = cache.set('a', 2, { name: 'a' });
    assert.deepEqual(
      [1, 2, 3].map((version) => cache.get('a', version)),
      [undefined, thing, undefined],
    );
    assert.deepEqual(
      [1, 2, 3].map((version) => cache.getSince('a', version)),
      [thing, thing, undefined],
    );
  });

  test('is never a promise that failed', async () => {
    const cache = new VersionedCache<Promise<Thing>>();
    const failed = cache.set('a', 1, Promise.reject(new Error('away')));
    assert.equal(cache.get('a', 1), failed);
    await assert.rejects(failed);
    assert.equal(cache.get('a', 1), undefined);
  });

  test('comes in the order of the stamps; what is missing is loaded together, and what is gone is left out', async () => {
    const cache = new VersionedCache<string>();
    cache.set('1', 1, 'old');
    cache.set('2', 1, 'kept');
    const asked: number[][] = [];
    const stamps = [4, 3, 2, 1].map((id) => ({ id, version: id === 2 ? 1 : 2 }));
    const show = () =>
      cache.getAll(
        stamps,
        ({ id }) => `${id}`,
        async (missing) => {
          asked.push(missing.map(({ id }) => id));
          return [1, 3].map((id) => ({ id, version: 2, value: `new ${id}` }));
        },
      );
    assert.deepEqual(await show(), ['new 3', 'kept', 'new 1']);
    assert.deepEqual(await show(), ['new 3', 'kept', 'new 1']);
    assert.deepEqual(asked, [[4, 3, 1], [4]]);
  });
});
