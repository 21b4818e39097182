import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createMailLink } from '../../../web/desk/messages-left/mail.ts';

const TEXTS = { subject: 'Your message to Shop', intro: 'On 3 March 2030, Lea wrote:' };

/** What a mail program reads. */
function parseMail(link: string) {
  const { protocol, pathname, search } = new URL(link);
  const fields = search
    .slice(1)
    .split('&')
    .map((field) => field.split('=').map(decodeURIComponent));
  return { protocol, to: decodeURIComponent(pathname), fields };
}

describe('the link that answers a message by e-mail', () => {
  test('has the address, a subject and the quoted text', () => {
    const link = createMailLink({ email: 'lea@example.com', text: ' Hello,\n\nwhere is it? \r\nLea ' }, TEXTS);
    assert.deepEqual(parseMail(link), {
      protocol: 'mailto:',
      to: 'lea@example.com',
      fields: [
        ['subject', TEXTS.subject],
        ['body', `\r\n\r\n${TEXTS.intro}\r\n> Hello,\r\n> \r\n> where is it? \r\n> Lea`],
      ],
    });
    assert.ok(link.startsWith('mailto:lea@example.com?'));
  });

  test('a visitor cannot add recipients, headers or attachments', () => {
    const evil = 'a@b.example?cc=all@b.example&attach=/etc/passwd#x';
    const link = createMailLink(
      { email: evil, text: 'Hi&bcc=all@b.example\r\nBcc: all@b.example' },
      { subject: 'S\r\nBcc: all@b.example', intro: evil },
    );
    const { to, fields } = parseMail(link);
    assert.equal(to, evil);
    assert.deepEqual(
      fields.map(([name]) => name),
      ['subject', 'body'],
    );
    assert.equal(fields[0]?.[1], 'S Bcc: all@b.example');
  });

  test('a long text is cut at a whole character, and the cut is shown', () => {
    const link = createMailLink({ email: 'lea@example.com', text: '🙂é'.repeat(2000) }, TEXTS);
    assert.ok(link.length <= 1900 && link.length > 1850, String(link.length));
    assert.match(parseMail(link).fields[1]?.[1] ?? '', /^\s+On 3 March 2030, Lea wrote:\s+> (🙂é)+🙂?…$/u);
  });

  test('anything can be written', () => {
    const wild = fc.string({ unit: 'binary', maxLength: 3000 });
    fc.assert(
      fc.property(wild, fc.string({ unit: 'binary' }), (text, email) => {
        const link = createMailLink({ email, text }, { ...TEXTS, intro: email.slice(0, 100) });
        assert.equal(link.split('&').length, 2);
        assert.equal(link.split('?').length, 2);
        assert.match(link, /^mailto:[\w.!~*'()%@-]*\?subject=[\w%.-]+&body=[\w.!~*'()%-]*$/);
      }),
    );
    assert.doesNotThrow(() => createMailLink({ email: '\ud800', text: '\udc00\u0000' }, TEXTS));
  });
});
