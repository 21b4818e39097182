import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findLinksAndMail } from '../../../web/desk/conversation/messages/mail-links.ts';
import { findLinks } from '../../../web/shared/format/links.ts';

const hrefs = (text: string, find = findLinksAndMail) => find(text).flatMap(({ href }) => (href ? [href] : []));

test('web and e-mail addresses are links, without the punctuation of the sentence', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['See https://example.com/a?b=1#c.', ['https://example.com/a?b=1#c']],
    ['(https://example.com/a_(b)), "http://example.com/"!', ['https://example.com/a_(b)', 'http://example.com/']],
    ['HTTPS://EXAMPLE.COM', ['https://example.com/']],
    ['Write to lea.roux+shop@mail.example.com.', ['mailto:lea.roux+shop@mail.example.com']],
    ['mailto:lea@example.com?subject=Hi', ['mailto:lea@example.com?subject=Hi']],
    ['https://example.com/@lea', ['https://example.com/@lea']],
    ['two http://a.example http://b.example', ['http://a.example/', 'http://b.example/']],
    ['https://example.com/ä,https://example.org', ['https://example.com/%C3%A4,https://example.org']],
    ['https://example.com/a_(b)).).', ['https://example.com/a_(b)']],
  ];
  for (const [text, expected] of cases) assert.deepEqual(hrefs(text), expected, text);
});

test('where e-mail is not asked for, its addresses are text', () => {
  assert.deepEqual(hrefs('lea@example.com, mailto:lea@example.com, https://example.com', findLinks), [
    'https://example.com/',
  ]);
});

test('nothing else is a link', () => {
  for (const text of [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(document.cookie)',
    'java\tscript:alert(1)',
    'javascript://example.com/%0aalert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:msgbox(1)',
    'file:///etc/passwd',
    'ftp://example.com',
    'http://',
    'https://?',
    'mailto:',
    'mailto:lea',
    'example.com',
    'a@b',
    '<img src=x onerror=alert(1)>',
    '<a href="javascript:alert(1)">x</a>',
    'https://bank.example@evil.example/',
    'https://bank.example:1@evil.example',
    'https://evil.example/\u202Emoc.knab',
    'https://evil.example/\u2066bank.example\u2069',
    `https://example.com/${'a'.repeat(2048)}`,
  ]) {
    assert.deepEqual(hrefs(text), [], text);
  }
});

test('the parts are the text, and every link is http, https or mailto', () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(
      'http://',
      'https://a.example',
      'a@b.example',
      'mailto:',
      'javascript:',
      ')',
      '(',
      '.',
      '"',
      '<a href=x>',
    ),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join('');
      for (const find of [findLinksAndMail, findLinks]) {
        const parts = find(text);
        assert.equal(parts.map((part) => part.text).join(''), text);
        const expected = find === findLinks ? /^https?:\/\// : /^(https?:\/\/|mailto:)/;
        for (const { href } of parts) if (href) assert.match(href, expected);
      }
    }),
  );
});

test('a hostile message takes no longer than a harmless one of its length', () => {
  const length = 10_000;
  const measure = (text: string) => {
    const start = process.cpuUsage();
    for (let count = 0; count < 10; count += 1) findLinksAndMail(text);
    return process.cpuUsage(start).user;
  };
  const harmless = measure('See https://example.com/a or write to lea@example.com. '.repeat(length / 50));
  for (const piece of [')', '(', '.', 'a', 'a@', 'a@b.', '@', 'http://', 'mailto:', 'https://a)', '\u0301', '\u202e'])
    for (const begin of ['', 'http://a', 'http://a(', 'a@b'])
      for (const end of ['', 'x', ' ']) {
        const text = `${begin}${piece.repeat(length / piece.length)}${end}`;
        const took = measure(text);
        assert.ok(took < 20 * harmless + 50_000, `${begin}, ${piece}, ${end}: ${took} µs, harmless ${harmless} µs`);
      }
});
