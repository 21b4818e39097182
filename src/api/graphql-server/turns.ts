/** How long operations may keep the event loop before everything else gets its turn. */
const MAX_TURN_MS = 2;
/** Rows of a list that are completed together. */
const ROWS_PER_STEP = 5;

/**
 * Shares the event loop. Operations do their work in steps of well under a millisecond; after two milliseconds of
 * them, everything else on the event loop gets its turn. Callers who wait take their steps in rotation, so that one
 * with many operations does not delay one with few.
 */
export class TurnScheduler {
  /** Waiting steps by caller; the first caller is next. */
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #now: () => number;
  #turnStart: number | undefined;
  #isReleasing = false;

  /** `now` is replaced in tests. */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Whether a step can be taken now. */
  hasTime(): boolean {
    return this.#waiting.size === 0 && !this.#isTurnOver();
  }

  /** Waits for the caller's next step. */
  wait(caller: string): Promise<void> {
    return new Promise((resolve) => {
      const steps = this.#waiting.get(caller);
      if (steps) steps.push(resolve);
      else this.#waiting.set(caller, [resolve]);
      if (this.#isReleasing) return;
      this.#isReleasing = true;
      afterMicrotasks(this.#releaseNext);
    });
  }

  readonly #releaseNext = () => {
    if (this.#waiting.size === 0) this.#isReleasing = false;
    else if (this.#isTurnOver()) setImmediate(this.#releaseNext);
    else {
      this.#takeNext()();
      afterMicrotasks(this.#releaseNext);
    }
  };

  #takeNext(): () => void {
    const [caller, steps] = this.#waiting.entries().next().value as [string, (() => void)[]];
    this.#waiting.delete(caller);
    const step = steps.shift() as () => void;
    if (steps.length > 0) this.#waiting.set(caller, steps); // behind the others
    return step;
  }

  #isTurnOver(): boolean {
    const now = this.#now();
    if (this.#turnStart === undefined) {
      this.#turnStart = now;
      setImmediate(() => {
        this.#turnStart = undefined;
      });
    }
    return now - this.#turnStart >= MAX_TURN_MS;
  }
}

/** The steps of one operation. */
export class OperationTurns {
  readonly #scheduler: TurnScheduler;
  readonly #caller: string;
  #waitingCount = 0;
  readonly #delayedLoads: (() => void)[] = [];
  /** False while a compiled query runs: it does not accept promises as items of a list. */
  canDelayItems = true;

  constructor(scheduler: TurnScheduler, caller: string) {
    this.#scheduler = scheduler;
    this.#caller = caller;
  }

  /** Returns the value, later if there is no time now. */
  pass<T>(value: T): T | Promise<T> {
    return this.#scheduler.hasTime() ? value : this.#wait().then(() => value);
  }

  /** Returns the items of a list: the first ones at once, the others a few at a time. */
  spread<T>(items: readonly T[]): readonly (T | Promise<T>)[] {
    if (!this.canDelayItems || items.length <= ROWS_PER_STEP) return items;
    const spreadItems: (T | Promise<T>)[] = items.slice(0, ROWS_PER_STEP);
    for (let start = ROWS_PER_STEP; start < items.length; start += ROWS_PER_STEP) {
      const turn = this.#wait();
      for (const item of items.slice(start, start + ROWS_PER_STEP)) spreadItems.push(turn.then(() => item));
    }
    return spreadItems;
  }

  /** Loads a batch after all rows had their turn: they share its statement. */
  readonly scheduleLoad = (load: () => void): void => {
    afterMicrotasks(() => {
      if (this.#waitingCount > 0) this.#delayedLoads.push(load);
      else if (this.#scheduler.hasTime()) load();
      else this.#scheduler.wait(this.#caller).then(load);
    });
  };

  async #wait(): Promise<void> {
    this.#waitingCount += 1;
    await this.#scheduler.wait(this.#caller);
    this.#waitingCount -= 1;
    if (this.#waitingCount === 0) for (const load of this.#delayedLoads.splice(0)) this.scheduleLoad(load);
  }
}

function afterMicrotasks(work: () => void): void {
  queueMicrotask(() => process.nextTick(work));
}
