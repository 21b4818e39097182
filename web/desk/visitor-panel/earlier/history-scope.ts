import type { DeskState } from '../../state/model.ts';

/**
 * Which earlier conversations of a visitor the viewer reads: all, all while they have an offer of the visitor or serve
 * them, or never more than their own and those of their groups.
 */
export type HistoryScope = 'all' | 'whileServing' | 'own';

export function findHistoryScope({ viewer, account, conversations }: DeskState, visitorId: string): HistoryScope {
  if (viewer.role === 'ADMIN') return 'all';
  if (!account.shareVisitorHistory || viewer.role === 'EXPERT') return 'own';
  const isServing = [...conversations.values()].some(
    ({ visitor, operator, state }) => visitor?.id === visitorId && operator?.id === viewer.id && state !== 'CLOSED',
  );
  return isServing ? 'all' : 'whileServing';
}
