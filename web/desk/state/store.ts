import { apply } from './apply.ts';
import type { DeskChange } from './change.ts';
import type { DeskState } from './model.ts';

/**
 * Two frames of a screen: hundreds of events in a second are drawn together. A timer, not a frame: a hidden tab has no
 * frames, and still tells its operator of news.
 */
const NOTIFY_INTERVAL_MS = 32;

export interface DeskStore {
  getState(): DeskState;
  subscribe(listener: () => void): () => void;
  /** Shown soon, together with what else arrives. */
  dispatch(change: DeskChange): void;
  /** Shown at once: what the operator does. */
  dispatchNow(change: DeskChange): void;
}

export function createStore(initial: DeskState): DeskStore {
  let state = initial;
  /** Runs for an interval after each notification. */
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hasUntold = false;
  const listeners = new Set<() => void>();
  const notify = () => {
    clearTimeout(timer);
    timer = setTimeout(endInterval, NOTIFY_INTERVAL_MS);
    hasUntold = false;
    for (const listener of listeners) listener();
  };
  const endInterval = () => {
    timer = undefined;
    if (hasUntold) notify();
  };
  const change = (next: DeskChange) => {
    const before = state;
    state = apply(state, next);
    return state !== before;
  };
  return {
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    dispatch(next) {
      if (!change(next)) return;
      if (timer === undefined) notify();
      else hasUntold = true;
    },
    dispatchNow(next) {
      if (change(next)) notify();
    },
  };
}
