import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLaterPart, loadInTurn } from '../../../web/shared/page/later-part.ts';

/** A program that arrives, or does not, when the test says so. */
function createSource() {
  const attempts: PromiseWithResolvers<string>[] = [];
  const part = createLaterPart(() => {
    const attempt = Promise.withResolvers<string>();
    attempts.push(attempt);
    return attempt.promise;
  });
  return { attempts, part };
}

test('a part is loaded once, for everyone who needs it', async () => {
  const { attempts, part } = createSource();
  let told = 0;
  part.subscribe(() => {
    told += 1;
  });
  const [first, second] = [part.load(), part.load()];
  assert.equal(part.loaded, undefined);
  attempts[0]?.resolve('view');
  assert.deepEqual(await Promise.all([first, second, part.load()]), ['view', 'view', 'view']);
  assert.deepEqual([attempts.length, part.loaded, told], [1, 'view', 1]);
});

test('after a failure the next one who needs it tries again, and all are told', async () => {
  const { attempts, part } = createSource();
  const told: (string | undefined)[] = [];
  part.subscribe(() => told.push(part.loaded));
  const failing = part.load();
  attempts[0]?.reject(new Error('gone'));
  await assert.rejects(failing, /gone/);
  assert.equal(part.loaded, undefined);
  const again = part.load();
  attempts[1]?.resolve('view');
  assert.equal(await again, 'view');
  assert.deepEqual(told, ['view']);
});

test('one part comes after the other, also after one that fails', async () => {
  const [first, second] = [createSource(), createSource()];
  const done = loadInTurn([first.part, second.part], () => Promise.resolve(), new AbortController().signal);
  while (first.attempts.length === 0) await new Promise(setImmediate);
  assert.equal(second.attempts.length, 0);
  first.attempts[0]?.reject(new Error('gone'));
  while (second.attempts.length === 0) await new Promise(setImmediate);
  second.attempts[0]?.resolve('view');
  await done;
  assert.deepEqual([first.part.loaded, second.part.loaded], [undefined, 'view']);
});

test('a page that is left loads nothing more', async () => {
  const { attempts, part } = createSource();
  const end = new AbortController();
  const done = loadInTurn([part], () => Promise.resolve(), end.signal);
  end.abort();
  await done;
  assert.equal(attempts.length, 0);
});
