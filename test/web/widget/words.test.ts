import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDay, formatSize } from '../../../web/widget/panel/conversation/times.ts';
import { writeTranscript } from '../../../web/widget/panel/conversation/transcript.ts';
import { describeTime, fill, findLocale } from '../../../web/widget/words.ts';
import { createMessage } from './states.ts';

/** In the time zone of the process, as the functions. */
const local = (text: string) => new Date(text);
const spaces = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ');

test('parts in braces are filled in, unknown ones stay', () => {
  assert.equal(fill('{pseudo} is typing {x}', { pseudo: '{x}' }), '{x} is typing {x}');
});

test('the visitor’s form of the language decides how times look', () => {
  assert.equal(findLocale('en', 'en-GB'), 'en-GB');
  assert.equal(findLocale('de', 'en-GB'), 'de');
  assert.equal(findLocale('en', 'en-US@posix'), 'en');
});

test('a time is told by its day: today, tomorrow, weekday, date', () => {
  const now = local('2026-01-02T18:00:00');
  const tell = (at: string, locale: string) => spaces(describeTime(local(at), now, locale));
  assert.equal(tell('2026-01-02T20:30:00', 'en-US'), 'today at 8:30 PM');
  assert.match(tell('2026-01-03T09:00:00', 'de'), /^morgen um 0?9:00$/);
  assert.match(tell('2026-01-03T09:00:00', 'fr'), /^demain à 0?9:00$/);
  assert.match(tell('2026-01-05T09:00:00', 'en-US'), /^Monday (at )?9:00 AM$/);
  assert.match(tell('2026-02-05T09:00:00', 'en-US'), /^February 5 at 9:00 AM$/);
  assert.match(describeTime(local('2026-01-03T00:10:00'), local('2026-01-02T23:50:00'), 'es'), /^mañana/);
});

test('a day of messages is called Today and Yesterday, then by its date', () => {
  const now = local('2026-03-29T23:30:00');
  assert.equal(formatDay(local('2026-03-29T00:10:00'), now, 'en'), 'Today');
  assert.equal(formatDay(local('2026-03-28T23:59:00'), now, 'fr'), 'Hier');
  assert.equal(formatDay(local('2026-03-27T12:00:00'), now, 'de'), 'Freitag, 27. März 2026');
});

test('sizes are told in kB and MB', () => {
  assert.deepEqual(
    [1, 840_000, 2_900_000].map((bytes) => spaces(formatSize(bytes, 'en'))),
    ['1 kB', '840 kB', '2.9 MB'],
  );
  assert.equal(spaces(formatSize(2_900_000, 'de')), '2,9 MB');
});

test('a transcript has every message with its author, its text and its files', () => {
  const file = { id: '1', name: 'seam.png', size: 1, isImage: true, width: 1, height: 1, url: '/x', expiresAt: '' };
  const text = writeTranscript(
    [
      createMessage(1, { author: 'VISITOR', text: 'Hello\nthere', attachments: [file] }),
      createMessage(2, { author: 'NOTICE', text: 'Ana joined.' }),
      createMessage(3, { text: 'Yes', operator: { pseudo: 'Ana' } }),
      createMessage(4, { text: 'No' }),
    ],
    { title: 'Halden', you: 'You', operator: 'Operator', locale: 'en-US' },
  );
  const [title, empty, ...lines] = text.trimEnd().split('\n');
  assert.deepEqual([title, empty], ['Halden', '']);
  assert.match(lines[0] ?? '', /^Jan 2, 2026, .* {2}You: Hello$/);
  assert.deepEqual(lines.slice(1, 3), ['there', '[seam.png]']);
  assert.match(lines[3] ?? '', /M {2}Ana joined\.$/);
  assert.match(lines[4] ?? '', /M {2}Ana: Yes$/);
  assert.match(lines[5] ?? '', /M {2}Operator: No$/);
});
