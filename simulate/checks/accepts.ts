import type { Check, Problem } from './check.ts';

/** An acknowledged accept starts the conversation, and its followers receive the event. */
export const accepts: Check = {
  name: 'every acknowledged accept started its conversation',
  findProblems: ({ events }, entries) => {
    const startedConversations = new Set<number>();
    for (const list of events.values())
      for (const { type, conversation } of list)
        if (type === 'conversation.started' && conversation !== null) startedConversations.add(conversation);
    const problems: Problem[] = [];
    for (const entry of entries) {
      if (entry.kind !== 'request_completed' || entry.operation !== 'offerAccept' || entry.outcome !== 'done') continue;
      if (entry.conversation === null || startedConversations.has(entry.conversation)) continue;
      const message = `conversation ${entry.conversation}: ${entry.participant} accepted it, but it never started`;
      problems.push({ message, at: entry.at });
    }
    return problems;
  },
};
