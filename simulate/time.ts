import { setTimeout as wait } from 'node:timers/promises';

/** Lets time pass; true when all of it has passed, false when something ended it before. */
export async function rest(milliseconds: number, ...until: readonly AbortSignal[]): Promise<boolean> {
  const signal = AbortSignal.any([...until]);
  if (signal.aborted) return false;
  try {
    await wait(Math.max(0, milliseconds), undefined, { signal });
    return true;
  } catch {
    return false;
  }
}

/** Until something ends. */
export async function ended(...signals: readonly AbortSignal[]): Promise<void> {
  const signal = AbortSignal.any([...signals]);
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

/** A door that is open or closed; whoever finds it closed can wait. */
export class Gate {
  #opened: PromiseWithResolvers<void> | undefined = Promise.withResolvers();

  get isOpen(): boolean {
    return this.#opened === undefined;
  }

  open(): void {
    this.#opened?.resolve();
    this.#opened = undefined;
  }

  close(): void {
    this.#opened ??= Promise.withResolvers();
  }

  async passed(): Promise<void> {
    while (this.#opened) await this.#opened.promise;
  }
}
