import { PASSWORD } from '../data.ts';
import type { Server } from '../processes.ts';

/** Settings with which the service takes the address of a client from the header that `logIn` sends. */
export const TRUST_LOCAL_PROXY = { SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.1,::1' };

export interface LoginAttempt {
  readonly email: string;
  readonly address: string;
  readonly password?: string;
}

/** Returns the status of the answer and the milliseconds until it came. */
export async function logIn(
  { port }: Server,
  { email, address, password = PASSWORD }: LoginAttempt,
): Promise<{ status: number; ms: number; token: string | undefined }> {
  const start = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/oauth2/token`, {
    method: 'POST',
    headers: { 'x-forwarded-for': address },
    body: new URLSearchParams({ grant_type: 'password', username: email, password }),
  });
  const { access_token: token } = (await response.json()) as { access_token?: string };
  return { status: response.status, ms: performance.now() - start, token };
}

/** Returns a token of a user who can log in. */
export async function openSession(service: Server, email: string): Promise<string> {
  const { status, token } = await logIn(service, { email, address: '127.0.0.1' });
  if (token === undefined) throw new Error(`The login of ${email} failed with ${status}.`);
  return token;
}
