import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findLinks } from '../../../web/widget/panel/parts/links.ts';

const hrefs = (text: string) => findLinks(text).flatMap(({ href }) => (href ? [href] : []));

test('http and https addresses are links, without the punctuation of the sentence', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['See https://example.com/a?b=1#c.', ['https://example.com/a?b=1#c']],
    ['(https://example.com/a_(b)), "http://example.com/"!', ['https://example.com/a_(b)', 'http://example.com/']],
    ['HTTPS://EXAMPLE.COM', ['https://example.com/']],
    ['https://example.com/ä,https://example.org', ['https://example.com/%C3%A4,https://example.org']],
    ['two http://a.example http://b.example', ['http://a.example/', 'http://b.example/']],
  ];
  for (const [text, expected] of cases) assert.deepEqual(hrefs(text), expected, text);
});

test('nothing else is a link', () => {
  for (const text of [
    'javascript:alert(1)',
    'data:text/html,<b>',
    'ftp://example.com',
    'http://',
    'https://?',
    'example.com',
    '<img src=x onerror=alert(1)>',
  ]) {
    assert.deepEqual(hrefs(text), [], text);
  }
});

test('the parts are the text, and every link is http or https', () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom('http://', 'https://a.example', ')', '(', '.', '"', '<a href=x>'),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join('');
      const parts = findLinks(text);
      assert.equal(parts.map((part) => part.text).join(''), text);
      for (const { href } of parts) if (href) assert.match(href, /^https?:\/\//);
    }),
  );
});
