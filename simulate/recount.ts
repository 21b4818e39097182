import type { Asking } from './asking.ts';
import type { CheckResult } from './checks.ts';
import { CONVERSATION_COUNT } from './documents.ts';
import type { Entry } from './journal.ts';

/** On a service where nobody else is: it must have as many conversations as visitors know of, in the states that they know. */
export async function recount(admin: Asking, entries: readonly Entry[]): Promise<CheckResult> {
  const name = 'the service counts as many conversations as the visitors do';
  const unsure = entries.some(
    (entry) => entry.kind === 'answered' && entry.operation === 'conversationStart' && entry.outcome === 'unknown',
  );
  if (unsure) return { name, problems: [] };
  const found = entries.filter((entry) => entry.kind === 'found');
  const known = new Map<string | undefined, number>([
    [undefined, entries.filter(({ kind }) => kind === 'started').length],
  ]);
  for (const state of ['QUEUED', 'OFFERED', 'ACTIVE', 'CLOSED'])
    known.set(state, found.filter((entry) => entry.state === state).length);
  const problems = [];
  for (const [state, expected] of known) {
    const answer = await admin.ask<{ totalCount: number }>({
      operation: 'conversations',
      query: CONVERSATION_COUNT,
      variables: { filter: state === undefined ? null : { state } },
    });
    const counted = answer.outcome === 'done' ? answer.data.totalCount : `no answer (${answer.code})`;
    if (counted !== expected)
      problems.push({ what: `${state ?? 'all'}: visitors know of ${expected}, the service counts ${counted}`, at: 0 });
  }
  return { name, problems };
}
