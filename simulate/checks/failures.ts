import type { Check } from './check.ts';

/** Codes that a correct request never gets. */
const ERROR_CODES = new Set(['INTERNAL', 'BAD_REQUEST', 'UNAUTHENTICATED', 'TOO_COMPLEX', 'UNREADABLE']);

/** Simulated clients send only valid requests, so each of these codes is a bug in the service or in the client. */
export const failures: Check = {
  name: 'no request failed with an unexpected error',
  findProblems: (_timeline, entries) =>
    entries.flatMap((entry) =>
      entry.kind === 'answered' && entry.code !== null && ERROR_CODES.has(entry.code)
        ? [{ what: `${entry.operation} of ${entry.who} failed with ${entry.code}`, at: entry.at }]
        : [],
    ),
};
