import type { Check, Problem } from './check.ts';

/** Who was told that the conversation is theirs now, has it: it began, and everybody who follows it was told so. */
export const accepts: Check = {
  name: 'every acknowledged accept began its conversation',
  problems: ({ told }, entries) => {
    const begun = new Set<number>();
    for (const events of told.values())
      for (const { type, conversation } of events)
        if (type === 'conversation.started' && conversation !== null) begun.add(conversation);
    const problems: Problem[] = [];
    for (const entry of entries) {
      if (entry.kind !== 'answered' || entry.operation !== 'offerAccept' || entry.outcome !== 'done') continue;
      if (entry.conversation === null || begun.has(entry.conversation)) continue;
      const what = `conversation ${entry.conversation}: ${entry.who} accepted it, and it never began`;
      problems.push({ what, at: entry.at });
    }
    return problems;
  },
};
