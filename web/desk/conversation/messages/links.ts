export interface TextPart {
  readonly text: string;
  /** Set if the part is an address that can be opened. */
  readonly href?: string;
}

const ADDRESS = /https?:\/\/[^\s<>"]+|mailto:[^\s<>"]+|[\w.+-]{1,64}@[a-z\d-]+(?:\.[a-z\d-]+)+/gi;
const PROTOCOLS = ['http:', 'https:', 'mailto:'];

/** Splits a text into words and addresses. Only http, https and mailto: everything else stays text. */
export function findLinks(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: match, index } of text.matchAll(ADDRESS)) {
    const address = trimEnd(match);
    const href = parseAddress(address);
    if (href === undefined) continue;
    if (index > end) parts.push({ text: text.slice(end, index) });
    parts.push({ text: address, href });
    end = index + address.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

function parseAddress(address: string): string | undefined {
  const full = /^(https?|mailto):/i.test(address) ? address : `mailto:${address}`;
  if (!URL.canParse(full)) return undefined;
  const { protocol, href, pathname } = new URL(full);
  if (!PROTOCOLS.includes(protocol) || (protocol === 'mailto:' && !pathname.includes('@'))) return undefined;
  return href;
}

/** Punctuation after an address belongs to the sentence, and so does a bracket that was opened before it. */
function trimEnd(address: string): string {
  const trimmed = address.replace(/[.,:;!?'…»”’*_]+$/, '');
  const count = (character: string) => trimmed.split(character).length;
  return trimmed.endsWith(')') && count(')') > count('(') ? trimEnd(trimmed.slice(0, -1)) : trimmed;
}
