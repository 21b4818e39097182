import { z } from 'zod';

const MAX_LENGTH = 2000;
const RULE = `must be an https:// address of at most ${MAX_LENGTH} characters without a user name (http:// only for localhost), or null`;
const LOCAL_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** The address is a link on a public page, so it may not be one that runs a script. */
export const signOnUrl = z
  .string({ error: RULE })
  .max(MAX_LENGTH, { error: RULE })
  .refine(isSignOnUrl, { error: RULE })
  .nullable()
  .meta({
    description:
      "The address of the account's own sign-on page, to which the log-in page links: https, or http for localhost. Null for none.",
  });

function isSignOnUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || text.trim() !== text || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOCAL_HOSTS.includes(url.hostname));
}
