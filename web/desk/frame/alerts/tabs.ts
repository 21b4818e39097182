/** The parts of the Web Locks API that the tabs need. Undefined on a page without TLS. */
export interface Locks {
  request(name: string, options: LockChoice, hold: () => Promise<void>): Promise<unknown>;
  query(): Promise<{ readonly held?: readonly { readonly name?: string }[] }>;
}

export interface LockChoice {
  readonly mode?: 'shared';
  readonly signal: AbortSignal;
}

const NOISE = 'switchboard:desk-noise';
const IN_FRONT = 'switchboard:desk-in-front';

/**
 * The desks in the tabs of one browser. One of them is elected to make noise, and every one knows whether the operator
 * looks at one of them. Without locks every tab is on its own.
 */
export class DeskTabs {
  readonly #locks: Locks | undefined;
  readonly #end = new AbortController();
  #isElected: boolean;
  #leaveFront: (() => void) | undefined;

  constructor(locks: Locks | undefined) {
    this.#locks = locks;
    this.#isElected = locks === undefined;
    locks
      ?.request(NOISE, { signal: this.#end.signal }, () => {
        this.#isElected = true;
        return this.#untilEnd();
      })
      .catch(() => undefined);
  }

  get isElected(): boolean {
    return this.#isElected && !this.#end.signal.aborted;
  }

  /** The operator looks at this tab, or no longer. */
  setInFront(isInFront: boolean): void {
    if (!isInFront) {
      this.#leaveFront?.();
      this.#leaveFront = undefined;
      return;
    }
    if (this.#leaveFront !== undefined || this.#end.signal.aborted) return;
    const left = new Promise<void>((resolve) => {
      this.#leaveFront = resolve;
    });
    this.#locks?.request(IN_FRONT, { mode: 'shared', signal: this.#end.signal }, () => left).catch(() => undefined);
  }

  /** Whether the operator looks at a desk, in this tab or another. */
  async isOneInFront(): Promise<boolean> {
    if (this.#leaveFront !== undefined) return true;
    const { held = [] } = (await this.#locks?.query()) ?? {};
    return held.some(({ name }) => name === IN_FRONT);
  }

  /** Another tab takes over. */
  stop(): void {
    this.setInFront(false);
    this.#end.abort();
  }

  #untilEnd(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#end.signal.aborted) resolve();
      this.#end.signal.addEventListener('abort', () => resolve());
    });
  }
}
