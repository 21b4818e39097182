import { memoizeList } from './memoize.ts';
import type { DeskConversation, DeskState } from './model.ts';

/** Offers to the viewer, the one that ends first in front. */
export const selectOffers = memoizeList((state: DeskState) =>
  listOwn(state, 'OFFERED').sort(
    (first, second) => compareTexts(first.offerUntil, second.offerUntil) || compareIds(first, second),
  ),
);

/** The viewer's running conversations, in the order in which they got them, so that rows do not jump. */
export const selectMine = memoizeList((state: DeskState) =>
  listOwn(state, 'ACTIVE').sort(
    (first, second) => compareTexts(first.acceptedAt, second.acceptedAt) || compareIds(first, second),
  ),
);

/** What the viewer had and what was closed since midnight here, the newest in front. */
export function selectClosedToday(state: DeskState, now: number): readonly DeskConversation[] {
  const midnight = findMidnight(now);
  return selectClosed(state).filter(({ closedAt }) => closedAt !== null && Date.parse(closedAt) >= midnight);
}

/** What the viewer had and what is closed, the newest in front. */
export const selectClosed = memoizeList((state: DeskState) =>
  listOwn(state, 'CLOSED').sort(
    (first, second) => compareTexts(second.closedAt, first.closedAt) || compareIds(second, first),
  ),
);

export function selectUnreadTotal(state: DeskState): number {
  return selectMine(state).reduce((total, { unreadCount }) => total + unreadCount, 0);
}

/** The last midnight in the time zone of this computer. */
export function findMidnight(now: number): number {
  return new Date(now).setHours(0, 0, 0, 0);
}

function listOwn({ conversations, viewer }: DeskState, state: DeskConversation['state']): DeskConversation[] {
  return [...conversations.values()].filter((each) => each.state === state && each.operator?.id === viewer.id);
}

/** The older one first: the order must not depend on when the desk heard of them. */
function compareIds(first: DeskConversation, second: DeskConversation): number {
  return Number(first.id) - Number(second.id);
}

/** Times as text; those without one come last. */
function compareTexts(first: string | null, second: string | null): number {
  if (first === second) return 0;
  return (first ?? '~') < (second ?? '~') ? -1 : 1;
}
