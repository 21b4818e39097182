/** The message that one answers. */
export interface LeftText {
  readonly email: string;
  readonly text: string;
}

/** Some systems cut an address that is longer, and drop the mail with it. */
const MAX_LENGTH = 1900;
const ELLIPSIS = '…';

/**
 * An address that opens the mail program with the answer begun. Everything that the visitor wrote is encoded, so that
 * it stays what it is: no further recipient, header or attachment can come from it.
 */
export function createMailLink(
  { email, text }: LeftText,
  { subject, intro }: { subject: string; intro: string },
): string {
  const head = `mailto:${encode(email).replaceAll('%40', '@')}?subject=${encode(toLine(subject))}&body=`;
  const characters = [...`\n\n${intro}\n${quote(text)}`];
  const whole = head + encodeText(characters.join(''));
  if (whole.length <= MAX_LENGTH) return whole;
  const shorten = (count: number) => head + encodeText(characters.slice(0, count).join('') + ELLIPSIS);
  let [short, long] = [0, characters.length];
  while (short + 1 < long) {
    const middle = Math.floor((short + long) / 2);
    if (shorten(middle).length <= MAX_LENGTH) short = middle;
    else long = middle;
  }
  return shorten(short);
}

function quote(text: string): string {
  return text
    .trim()
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${line}`)
    .join('\n');
}

function toLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function encodeText(text: string): string {
  return encode(text.replaceAll('\n', '\r\n'));
}

/** Half a character would throw, and control characters mean nothing in a mail. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed().replaceAll(/[^\P{Cc}\r\n\t]/gu, ''));
}
