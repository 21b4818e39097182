const HEAD_END = '\r\n\r\n';
const CONTENT_LENGTH = 'content-length: ';
/** As Express writes it. */
const CAPITAL_CONTENT_LENGTH = 'Content-Length: ';
const NOT_MODIFIED = 304;

/** The length of a response in bytes; infinite while its head is incomplete. */
export function responseLength(bytes: Buffer): number {
  const head = bytes.indexOf(HEAD_END, 0, 'latin1');
  if (head < 0) return Number.POSITIVE_INFINITY;
  if (readStatus(bytes) === NOT_MODIFIED) return head + HEAD_END.length; // it never has a body
  const lower = bytes.indexOf(CONTENT_LENGTH, 0, 'latin1');
  const at = lower >= 0 && lower < head ? lower : bytes.indexOf(CAPITAL_CONTENT_LENGTH, 0, 'latin1');
  if (at < 0 || at > head) throw new Error('A response has no Content-Length.');
  let length = 0;
  for (let index = at + CONTENT_LENGTH.length; bytes[index] !== 13; index++)
    length = length * 10 + (bytes[index] as number) - 48;
  return head + HEAD_END.length + length;
}

/** The three digits after `HTTP/1.1 `. */
export function readStatus(bytes: Buffer): number {
  return ((bytes[9] as number) - 48) * 100 + ((bytes[10] as number) - 48) * 10 + (bytes[11] as number) - 48;
}
