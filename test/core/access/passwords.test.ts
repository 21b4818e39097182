import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Passwords } from '../../../src/core/access/passwords.ts';
import { DomainError } from '../../../src/core/kernel/errors.ts';

test('a password is recognised by its hash, and nothing else is', async () => {
  const passwords = new Passwords();
  const stored = await passwords.hash('a good long password');
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.equal(await passwords.verify('a good long password', stored), true);
  assert.equal(await passwords.verify('a good long passwore', stored), false);
  assert.equal(await passwords.verify('', null), false);
});

test('the line of those who wait for a hash is bounded: past it, try again later', async () => {
  const passwords = new Passwords();
  const outcomes = await Promise.allSettled(Array.from({ length: 110 }, () => passwords.verify('x', null)));
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected').map((outcome) => outcome.reason);
  assert.equal(refused.length, 8, '2 run, 100 wait');
  for (const error of refused) {
    assert.ok(error instanceof DomainError);
    assert.equal(error.kind, 'unavailable');
    assert.equal(error.details.retryAfterSeconds, 2);
  }
});
