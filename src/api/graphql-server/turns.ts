import { afterMicrotasks } from '../http/after-microtasks.ts';

/** How long operations may keep the event loop before everything else gets its turn. */
const MAX_TURN_MS = 2;
/** How far a caller who takes less time than the others may be ahead of them: small operations do not wait. */
const MAX_LEAD_MS = 4;
/** Rows of a list that are completed together. */
const ROWS_PER_STEP = 5;

interface CallerTime {
  readonly waitingSteps: (() => void)[];
  /** Compared between callers only: the one with the least is next. */
  usedMs: number;
}

/**
 * Shares the event loop. Operations do their work in steps of well under a millisecond; after two milliseconds of
 * them, everything else on the event loop gets its turn. Callers who wait share the time equally, so that one with many
 * or large operations does not delay one with few.
 */
export class TurnScheduler {
  /** Callers who wait, or took steps recently. */
  readonly #callers = new Map<string, CallerTime>();
  readonly #now: () => number;
  #waitingCount = 0;
  #currentStep: { readonly caller: CallerTime; readonly start: number } | undefined;
  /** The most time that a caller had used when it was next. */
  #usedMs = 0;
  #turnStart: number | undefined;
  #isReleasing = false;

  /** `now` is replaced in tests. */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Whether a step can be taken now. */
  hasTime(): boolean {
    return this.#waitingCount === 0 && !this.#isTurnOver(this.#now());
  }

  /** Waits for the caller's next step. */
  wait(caller: string): Promise<void> {
    return new Promise((resolve) => {
      const time = this.#callers.get(caller) ?? { waitingSteps: [], usedMs: 0 };
      this.#callers.set(caller, time);
      time.usedMs = Math.max(time.usedMs, this.#usedMs - MAX_LEAD_MS);
      time.waitingSteps.push(resolve);
      this.#waitingCount += 1;
      if (this.#isReleasing) return;
      this.#isReleasing = true;
      afterMicrotasks(this.#releaseNext);
    });
  }

  readonly #releaseNext = () => {
    const now = this.#now();
    this.#endStep(now);
    if (this.#waitingCount === 0) {
      this.#callers.clear();
      this.#isReleasing = false;
    } else if (this.#isTurnOver(now)) setImmediate(this.#releaseNext);
    else {
      const caller = this.#findNext();
      this.#usedMs = Math.max(this.#usedMs, caller.usedMs);
      this.#currentStep = { caller, start: now };
      this.#waitingCount -= 1;
      caller.waitingSteps.shift()?.();
      afterMicrotasks(this.#releaseNext);
    }
  };

  #endStep(now: number): void {
    if (!this.#currentStep) return;
    const { caller, start } = this.#currentStep;
    caller.usedMs += Math.min(now - start, MAX_LEAD_MS); // more is rarely the caller's: garbage collection, for example
    this.#currentStep = undefined;
  }

  /** Returns the waiting caller who has used the least time. */
  #findNext(): CallerTime {
    let next: CallerTime | undefined;
    for (const [name, caller] of this.#callers) {
      const isWaiting = caller.waitingSteps.length > 0;
      if (isWaiting && (!next || caller.usedMs < next.usedMs)) next = caller;
      if (!isWaiting && caller.usedMs <= this.#usedMs - MAX_LEAD_MS) this.#callers.delete(name);
    }
    return next as CallerTime;
  }

  #isTurnOver(now: number): boolean {
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

  /** Returns the items of a loaded list in the same way, later if there is no time now. */
  passList<T>(items: readonly T[]): readonly (T | Promise<T>)[] | Promise<readonly (T | Promise<T>)[]> {
    return this.#scheduler.hasTime() ? this.spread(items) : this.#wait().then(() => this.spread(items));
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
