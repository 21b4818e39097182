import { findLinks, type TextPart, WEB_ADDRESS } from '../../../shared/format/links.ts';
import { findWebAddress } from '../../../shared/format/web-address.ts';

const MAIL_ADDRESS = String.raw`mailto:[^\s<>"]+|[\w.+-]{1,64}@[a-z\d-]+(?:\.[a-z\d-]+)+`;
const ANY_ADDRESS = new RegExp(`${WEB_ADDRESS.source}|${MAIL_ADDRESS}`, 'gi');

/** Addresses of the web and of e-mail. */
export function findLinksAndMail(text: string): TextPart[] {
  return findLinks(text, ANY_ADDRESS, (address) =>
    /^https?:/i.test(address) ? findWebAddress(address) : findMailAddress(address),
  );
}

function findMailAddress(address: string): string | undefined {
  const full = /^mailto:/i.test(address) ? address : `mailto:${address}`;
  if (!URL.canParse(full)) return undefined;
  const { href, pathname } = new URL(full);
  return pathname.includes('@') ? href : undefined;
}
