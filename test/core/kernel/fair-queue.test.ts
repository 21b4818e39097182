import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { FairQueue } from '../../../src/core/kernel/fair-queue.ts';

/** Items are named after their source: `a1`, or `a.x1` for the source x within a. */
function createQueue(...items: string[]): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const item of items) queue.add(item.replace(/\d+$/, '').split('.'), item);
  return queue;
}

function takeAll(queue: FairQueue<string>): string[] {
  const taken: string[] = [];
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item);
  assert.equal(queue.size, 0);
  return taken;
}

suite('fair queue', () => {
  test('sources take turns, and each source is served in order', () => {
    assert.deepEqual(takeAll(createQueue('a1', 'a2', 'a3', 'b1', 'c1', 'b2')), ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  test('the sources within a source take turns', () => {
    const queue = createQueue('a.x1', 'a.x2', 'a.x3', 'a.y1', 'b.x1');
    assert.deepEqual(takeAll(queue), ['a.x1', 'b.x1', 'a.y1', 'a.x2', 'a.x3']);
  });

  test('a source that returns waits for its turn again', () => {
    const queue = createQueue('a1', 'b1', 'b2');
    assert.equal(queue.take(), 'a1');
    queue.add(['a'], 'a2');
    assert.deepEqual(takeAll(queue), ['b1', 'a2', 'b2']);
  });

  test('drops the newest item of the longest source, and of the longest source within it', () => {
    const queue = createQueue('a.x1', 'a.y1', 'a.y2', 'a.x2', 'a.y3', 'b.x1', 'b.x2');
    assert.equal(queue.drop(), 'a.y3');
    assert.equal(queue.size, 6);
    assert.deepEqual(takeAll(queue), ['a.x1', 'b.x1', 'a.y1', 'b.x2', 'a.x2', 'a.y2']);
  });

  test('among equal sources, drops the one that has waited longest', () => {
    const queue = createQueue('a1', 'b1', 'c1');
    assert.equal(queue.drop(), 'a1');
    assert.deepEqual(takeAll(queue), ['b1', 'c1']);
    assert.equal(queue.drop(), undefined);
  });
});
