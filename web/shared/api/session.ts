import type { Theme } from '../theme/theme.ts';
import { type Answer, send } from './request.ts';

export type Role = 'ADMIN' | 'MANAGER' | 'EXPERT';

/** Who is logged in in this browser. The secret of the session is in a cookie that scripts cannot read. */
export interface Session {
  readonly authenticated: true;
  readonly operator: {
    readonly id: string;
    readonly name: string;
    readonly firstName: string | null;
    readonly pseudo: string;
    readonly email: string;
    readonly roles: readonly Role[];
    /** A language code such as `de`. */
    readonly languageAdmin: string | null;
  };
  readonly accountId: string;
  readonly accountName: string;
  readonly theme?: Theme;
  readonly expiresAt: string;
  /** The account requires two-factor, and this session can do nothing but set it up. */
  readonly mustSetUpTwoFactor?: boolean;
}

export type SessionState = Session | { readonly authenticated: false };

export interface Credentials {
  readonly email: string;
  readonly password: string;
  /** Of the authenticator app, or a recovery code. */
  readonly code?: string;
}

/** What the log-in page may know before anyone has logged in. */
export interface SessionOptions {
  /** Null if the installation has several accounts. */
  readonly accountName: string | null;
  /** The account's own sign-on page. */
  readonly signOnUrl: string | null;
}

export function readSession(): Promise<Answer<SessionState>> {
  return send('/session') as Promise<Answer<SessionState>>;
}

export function readSessionOptions(account: string | null): Promise<Answer<SessionOptions>> {
  const query = account === null ? '' : `?${new URLSearchParams({ account })}`;
  return send(`/session/options${query}`) as Promise<Answer<SessionOptions>>;
}

/** `ssoCode` is the one-time code of a single sign-on link. A session that the browser has is ended. */
export function logIn(credentials: Credentials | { readonly ssoCode: string }): Promise<Answer<Session>> {
  return send('/session', { method: 'POST', body: credentials }) as Promise<Answer<Session>>;
}

export function logOut(): Promise<Answer<unknown>> {
  return send('/session', { method: 'DELETE' });
}

/** What the link of an invitation or of a reset is for. */
export interface PasswordLink {
  readonly email: string;
  readonly name: string;
  readonly expiresAt: string;
}

export function readPasswordLink(token: string): Promise<Answer<PasswordLink>> {
  return send('/session/password-link', { method: 'POST', body: { token } }) as Promise<Answer<PasswordLink>>;
}

/** Uses up the link. Does not log in. */
export function setPassword(token: string, password: string): Promise<Answer<unknown>> {
  return send('/session/password', { method: 'POST', body: { token, password } });
}
