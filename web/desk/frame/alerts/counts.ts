import type { DeskState } from '../../state/model.ts';
import { selectOffers, selectUnreadTotal } from '../../state/select-conversations.ts';

/** What waits for the operator: offers, and messages that they have not seen. */
export function countAttention(state: DeskState): number {
  return selectOffers(state).length + selectUnreadTotal(state);
}

/** `(3) Lea Roux · Switchboard`. */
export function formatTitle(title: string, count: number): string {
  return `${count > 0 ? `(${count}) ` : ''}${title} · Switchboard`;
}
