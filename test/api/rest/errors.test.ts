import assert from 'node:assert/strict';
import { test } from 'node:test';
import { httpError } from '../../../src/api/http/http-error.ts';
import { isReplayable, toRestError } from '../../../src/api/rest/errors.ts';
import { IdempotencyKeys, type KeyedRequest } from '../../../src/core/access/idempotency.ts';
import type { InstallationSecrets } from '../../../src/core/access/secrets.ts';
import { DomainError, type ErrorKind } from '../../../src/core/kernel/errors.ts';
import type { Database } from '../../../src/storage/database.ts';
import { DatabaseUnavailable, ReadTooSlow } from '../../../src/storage/errors.ts';

test('every kind of error has a status, a meta.status, and is replayed for its idempotency key or not', () => {
  const expected: Record<ErrorKind, [number, string, boolean]> = {
    invalid: [400, 'fail', true],
    forbidden: [403, 'error', false],
    unknown: [404, 'fail', true],
    conflict: [409, 'fail', true],
    state: [409, 'fail', true],
    limit: [409, 'fail', true],
    in_progress: [409, 'fail', true], // thrown before there is anything to store
    other_request: [422, 'fail', false],
    limited: [429, 'error', false],
    unavailable: [503, 'error', false],
    outcome_unknown: [503, 'error', false],
  };
  for (const [kind, [status, metaStatus, replayable]] of Object.entries(expected)) {
    const known = toRestError(new DomainError(kind as ErrorKind, 'Because.', { retryAfterSeconds: 7 }));
    assert.ok(known);
    assert.deepEqual([known.status, known.metaStatus, isReplayable(known)], [status, metaStatus, replayable], kind);
    assert.equal(known.message, 'Because.');
    assert.equal(known.retryAfterSeconds, 7);
  }
});

test('a lost database: 503 with Retry-After and a message that says whether the outcome is known', () => {
  const before = toRestError(new DatabaseUnavailable('disk full at /secret/path'));
  assert.equal(before?.status, 503);
  assert.equal(before?.retryAfterSeconds, 1);
  assert.match(before?.message ?? '', /Nothing was changed/);
  const middle = toRestError(new DatabaseUnavailable('x', { outcomeUnknown: true }));
  assert.equal(middle?.status, 503);
  assert.match(middle?.message ?? '', /not known whether it was made/);
  assert.equal(toRestError(new ReadTooSlow())?.status, 503);
  for (const error of [before, middle]) assert.doesNotMatch(JSON.stringify(error), /secret/);
});

test('HTTP errors get fixed messages, and any other error is not shown', () => {
  for (const status of [400, 404, 408, 413, 414, 415, 431] as const) {
    const known = toRestError(Object.assign(new Error('internal text'), { statusCode: status }));
    assert.deepEqual(known, { status, metaStatus: 'fail', message: httpError(status).message });
  }
  assert.equal(toRestError(httpError(503))?.metaStatus, 'error');
  for (const unexpected of [
    new Error('x'),
    new TypeError('x'),
    'text',
    5,
    {},
    Object.assign(new Error('x'), { statusCode: 500 }),
  ]) {
    assert.equal(toRestError(unexpected), undefined);
  }
});

test('while the first request with a key runs, the second waits briefly and is then refused', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const keys = new IdempotencyKeys({} as Database, {} as InstallationSecrets);
  const request: KeyedRequest = { accountId: 1, credential: 'api_key 1', key: 'k', request: [] };
  let finish: (value: string) => void = () => undefined;
  const first = keys.runExclusively(
    request,
    () =>
      new Promise<string>((resolve) => {
        finish = resolve;
      }),
  );
  const second = keys.runExclusively(request, async () => 'second');
  const other = await keys.runExclusively({ ...request, credential: 'api_key 2' }, async () => 'other');
  assert.equal(other, 'other', 'another credential does not wait');
  t.mock.timers.tick(2000);
  await assert.rejects(second, (error) => {
    const known = toRestError(error);
    assert.equal(known?.status, 409);
    assert.equal(known?.retryAfterSeconds, 1);
    return true;
  });
  const third = keys.runExclusively(request, async () => 'third');
  finish('first');
  assert.equal(await first, 'first');
  assert.equal(await third, 'third', 'a request that has not waited that long gets its turn');
});
