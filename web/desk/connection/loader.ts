import type { Failure } from '../../shared/api/request.ts';
import { hasGap } from '../state/conversation.ts';
import type { DeskConversation } from '../state/model.ts';
import type { DeskStore } from '../state/store.ts';
import { MAX_CONVERSATIONS, NEWEST_MESSAGES, readConversations, readMessages } from './read-desk.ts';

/**
 * The event with the message comes after one that counts it, so a gap has to be there twice. Soon enough for a person,
 * and late enough for events that a busy computer shows with a delay: else the desk would read what is on its way.
 */
const CHECK_MS = 1000;
const RETRY_MS = 3000;

/** Reads conversations that events have named, and the messages that are missing. */
export class Loader {
  readonly #store: DeskStore;
  readonly #onFailure: (failure: Failure) => void;
  readonly #requested = new Set<string>();
  /** By conversation with a gap: its last message when the gap was seen. */
  readonly #seen = new Map<string, number>();
  /** Gaps that stay, with the count at which they were read in vain. */
  readonly #unfillable = new Map<string, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isRunning = false;
  #isStopped = false;

  constructor(store: DeskStore, onFailure: (failure: Failure) => void) {
    this.#store = store;
    this.#onFailure = onFailure;
  }

  request(ids: Iterable<string>): void {
    for (const id of ids) this.#requested.add(id);
    if (this.#requested.size > 0) void this.#run();
  }

  /** Of conversations that were listed with their last message only. */
  requestMissing(): void {
    const isMissing = ({ messages, messageCount, notes, state }: DeskConversation) =>
      messages.length < Math.min(messageCount, NEWEST_MESSAGES) || (state === 'CLOSED' && notes.length === 1);
    this.request([...this.#store.getState().conversations.values()].filter(isMissing).map(({ id }) => id));
    this.check();
  }

  /** Soon. May be called at every event. */
  check(): void {
    this.#schedule(CHECK_MS);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(ms: number): void {
    if (this.#isStopped) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#run();
    }, ms);
  }

  async #run(): Promise<void> {
    if (this.#isRunning || this.#isStopped) return;
    this.#isRunning = true;
    const failure = (await this.#readRequested()) ?? (await this.#fillGaps());
    this.#isRunning = false;
    if (failure === undefined && this.#requested.size > 0) return this.#run(); // requested meanwhile
    if (failure === undefined) return;
    this.#onFailure(failure);
    this.#schedule(RETRY_MS);
  }

  async #readRequested(): Promise<Failure | undefined> {
    while (this.#requested.size > 0) {
      const ids = [...this.#requested].slice(0, MAX_CONVERSATIONS);
      for (const id of ids) this.#requested.delete(id);
      const answer = await readConversations(ids);
      if (!answer.ok) {
        for (const id of ids) this.#requested.add(id);
        return answer.failure;
      }
      this.#store.dispatch({ type: 'conversationsRead', isOpened: false, ...answer.value });
    }
    return undefined;
  }

  async #fillGaps(): Promise<Failure | undefined> {
    const gaps = [...this.#store.getState().conversations.values()].filter(
      (each) => hasGap(each) && this.#unfillable.get(each.id) !== each.messageCount,
    );
    const isStill = (each: DeskConversation) => this.#seen.get(each.id) === findLast(each);
    const lasting = gaps.filter(isStill);
    this.#seen.clear();
    for (const each of gaps) this.#seen.set(each.id, findLast(each));
    for (const { id } of lasting) {
      const failure = await this.#fillGap(id);
      if (failure) return failure;
    }
    if (this.#seen.size > 0) this.check();
    return undefined;
  }

  async #fillGap(id: string): Promise<Failure | undefined> {
    this.#seen.delete(id);
    for (;;) {
      const before = this.#store.getState().conversations.get(id);
      if (before === undefined || !hasGap(before)) return undefined;
      const answer = await readMessages(id, findLast(before));
      if (!answer.ok && answer.failure.kind !== 'refused') return answer.failure;
      const messages = answer.ok ? answer.value : [];
      this.#store.dispatch({ type: 'messagesRead', conversationId: id, messages });
      const after = this.#store.getState().conversations.get(id);
      if (after === undefined || findLast(after) > findLast(before)) continue;
      this.#unfillable.set(id, before.messageCount); // the viewer cannot see it any more
      return undefined;
    }
  }
}

function findLast({ messages }: DeskConversation): number {
  return messages.at(-1)?.sequence ?? 0;
}
