import type { Asking } from './asking.ts';
import type { CheckResult } from './checks.ts';
import { CONVERSATION_COUNT } from './documents.ts';
import type { Entry } from './journal.ts';

/**
 * On a service where nobody else is: it must have as many conversations as visitors know of, in the states that they know.
 * Each start without an answer may have been one more; where a visitor could not look at the end, any state is right.
 */
export async function recount(admin: Asking, entries: readonly Entry[]): Promise<CheckResult> {
  const started = entries.filter(({ kind }) => kind === 'started').length;
  const found = entries.filter((entry) => entry.kind === 'found');
  const unknown = entries.filter(isUnknownStart).length;
  const unseen = started - found.length;
  const expected = new Map<string | undefined, { least: number; most: number }>([
    [undefined, { least: started, most: started + unknown }],
  ]);
  for (const state of ['QUEUED', 'OFFERED', 'ACTIVE', 'CLOSED']) {
    const least = found.filter((entry) => entry.state === state).length;
    expected.set(state, { least, most: least + unseen + unknown });
  }
  const problems = [];
  for (const [state, { least, most }] of expected) {
    const answer = await admin.ask<{ totalCount: number }>({
      operation: 'conversations',
      query: CONVERSATION_COUNT,
      variables: { filter: state === undefined ? null : { state } },
    });
    const counted = answer.outcome === 'done' ? answer.data.totalCount : Number.NaN;
    if (counted >= least && counted <= most) continue;
    const known = least === most ? least : `${least} to ${most}`;
    const told = answer.outcome === 'done' ? counted : `no answer (${answer.code})`;
    problems.push({ what: `${state ?? 'all'}: visitors know of ${known}, the service counts ${told}`, at: 0 });
  }
  return { name: 'the service counts as many conversations as the visitors do', problems };
}

function isUnknownStart(entry: Entry): boolean {
  return entry.kind === 'answered' && entry.operation === 'conversationStart' && entry.outcome === 'unknown';
}
