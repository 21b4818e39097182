import type { Fields, Identity } from '../../panel-host.ts';

const DETAILS = ['firstname', 'lastname', 'address', 'city', 'zip', 'country', 'phone', 'email'];
const MAX_ADDRESS = 2000;
const MAX_TITLE = 500;

/** Where the visitor is, for the operator. */
export function describePage(fields: Fields | undefined): object {
  const isAddress = (text: string) => /^https?:/.test(text) && text.length <= MAX_ADDRESS;
  return {
    ...(isAddress(location.href) && { page: location.href }),
    ...(isAddress(document.referrer) && { referrer: document.referrer }),
    title: document.title.slice(0, MAX_TITLE),
    timezone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    language: navigator.language.replace(/@.*/, ''), // `en-US@posix` on some systems
    ...(fields && { fields: Object.entries(fields).map(([name, value]) => ({ name, value: String(value) })) }),
  };
}

/** The contact details among what the page said about the visitor. */
export function pickDetails(identity: Identity): Readonly<Record<string, string>> {
  return Object.fromEntries(
    DETAILS.flatMap((name) => (identity[name] ? [[name, String(identity[name])] as const] : [])),
  );
}

/** The website's identifier of the visitor. */
export function findPerson({ externalId, identity }: Identity): string | undefined {
  if (externalId || !identity) return externalId;
  try {
    const payload = (identity.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(payload), (each) => each.charCodeAt(0)))).sub;
  } catch {
    return undefined; // the service will say so
  }
}
