import type { Signal } from './signal.ts';

/** A listener that does not read keeps this many of the newest signals. */
export const MAX_PENDING_SIGNALS = 100;

/** The signals of one subscription that it has not read yet. */
export class SignalListener {
  readonly #pending: Signal[] = [];
  readonly #onClose: () => void;
  #wake: (() => void) | undefined;
  #isClosed = false;
  #error: unknown;

  constructor(onClose: () => void) {
    this.#onClose = onClose;
  }

  /** Drops the oldest signal if too many are pending. */
  push(signal: Signal): void {
    if (this.#isClosed) return;
    if (this.#pending.length === MAX_PENDING_SIGNALS) this.#pending.shift();
    this.#pending.push(signal);
    this.#wake?.();
  }

  /** Yields signals until the listener is closed. Throws the error that it was closed with. */
  async *receive(): AsyncGenerator<Signal> {
    for (;;) {
      const signal = this.#pending.shift();
      if (signal) yield signal;
      else if (this.#isClosed) break;
      else await this.#waitForWake();
    }
    if (this.#error !== undefined) throw this.#error;
  }

  /** Signals that are pending are not delivered any more. */
  close(error?: unknown): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#error = error;
    this.#pending.length = 0;
    this.#onClose();
    this.#wake?.();
  }

  #waitForWake(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
