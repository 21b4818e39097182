import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findFileProblem } from '../../../../web/desk/conversation/composer/file-rules.ts';

const rules = { attachmentKinds: ['audio/wav'], attachmentMaxBytes: 1000 };

test('a file that is too large is known before it is sent, and one of exactly the limit is not too large', () => {
  assert.deepEqual(findFileProblem({ type: 'image/png', size: 1001 }, rules), {
    ...{ kind: 'tooLarge', size: 1001, maxBytes: 1000 },
  });
  assert.equal(findFileProblem({ type: 'image/png', size: 1000 }, rules), undefined);
});

test('kinds that the service refuses for certain are known; what can be plain text is tried', () => {
  for (const type of ['application/zip', 'video/mp4', 'application/vnd.ms-excel'])
    assert.deepEqual(findFileProblem({ type, size: 2000 }, rules), { kind: 'refusedKind' }, type);
  for (const type of ['application/pdf', 'audio/wav', 'text/plain', 'application/json', ''])
    assert.equal(findFileProblem({ type, size: 1 }, rules), undefined, type);
});
