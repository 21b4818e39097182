import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanName } from '../../../src/core/attachments/file-name.ts';
import { findKind, PLAIN_TEXT } from '../../../src/core/kernel/file-kinds.ts';

const PNG = findKind('image/png') ?? assert.fail();

test('a name has no path, no invisible characters, and an extension that fits the kind', () => {
  for (const [name, cleaned] of [
    ['C:\\photos\\me.PNG', 'me.PNG'],
    ['../../etc/passwd', 'passwd.png'],
    ['me.exe', 'me.exe.png'],
    ['me.pdf', 'me.png'],
    ['gnp.\u202egpj', 'gnp.gpj.png'],
    ['a"b\r\n.png', 'a_b.png'],
    ['.htaccess', 'htaccess.png'],
    ['a. . .', 'a.png'],
    ['\ud800.png', '\ufffd.png'],
    ['', 'file.png'],
    [undefined, 'file.png'],
  ] as const) {
    assert.equal(cleanName(name, PNG), cleaned);
  }
  assert.equal(cleanName(`${'x'.repeat(500)}.png`, PNG), `${'x'.repeat(251)}.png`);
});

test('only the end of a very long name is examined, because the time grows with the square of its dots', () => {
  assert.equal(cleanName(`start${'.'.repeat(80_000)}end`, PLAIN_TEXT), 'end.txt');
});
