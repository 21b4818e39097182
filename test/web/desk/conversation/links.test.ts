import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findLinks } from '../../../../web/desk/conversation/messages/links.ts';

const hrefs = (text: string) => findLinks(text).flatMap(({ href }) => (href ? [href] : []));

test('web and e-mail addresses are links, without the punctuation of the sentence', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['See https://example.com/a?b=1#c.', ['https://example.com/a?b=1#c']],
    ['(https://example.com/a_(b)), "http://example.com/"!', ['https://example.com/a_(b)', 'http://example.com/']],
    ['HTTPS://EXAMPLE.COM', ['https://example.com/']],
    ['Write to lea.roux+shop@mail.example.com.', ['mailto:lea.roux+shop@mail.example.com']],
    ['mailto:lea@example.com?subject=Hi', ['mailto:lea@example.com?subject=Hi']],
    ['https://example.com/@lea', ['https://example.com/@lea']],
    ['two http://a.example http://b.example', ['http://a.example/', 'http://b.example/']],
  ];
  for (const [text, expected] of cases) assert.deepEqual(hrefs(text), expected, text);
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
      const parts = findLinks(text);
      assert.equal(parts.map((part) => part.text).join(''), text);
      for (const { href } of parts) if (href) assert.match(href, /^(https?:\/\/|mailto:)/);
    }),
  );
});
