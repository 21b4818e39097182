import type { Check } from './check.ts';

/** Error codes that a valid request never gets. */
const ERROR_CODES = new Set(['INTERNAL', 'BAD_REQUEST', 'UNAUTHENTICATED', 'TOO_COMPLEX', 'UNREADABLE']);

/** Simulated clients send only valid requests, so each of these codes is a bug in the service or in the client. */
export const failures: Check = {
  name: 'no request failed with an unexpected error',
  findProblems: (_timeline, entries) =>
    entries.flatMap((entry) =>
      entry.kind === 'request_completed' && entry.code !== null && ERROR_CODES.has(entry.code)
        ? [{ message: `${entry.operation} of ${entry.participant} failed with ${entry.code}`, at: entry.at }]
        : [],
    ),
};
