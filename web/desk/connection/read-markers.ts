import { runMutation } from '../../shared/api/mutation.ts';
import type { DeskStore } from '../state/store.ts';
import { MARK_READ } from './mutations.ts';

/** Messages that are read one after the other are told together. */
const DELAY_MS = 300;

/** Tells the service what the operator has seen. A marker moves only forward. */
export class ReadMarkers {
  readonly #store: DeskStore;
  readonly #wanted = new Map<string, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(store: DeskStore) {
    this.#store = store;
  }

  mark(conversationId: string, upTo: number): void {
    const { conversations } = this.#store.getState();
    if (upTo <= (conversations.get(conversationId)?.readByOperatorUpTo ?? Number.POSITIVE_INFINITY)) return;
    this.#store.dispatchNow({ type: 'seen', conversationId, upTo });
    this.#wanted.set(conversationId, upTo);
    this.#timer ??= setTimeout(() => this.flush(), DELAY_MS);
  }

  /** Also after a reconnection: what could not be told before. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [id, upTo] of this.#wanted) void this.#tell(id, upTo);
  }

  async #tell(id: string, upTo: number): Promise<void> {
    const answer = await runMutation(MARK_READ, { input: { id, upTo } });
    if (!answer.ok && answer.failure.kind !== 'refused') return; // with the next one, or the next connection
    if (this.#wanted.get(id) === upTo) this.#wanted.delete(id);
  }
}
