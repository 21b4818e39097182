import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeKind } from '../../../../web/desk/conversation/messages/describe-kind.ts';
import { formatSize } from '../../../../web/desk/conversation/messages/times.ts';

test('the kind of a file is named as people know it', () => {
  assert.equal(describeKind('order.txt', 'text/plain'), 'TXT');
  assert.equal(describeKind('report.2024.pdf', 'application/pdf'), 'PDF');
  assert.equal(describeKind('photo.jpeg', 'image/jpeg'), 'JPEG');
  assert.equal(describeKind('README', 'text/plain'), 'text/plain');
  assert.equal(describeKind('readme.', 'text/plain'), 'text/plain');
  assert.equal(describeKind('Dr. Wolf writes', 'text/plain'), 'text/plain');
});

test('a size has its plural', () => {
  const sizes = (bytes: number) =>
    ['en-GB', 'de', 'es', 'fr'].map((locale) => formatSize(bytes, locale).replace('\u00a0', ' '));
  assert.deepEqual(sizes(14), ['14 bytes', '14 Byte', '14 bytes', '14 octets']);
  assert.equal(formatSize(1, 'en-GB'), '1 byte');
  assert.equal(formatSize(84_000, 'en-GB'), '84 kB');
  assert.equal(formatSize(1_500_000, 'de'), '1,5 MB');
});
