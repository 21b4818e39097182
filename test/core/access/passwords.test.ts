import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Passwords } from '../../../src/core/access/passwords.ts';
import { DomainError } from '../../../src/core/kernel/errors.ts';

test('verifies the right password only', async () => {
  const passwords = new Passwords();
  const stored = await passwords.hash('a good long password');
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.equal(await passwords.verify('a good long password', stored), true);
  assert.equal(await passwords.verify('a good long passwore', stored), false);
  assert.equal(await passwords.verify('', null), false);
});

test('rejects hashes beyond the queue limit with a time to retry', async () => {
  const passwords = new Passwords();
  const outcomes = await Promise.allSettled(Array.from({ length: 110 }, () => passwords.verify('x', null)));
  const rejections = outcomes.filter((outcome) => outcome.status === 'rejected').map((outcome) => outcome.reason);
  assert.equal(rejections.length, 8, '2 run, 100 are queued');
  for (const error of rejections) {
    assert.ok(error instanceof DomainError);
    assert.equal(error.kind, 'unavailable');
    assert.equal(error.details.retryAfterSeconds, 2);
  }
});
