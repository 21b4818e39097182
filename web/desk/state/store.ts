import { apply } from './apply.ts';
import type { DeskChange } from './change.ts';
import type { DeskState } from './model.ts';

/** Two frames of a screen: hundreds of events in a second are drawn together. */
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
  let lastNotified = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listeners = new Set<() => void>();
  const notify = () => {
    clearTimeout(timer);
    timer = undefined;
    lastNotified = performance.now();
    for (const listener of listeners) listener();
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
      if (!change(next) || timer !== undefined) return;
      const wait = lastNotified + NOTIFY_INTERVAL_MS - performance.now();
      if (wait <= 0) notify();
      else timer = setTimeout(notify, wait);
    },
    dispatchNow(next) {
      if (change(next)) notify();
    },
  };
}
