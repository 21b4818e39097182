export interface TextPart {
  readonly text: string;
  /** Set if the part is an address that can be opened. */
  readonly href?: string;
}

const ADDRESS = /https?:\/\/[^\s<>"]+/gi;

/** Splits a text into words and http(s) addresses. */
export function findLinks(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: match, index } of text.matchAll(ADDRESS)) {
    const address = trimEnd(match);
    if (!URL.canParse(address)) continue;
    if (index > end) parts.push({ text: text.slice(end, index) });
    parts.push({ text: address, href: new URL(address).href });
    end = index + address.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/** Punctuation after an address belongs to the sentence, and so does a bracket that was opened before it. */
function trimEnd(address: string): string {
  const trimmed = address.replace(/[.,:;!?'…»”’*_]+$/, '');
  const count = (character: string) => trimmed.split(character).length;
  return trimmed.endsWith(')') && count(')') > count('(') ? trimEnd(trimmed.slice(0, -1)) : trimmed;
}
