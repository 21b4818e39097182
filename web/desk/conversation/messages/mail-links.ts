import { type LinkKind, WEB_LINKS } from '../../../shared/format/links.ts';

const MAIL = String.raw`mailto:[^\s<>"]+|[\w.+-]{1,64}@[a-z\d-]+(?:\.[a-z\d-]+)+`;

export const WEB_AND_MAIL_LINKS: LinkKind = {
  pattern: new RegExp(`${WEB_LINKS.pattern.source}|${MAIL}`, 'gi'),
  toHref: (address) => (/^https?:/i.test(address) ? WEB_LINKS.toHref(address) : findMailAddress(address)),
};

function findMailAddress(address: string): string | undefined {
  const full = /^mailto:/i.test(address) ? address : `mailto:${address}`;
  if (!URL.canParse(full)) return undefined;
  const { href, pathname } = new URL(full);
  return pathname.includes('@') ? href : undefined;
}
