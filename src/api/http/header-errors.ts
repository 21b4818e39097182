import type { IncomingMessage } from 'node:http';
import { HttpError } from './http-error.ts';

/** Rejects repeated Host and credential headers: a proxy and this server could otherwise pick different ones. */
export function findHeaderError({ rawHeaders, httpVersion }: IncomingMessage): Error | undefined {
  let hosts = 0;
  let authorizations = 0;
  let apiKeys = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    else if (name.length === 13 && name.toLowerCase() === 'authorization') authorizations += 1;
    else if (name.length === 9 && name.toLowerCase() === 'x-api-key') apiKeys += 1;
  }
  if (hosts > 1 || authorizations > 1 || apiKeys > 1) {
    return new HttpError(400, 'The headers Host, Authorization and X-API-Key must not occur more than once.');
  }
  if (hosts === 0 && httpVersion === '1.1') return new HttpError(400, 'The header Host is missing.');
  return undefined;
}
