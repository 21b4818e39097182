import { findWebAddress } from './web-address.ts';

export interface TextPart {
  readonly text: string;
  /** Set if the part is an address that can be opened. */
  readonly href?: string;
}

export const WEB_ADDRESS = /https?:\/\/[^\s<>"]+/gi;
/** No address that someone wants to open is longer. */
const MAX_LENGTH = 2048;
/** Punctuation after an address belongs to the sentence. */
const PUNCTUATION = ".,:;!?'…»”’*_";

/**
 * Splits a text into words and addresses. Everything else stays text. `toHref` returns undefined for what only looks like
 * an address.
 */
export function findLinks(text: string, pattern = WEB_ADDRESS, toHref = findWebAddress): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: match, index } of text.matchAll(pattern)) {
    const address = trimEnd(match);
    const href = address.length <= MAX_LENGTH && toHref(address);
    if (!href) continue;
    if (index > end) parts.push({ text: text.slice(end, index) });
    parts.push({ text: address, href });
    end = index + address.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/** Without the punctuation, and without brackets that were opened before the address. */
function trimEnd(address: string): string {
  let unopened = address.split(')').length - address.split('(').length;
  let end = address.length;
  for (; end > 0; end -= 1) {
    const last = address.charAt(end - 1);
    if (last === ')' ? unopened-- <= 0 : !PUNCTUATION.includes(last)) break;
  }
  return address.slice(0, end);
}
