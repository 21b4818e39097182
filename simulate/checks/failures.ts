import type { Check } from './check.ts';

/** What is never right, whatever was asked for. */
const FAULTS = new Set(['INTERNAL', 'BAD_REQUEST', 'UNAUTHENTICATED', 'TOO_COMPLEX', 'UNREADABLE']);

/** A simulated client asks for nothing wrong, so every answer of this kind is a fault of the service or of the client. */
export const failures: Check = {
  name: 'no request met a fault of the service',
  problems: (_timeline, entries) =>
    entries.flatMap((entry) =>
      entry.kind === 'answered' && entry.code !== null && FAULTS.has(entry.code)
        ? [{ what: `${entry.operation} of ${entry.who} was answered with ${entry.code}`, at: entry.at }]
        : [],
    ),
};
