import type { DeskState } from '../../state/model.ts';
import { selectOffers, selectUnreadTotal } from '../../state/select-conversations.ts';

/** What waits for the operator: offers, and messages that they have not seen. */
export function countAttention(state: DeskState): number {
  return selectOffers(state).length + selectUnreadTotal(state);
}

const MOST_IN_TITLE = 99;

/** `(3) Lea Roux · Switchboard`. */
export function formatTitle(title: string, count: number): string {
  const shown = count > MOST_IN_TITLE ? `${MOST_IN_TITLE}+` : count;
  return `${count > 0 ? `(${shown}) ` : ''}${title} · Switchboard`;
}
