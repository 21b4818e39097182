import type { ApiClient } from './api-client.ts';
import type { CheckResult } from './checks.ts';
import { CONVERSATION_COUNT } from './documents.ts';
import type { Entry } from './journal.ts';

/**
 * On a service without other users: it must have as many conversations as the visitors know, in the states that they
 * know. Each start without a response may be one more. If a visitor could not read the final state, any state is valid.
 */
export async function recountConversations(admin: ApiClient, entries: readonly Entry[]): Promise<CheckResult> {
  const started = entries.filter(({ kind }) => kind === 'conversation_started').length;
  const finalStates = entries.filter((entry) => entry.kind === 'final_state_found');
  const unknown = entries.filter(isUnknownStart).length;
  const unobserved = started - finalStates.length;
  const expected = new Map<string | undefined, { min: number; max: number }>([
    [undefined, { min: started, max: started + unknown }],
  ]);
  for (const state of ['QUEUED', 'OFFERED', 'ACTIVE', 'CLOSED']) {
    const min = finalStates.filter((entry) => entry.state === state).length;
    expected.set(state, { min, max: min + unobserved + unknown });
  }
  const problems = [];
  for (const [state, { min, max }] of expected) {
    const answer = await admin.execute<{ totalCount: number }>({
      operation: 'conversations',
      query: CONVERSATION_COUNT,
      variables: { filter: state === undefined ? null : { state } },
    });
    const count = answer.outcome === 'done' ? answer.data.totalCount : Number.NaN;
    if (count >= min && count <= max) continue;
    const expectedText = min === max ? min : `${min} to ${max}`;
    const actualText = answer.outcome === 'done' ? count : `no response (${answer.code})`;
    problems.push({
      message: `${state ?? 'all'}: visitors know ${expectedText}, the service counts ${actualText}`,
      at: 0,
    });
  }
  return { name: 'the service counts as many conversations as the visitors do', problems };
}

function isUnknownStart(entry: Entry): boolean {
  return entry.kind === 'request_completed' && entry.operation === 'conversationStart' && entry.outcome === 'unknown';
}
