import type { Answer } from '../../../shared/api/request.ts';

/** A conversation that was closed here and can still be kept open. */
export interface HeldClose {
  readonly conversationId: string;
  readonly visitorName: string;
  readonly closingLine: string;
  /** A time in milliseconds. */
  readonly until: number;
  /** `sending`: too late for an undo. `sent`: the service has closed it; the event that says so is still to come. */
  readonly step: 'held' | 'sending' | 'sent';
}

export interface HeldClosesOptions {
  /** Closes as part of the normal work. */
  close(held: HeldClose): Promise<Answer<unknown>>;
  /** Closes while the page goes away, without waiting for the answer. */
  closeAtPageEnd(held: HeldClose): void;
  /** Whose they are: a tab can be that of someone else after a log-in. */
  readonly owner: string;
  /** Of this tab: another tab of the operator must not send what can be undone here. */
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>;
  onRefused(held: HeldClose, failure: string): void;
}

export const UNDO_MS = 5000;
/** What is left after a pause, at least. */
const AFTER_PAUSE_MS = 2000;
/** The page went and came back, or the visitor was faster. */
const ALREADY_CLOSED = 'state';

/**
 * Holds closings back for some seconds. A held one is written down at once, and removed only when the conversation is
 * closed: whatever happens to the page meanwhile, it is sent.
 */
export class HeldCloses {
  readonly #options: HeldClosesOptions;
  readonly #listeners = new Set<() => void>();
  #all: readonly HeldClose[];
  #ids: ReadonlySet<string>;
  #isPaused = false;

  constructor(options: HeldClosesOptions) {
    this.#options = options;
    this.#all = readStored(options);
    this.#ids = listIds(this.#all);
  }

  readonly getAll = (): readonly HeldClose[] => this.#all;

  /** The same object while they are the same. */
  readonly getIds = (): ReadonlySet<string> => this.#ids;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  hold(close: Omit<HeldClose, 'step'>): void {
    this.#set([...this.#without(close.conversationId), { ...close, step: 'held' }]);
  }

  /** The one that was closed last and can still be kept open. */
  findLast(): HeldClose | undefined {
    return this.#all.findLast(({ step }) => step === 'held');
  }

  canUndo(conversationId: string): boolean {
    return this.#all.some((each) => each.conversationId === conversationId && each.step === 'held');
  }

  /** Does nothing when it is too late. */
  undo(conversationId: string): void {
    if (this.canUndo(conversationId)) this.#set(this.#without(conversationId));
  }

  /** Someone points at the undo, or has the focus in it: the time does not run out under them. */
  readonly setPaused = (isPaused: boolean, now = Date.now()): void => {
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    const until = now + AFTER_PAUSE_MS;
    const extend = (each: HeldClose) => (each.step === 'held' && each.until < until ? { ...each, until } : each);
    this.#set(isPaused ? this.#all : this.#all.map(extend));
  };

  /** Sends those whose time is over, and again those that did not reach the service. */
  async sendDue(now: number): Promise<void> {
    const isDue = ({ step, until }: HeldClose) =>
      step === 'sending' || (step === 'held' && until <= now && !this.#isPaused);
    await this.#send(this.#all.filter(isDue));
  }

  /** The page goes: it may not come back. */
  sendAtPageEnd(): void {
    const unsent = this.#all.filter(({ step }) => step !== 'sent');
    if (unsent.length === 0) return;
    this.#mark(unsent, 'sending');
    // Also those that are on their way: the browser stops the requests of a page that goes.
    for (const each of unsent) this.#options.closeAtPageEnd(each);
  }

  /** When the next one is due. */
  findNextDue(): number | undefined {
    if (this.#isPaused) return undefined;
    const times = this.#all.flatMap(({ step, until }) => (step === 'held' ? [until] : []));
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** There is nothing left to close: it is closed, here or elsewhere, or someone else's. */
  forgetUnless(isOpen: (conversationId: string) => boolean): void {
    const open = this.#all.filter(({ conversationId }) => isOpen(conversationId));
    if (open.length < this.#all.length) this.#set(open);
  }

  async #send(closes: readonly HeldClose[]): Promise<void> {
    if (closes.length === 0) return;
    this.#mark(closes, 'sending');
    await Promise.all(
      closes.map(async (each) => {
        const answer = await this.#options.close(each);
        if (answer.ok) return this.#mark([each], 'sent');
        const { failure } = answer;
        // Not reached: it is sent again when there is a connection, or after the log-in.
        if (failure.kind !== 'refused') return;
        if (failure.code === ALREADY_CLOSED) return this.#mark([each], 'sent');
        this.#set(this.#without(each.conversationId));
        this.#options.onRefused(each, failure.description);
      }),
    );
  }

  #mark(closes: readonly HeldClose[], step: HeldClose['step']): void {
    const ids = listIds(closes);
    this.#set(this.#all.map((each) => (ids.has(each.conversationId) ? { ...each, step } : each)));
  }

  #without(conversationId: string): readonly HeldClose[] {
    return this.#all.filter((each) => each.conversationId !== conversationId);
  }

  #set(all: readonly HeldClose[]): void {
    this.#all = all;
    if (all.length !== this.#ids.size || !all.every((each) => this.#ids.has(each.conversationId)))
      this.#ids = listIds(all);
    try {
      this.#options.storage.setItem(nameStored(this.#options), JSON.stringify(all));
    } catch {
      // Without storage it is sent by the time, or when the page goes.
    }
    for (const listener of this.#listeners) listener();
  }
}

function listIds(closes: readonly HeldClose[]): ReadonlySet<string> {
  return new Set(closes.map(({ conversationId }) => conversationId));
}

function nameStored({ owner }: Pick<HeldClosesOptions, 'owner'>): string {
  return `switchboard:held-closes:${owner}`;
}

function readStored(options: HeldClosesOptions): readonly HeldClose[] {
  try {
    return JSON.parse(options.storage.getItem(nameStored(options)) ?? '[]') as HeldClose[];
  } catch {
    return [];
  }
}
