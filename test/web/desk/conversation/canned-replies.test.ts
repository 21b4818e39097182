import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CannedReply,
  fillCannedReply,
  findCannedQuery,
  isShortcutOnly,
  matchCannedReplies,
} from '../../../../web/desk/conversation/canned/canned-replies.ts';

const VALUES = {
  'visitor.firstname': 'Lea',
  'visitor.name': 'Lea Roux',
  'operator.pseudo': 'Ada',
  'website.label': 'Shop',
};

function reply(shortcut: string, changes: Partial<CannedReply> = {}): CannedReply {
  return { id: shortcut, scope: 'ACCOUNT', shortcut, text: `Text of ${shortcut}`, language: null, ...changes };
}

const match = (replies: readonly CannedReply[], query: string, language = 'fr') =>
  matchCannedReplies(replies, query, language).map(({ id }) => id);

test('a message that is only a shortcut is told from a path and from a sentence', () => {
  for (const text of ['/zzznothing', ' /déjà ', '/m\n']) assert.equal(isShortcutOnly(text), true, text);
  for (const text of ['/', '/usr/bin', '/a b', 'and/or', '//', '']) assert.equal(isShortcutOnly(text), false, text);
});

test('a slash at the beginning of a word asks for a reply', () => {
  const cases: readonly (readonly [string, number | undefined, string | undefined])[] = [
    ['/', 0, ''],
    ['/deliv', 0, 'deliv'],
    ['Good morning /deliv', 13, 'deliv'],
    ['first line\n/x', 11, 'x'],
    ['/déjà', 0, 'déjà'],
    ['and/or', undefined, undefined],
    ['https://example.com', undefined, undefined],
    ['/etc/passwd', undefined, undefined],
    ['/deliv ', undefined, undefined],
    ['', undefined, undefined],
  ];
  for (const [text, start, query] of cases) {
    const found = findCannedQuery(text, text.length);
    assert.equal(found?.start, start, text);
    assert.equal(found?.text, query, text);
  }
  assert.deepEqual(findCannedQuery('/deliv and more', 4), { start: 0, text: 'del' });
});

test('the language of the conversation comes first, then those for every language, then the others', () => {
  const replies = [reply('a', { language: 'de' }), reply('b'), reply('c', { language: 'fr' })];
  assert.deepEqual(match(replies, ''), ['c', 'b', 'a']);
});

test('the beginning of a shortcut comes before its middle, and that before the text', () => {
  const replies = [reply('note', { text: 'late' }), reply('very-late'), reply('late-parcel')];
  assert.deepEqual(match(replies, 'late'), ['late-parcel', 'very-late', 'note']);
});

test('own replies come before those of the group and the account', () => {
  const replies = [
    reply('x', { id: '1' }),
    reply('x', { id: '2', scope: 'OWN' }),
    reply('x', { id: '3', scope: 'GROUP' }),
  ];
  assert.deepEqual(match(replies, 'x'), ['2', '3', '1']);
});

test('case and accents do not matter, and other replies are left out', () => {
  assert.deepEqual(match([reply('Déjà-vu'), reply('other')], 'DEJA'), ['Déjà-vu']);
  assert.deepEqual(match([reply('a')], 'zzz'), []);
});

test('variables are filled in once, and one without a value disappears with its space', () => {
  assert.equal(
    fillCannedReply('Hello {{visitor.name}}, I am {{operator.pseudo}}.', VALUES),
    'Hello Lea Roux, I am Ada.',
  );
  const withoutName = { ...VALUES, 'visitor.firstname': ' ' };
  assert.equal(fillCannedReply('Hello {{visitor.firstname}}, welcome', withoutName), 'Hello, welcome');
  const hostile = { ...VALUES, 'visitor.firstname': '{{operator.pseudo}} $& $1' };
  assert.equal(fillCannedReply('Hi {{visitor.firstname}}', hostile), 'Hi {{operator.pseudo}} $& $1');
  assert.equal(fillCannedReply('{{other}} {{constructor}}', VALUES), '{{other}} {{constructor}}');
});
