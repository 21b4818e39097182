import {
  type ClockBounds,
  combineBounds,
  compareWithEvent,
  compareWithHeader,
  estimateOffset,
  UNKNOWN_CLOCK,
} from '../state/server-time.ts';
import type { DeskStore } from '../state/store.ts';

/** Compares the clock of this computer with the service's. */
export class Clock {
  readonly #store: DeskStore;
  #bounds: ClockBounds = UNKNOWN_CLOCK;

  constructor(store: DeskStore) {
    this.#store = store;
  }

  noteEvent(at: string): void {
    this.#note(compareWithEvent(at, Date.now()));
  }

  async measure(): Promise<void> {
    const sentAt = Date.now();
    const response = await fetch('/_health', { method: 'HEAD', cache: 'no-store' }).catch(() => undefined);
    if (response) this.#note(compareWithHeader(response.headers.get('date'), sentAt, Date.now()));
  }

  #note(bounds: ClockBounds): void {
    this.#bounds = combineBounds(this.#bounds, bounds);
    this.#store.dispatch({ type: 'clock', clockOffset: Math.round(estimateOffset(this.#bounds)) });
  }
}
