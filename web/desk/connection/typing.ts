import { runMutation } from '../../shared/api/mutation.ts';
import { TYPE } from './mutations.ts';

/** The service sends no more signals than this. */
const INTERVAL_MS = 1000;

/** Tells visitors that the operator types; may be called at every key. */
export function createTyping(isLive: () => boolean): (conversationId: string) => void {
  const last = new Map<string, number>();
  return (conversationId) => {
    const now = performance.now();
    if (!isLive() || now - (last.get(conversationId) ?? Number.NEGATIVE_INFINITY) < INTERVAL_MS) return;
    last.set(conversationId, now);
    void runMutation(TYPE, { input: { conversationId } }); // a lost one does not matter
  };
}
