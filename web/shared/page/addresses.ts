import type { Session } from '../api/session.ts';

/** The pages to which the log-in page returns. */
const OWN_PAGES = ['/desk', '/console', '/account', '/developers', '/docs', '/graphiql'];
/** Only to parse a path; what follows from it is compared with this, whatever the address of the service is. */
const BASE = 'https://own.invalid';

/**
 * Returns the path of an own page from the `to` of an address, which anyone can have written. Undefined for everything
 * that a browser could read as another website: another scheme or host, `//host`, backslashes, control characters.
 */
export function findReturnPath(to: string | null): string | undefined {
  if (to === null || !to.startsWith('/') || hasUnsafeCharacter(to) || !URL.canParse(to, BASE)) return undefined;
  const { origin, pathname, search, hash } = new URL(to, BASE);
  const isOwn = OWN_PAGES.some((page) => pathname === page || pathname.startsWith(`${page}/`));
  return origin === BASE && isOwn ? pathname + search + hash : undefined;
}

/** Browsers drop tabs and line breaks from an address, and read a backslash as a slash. */
function hasUnsafeCharacter(text: string): boolean {
  return [...text].some((character) => character === '\\' || character <= ' ' || character === '\u007f');
}

/** Where someone begins to work. The console follows; until then everyone has the desk. */
export function findHome(_session: Session): string {
  return '/desk';
}

/** Of `location`. */
export interface PageAddress {
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
}

/**
 * What the log-in page says: the session ended, someone else has logged in in this browser, the password was changed and
 * all sessions with it, or why the service did not accept a single sign-on link.
 */
export const LOG_IN_REASONS = [
  'ended',
  'other',
  'password',
  'linkInvalid',
  'linkWrong',
  'linkLimited',
  'linkUnavailable',
] as const;
export type LogInReason = (typeof LOG_IN_REASONS)[number];

/** The log-in page, which returns to this one if it is a page of its own. */
export function createLogInAddress({ pathname, search, hash }: PageAddress, reason?: LogInReason): string {
  const to = findReturnPath(pathname + search + hash);
  const query = new URLSearchParams({ ...(to !== undefined && { to }), ...(reason && { reason }) });
  return query.size === 0 ? '/login' : `/login?${query}`;
}
