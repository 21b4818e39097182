import type { Database } from '../../storage/database.ts';
import { DomainError } from '../kernel/errors.ts';
import type { NewSignal, Signal, SignalConversation } from './signal.ts';
import { SignalListener } from './signal-listener.ts';

/** Whose signals a listener receives: those of one conversation, of all that an operator has, or of all that wait. */
export type SignalTopic = { readonly conversationId: number } | { readonly operatorId: number | null };

const MAX_SIGNAL_BYTES = 64 * 1024;

/**
 * Sends signals to the listeners on all nodes. A signal is not an event: it has no position, is not logged, and can be
 * lost without harm. What must survive is stored before its signal is sent.
 */
export class Signals {
  readonly #database: Pick<Database, 'broadcast' | 'onBroadcast'>;
  readonly #listeners = new Map<string, Set<SignalListener>>();
  /** A node without listeners does not read what other nodes send. */
  #stopReceiving: (() => void) | undefined;

  constructor(database: Pick<Database, 'broadcast' | 'onBroadcast'>) {
    this.#database = database;
  }

  /** Returns at once; other nodes get the signal a moment later. */
  publish({ accountId, id, operatorId }: SignalConversation, { kind, author, upTo = null }: NewSignal): void {
    const signal: Signal = { kind, conversationId: id, author, operatorId, upTo, at: Date.now() };
    const text = JSON.stringify({ accountId, signal });
    if (Buffer.byteLength(text) > MAX_SIGNAL_BYTES)
      throw new DomainError('invalid', `A signal has at most ${MAX_SIGNAL_BYTES} bytes.`);
    this.#deliver(accountId, signal);
    this.#database.broadcast(text);
  }

  /** The listener receives signals from now on, until it is closed. */
  listen(accountId: number, topic: SignalTopic): SignalListener {
    const key = toKey(accountId, topic);
    const listeners = this.#listeners.get(key) ?? new Set();
    const listener = new SignalListener(() => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(key) === listeners) this.#listeners.delete(key);
      if (this.#listeners.size > 0) return;
      this.#stopReceiving?.();
      this.#stopReceiving = undefined;
    });
    this.#listeners.set(key, listeners.add(listener));
    this.#stopReceiving ??= this.#database.onBroadcast((text) => {
      const { accountId: sender, signal } = JSON.parse(text) as { accountId: number; signal: Signal };
      this.#deliver(sender, signal);
    });
    return listener;
  }

  #deliver(accountId: number, signal: Signal): void {
    const { conversationId, operatorId } = signal;
    this.#deliverTo(toKey(accountId, { conversationId }), signal);
    this.#deliverTo(toKey(accountId, { operatorId }), signal);
  }

  #deliverTo(key: string, signal: Signal): void {
    for (const listener of this.#listeners.get(key) ?? []) listener.push(signal);
  }
}

function toKey(accountId: number, topic: SignalTopic): string {
  return 'conversationId' in topic
    ? `${accountId} conversation ${topic.conversationId}`
    : `${accountId} operator ${topic.operatorId}`;
}
