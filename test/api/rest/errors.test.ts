import assert from 'node:assert/strict';
import { test } from 'node:test';
import { httpError } from '../../../src/api/http/http-error.ts';
import { isKept, restError } from '../../../src/api/rest/errors.ts';
import { IdempotencyKeys, type KeyedRequest } from '../../../src/core/access/idempotency.ts';
import type { InstallationSecrets } from '../../../src/core/access/secrets.ts';
import { DomainError, type ErrorKind } from '../../../src/core/kernel/errors.ts';
import type { Database } from '../../../src/storage/database.ts';
import { DatabaseUnavailable, ReadTooSlow } from '../../../src/storage/errors.ts';

test('every kind of error has its status, its word, and whether a key keeps it', () => {
  const expected: Record<ErrorKind, [number, string, boolean]> = {
    invalid: [400, 'fail', true],
    forbidden: [403, 'error', false],
    unknown: [404, 'fail', true],
    conflict: [409, 'fail', true],
    state: [409, 'fail', true],
    limit: [409, 'fail', true],
    in_progress: [409, 'fail', true], // thrown before there is anything to keep
    other_request: [422, 'fail', false],
    limited: [429, 'error', false],
    unavailable: [503, 'error', false],
    outcome_unknown: [503, 'error', false],
  };
  for (const [kind, [status, word, kept]] of Object.entries(expected)) {
    const known = restError(new DomainError(kind as ErrorKind, 'Because.', { retryAfterSeconds: 7 }));
    assert.ok(known);
    assert.deepEqual([known.status, known.metaStatus, isKept(known)], [status, word, kept], kind);
    assert.equal(known.message, 'Because.');
    assert.equal(known.retryAfterSeconds, 7);
  }
});

test('a lost database: 503 with Retry-After, which says whether the outcome is known', () => {
  const before = restError(new DatabaseUnavailable('disk full at /secret/path'));
  assert.equal(before?.status, 503);
  assert.equal(before?.retryAfterSeconds, 1);
  assert.match(before?.message ?? '', /Nothing was changed/);
  const middle = restError(new DatabaseUnavailable('x', { outcomeUnknown: true }));
  assert.equal(middle?.status, 503);
  assert.match(middle?.message ?? '', /not known whether it was made/);
  assert.equal(restError(new ReadTooSlow())?.status, 503);
  for (const error of [before, middle]) assert.doesNotMatch(JSON.stringify(error), /secret/);
});

test('errors of HTTP have words of ours, and any other error has none to show', () => {
  for (const status of [400, 404, 408, 413, 414, 415, 431] as const) {
    const known = restError(Object.assign(new Error('internal words'), { statusCode: status }));
    assert.deepEqual(known, { status, metaStatus: 'fail', message: httpError(status).message });
  }
  assert.equal(restError(httpError(503))?.metaStatus, 'error');
  for (const fault of [
    new Error('x'),
    new TypeError('x'),
    'text',
    5,
    {},
    Object.assign(new Error('x'), { statusCode: 500 }),
  ]) {
    assert.equal(restError(fault), undefined);
  }
});

test('while the first request with a key runs, the second waits shortly and is then sent away', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const keys = new IdempotencyKeys({} as Database, {} as InstallationSecrets);
  const request: KeyedRequest = { accountId: 1, credential: 'api_key 1', key: 'k', request: [] };
  let finish: (value: string) => void = () => undefined;
  const first = keys.alone(
    request,
    () =>
      new Promise<string>((resolve) => {
        finish = resolve;
      }),
  );
  const second = keys.alone(request, async () => 'second');
  const other = await keys.alone({ ...request, credential: 'api_key 2' }, async () => 'other');
  assert.equal(other, 'other', 'another credential does not wait');
  t.mock.timers.tick(2000);
  await assert.rejects(second, (error) => {
    const known = restError(error);
    assert.equal(known?.status, 409);
    assert.equal(known?.retryAfterSeconds, 1);
    return true;
  });
  const third = keys.alone(request, async () => 'third');
  finish('first');
  assert.equal(await first, 'first');
  assert.equal(await third, 'third', 'one who waited for less gets its turn');
});
