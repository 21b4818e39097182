import { setTimeout as wait } from 'node:timers/promises';

/** Returns true after the whole time, false if a signal ended it early. */
export async function sleep(milliseconds: number, ...signals: readonly AbortSignal[]): Promise<boolean> {
  const signal = AbortSignal.any([...signals]);
  if (signal.aborted) return false;
  try {
    await wait(Math.max(0, milliseconds), undefined, { signal });
    return true;
  } catch {
    return false;
  }
}

/** Waits until one of the signals is aborted. */
export async function waitForAbort(...signals: readonly AbortSignal[]): Promise<void> {
  const signal = AbortSignal.any([...signals]);
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

/** Can be opened and closed, and lets callers wait until it is open. */
export class Gate {
  #opening: PromiseWithResolvers<void> | undefined = Promise.withResolvers();

  get isOpen(): boolean {
    return this.#opening === undefined;
  }

  open(): void {
    this.#opening?.resolve();
    this.#opening = undefined;
  }

  close(): void {
    this.#opening ??= Promise.withResolvers();
  }

  async waitUntilOpen(): Promise<void> {
    while (this.#opening) await this.#opening.promise;
  }
}
