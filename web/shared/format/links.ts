import { findWebAddress } from './web-address.ts';

export interface TextPart {
  readonly text: string;
  /** Set if the part is an address that can be opened. */
  readonly href?: string;
}

/** Which addresses become links. */
export interface LinkKind {
  readonly pattern: RegExp;
  /** Undefined for what only looks like one. */
  readonly toHref: (address: string) => string | undefined;
}

export const WEB_LINKS: LinkKind = { pattern: /https?:\/\/[^\s<>"]+/gi, toHref: findWebAddress };
/** No address that someone wants to open is longer. */
const MAX_LENGTH = 2048;
/** Punctuation after an address belongs to the sentence. */
const PUNCTUATION = ".,:;!?'…»”’*_";

/** Splits a text into words and addresses. Everything else stays text. */
export function findLinks(text: string, { pattern, toHref }: LinkKind = WEB_LINKS): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: match, index } of text.matchAll(pattern)) {
    const address = trimEnd(match);
    const href = address.length > MAX_LENGTH ? undefined : toHref(address);
    if (href === undefined) continue;
    if (index > end) parts.push({ text: text.slice(end, index) });
    parts.push({ text: address, href });
    end = index + address.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/** Without the punctuation, and without brackets that were opened before the address. */
function trimEnd(address: string): string {
  let open = 0;
  for (const character of address) open += character === '(' ? 1 : character === ')' ? -1 : 0;
  let end = address.length;
  for (; end > 0; end -= 1) {
    const last = address.charAt(end - 1);
    if (last === ')' && open < 0) open += 1;
    else if (!PUNCTUATION.includes(last)) break;
  }
  return address.slice(0, end);
}
