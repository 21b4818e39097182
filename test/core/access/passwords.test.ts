import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HashTurn } from '../../../src/core/access/hash-queue.ts';
import { Passwords } from '../../../src/core/access/passwords.ts';

test('verifies the right password only', async () => {
  const turn: HashTurn = { priority: 'other', source: ['network', 'user'] };
  const passwords = new Passwords();
  const stored = await passwords.hash('a good long password', turn);
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.equal(await passwords.verify('a good long password', stored, turn), true);
  assert.equal(await passwords.verify('a good long passwore', stored, turn), false);
  assert.equal(await passwords.verify('', null, turn), false);
});
