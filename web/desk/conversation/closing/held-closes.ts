import type { Answer } from '../../../shared/api/request.ts';

/** A conversation that was closed here and can still be kept open. */
export interface HeldClose {
  readonly conversationId: string;
  readonly visitorName: string;
  readonly closingLine: string;
  /** A time in milliseconds. */
  readonly until: number;
  /** `sending`: too late for an undo. It stays until the service has answered. */
  readonly step: 'held' | 'sending';
}

export interface HeldClosesOptions {
  /** Closes as part of the normal work. */
  close(held: HeldClose): Promise<Answer<unknown>>;
  /** Closes while the page goes away, without waiting for the answer. */
  closeAtPageEnd(held: HeldClose): void;
  /** Of this tab: another tab of the operator must not send what can be undone here. */
  readonly storage: Pick<Storage, 'getItem' | 'setItem'>;
  onRefused(held: HeldClose, failure: string): void;
}

export const UNDO_MS = 5000;
/** The page went and came back, or the visitor was faster. */
const ALREADY_CLOSED = 'state';
const STORAGE_KEY = 'switchboard:held-closes';

/**
 * Holds closings back for some seconds. A held one is written down at once, and removed only when the service has
 * closed the conversation: whatever happens to the page meanwhile, it is sent.
 */
export class HeldCloses {
  readonly #options: HeldClosesOptions;
  readonly #listeners = new Set<() => void>();
  #all: readonly HeldClose[];

  constructor(options: HeldClosesOptions) {
    this.#options = options;
    this.#all = readStored(options.storage);
  }

  readonly getAll = (): readonly HeldClose[] => this.#all;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  hold(close: Omit<HeldClose, 'step'>): void {
    this.#set([...this.#without(close.conversationId), { ...close, step: 'held' }]);
  }

  /** Returns whether it was in time. */
  undo(conversationId: string): boolean {
    const held = this.#all.find((each) => each.conversationId === conversationId);
    if (held?.step !== 'held') return false;
    this.#set(this.#without(conversationId));
    return true;
  }

  /** Sends those whose time is over, and again those that did not reach the service. */
  async sendDue(now: number): Promise<void> {
    await this.#send(this.#all.filter(({ step, until }) => step === 'sending' || until <= now));
  }

  /** After a reload, when the time to undo is over for all of them. */
  async sendAll(): Promise<void> {
    await this.#send(this.#all);
  }

  /** The page goes: it may not come back. */
  sendAtPageEnd(): void {
    const held = this.#all.filter(({ step }) => step === 'held');
    if (held.length === 0) return;
    this.#set(this.#all.map((each) => ({ ...each, step: 'sending' })));
    for (const each of held) this.#options.closeAtPageEnd(each);
  }

  /** When the next one is due. */
  findNextDue(): number | undefined {
    const times = this.#all.flatMap(({ step, until }) => (step === 'held' ? [until] : []));
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** The conversation is closed, here or elsewhere. */
  forget(conversationId: string): void {
    if (this.#all.some((each) => each.conversationId === conversationId)) this.#set(this.#without(conversationId));
  }

  async #send(closes: readonly HeldClose[]): Promise<void> {
    if (closes.length === 0) return;
    const ids = new Set(closes.map(({ conversationId }) => conversationId));
    // The desk keeps the line from here on, and sends it once: another attempt has none.
    const sending = { step: 'sending', closingLine: '' } as const;
    this.#set(this.#all.map((each) => (ids.has(each.conversationId) ? { ...each, ...sending } : each)));
    await Promise.all(
      closes.map(async (each) => {
        const answer = await this.#options.close(each);
        // Not reached: it is sent again when there is a connection, or after the log-in.
        if (!answer.ok && answer.failure.kind !== 'refused') return;
        this.forget(each.conversationId);
        if (answer.ok || answer.failure.kind !== 'refused' || answer.failure.code === ALREADY_CLOSED) return;
        this.#options.onRefused(each, answer.failure.description);
      }),
    );
  }

  #without(conversationId: string): readonly HeldClose[] {
    return this.#all.filter((each) => each.conversationId !== conversationId);
  }

  #set(all: readonly HeldClose[]): void {
    this.#all = all;
    try {
      this.#options.storage.setItem(STORAGE_KEY, JSON.stringify(all));
    } catch {
      // Without storage it is sent by the time, or when the page goes.
    }
    for (const listener of this.#listeners) listener();
  }
}

function readStored(storage: HeldClosesOptions['storage']): readonly HeldClose[] {
  try {
    return JSON.parse(storage.getItem(STORAGE_KEY) ?? '[]') as HeldClose[];
  } catch {
    return [];
  }
}
