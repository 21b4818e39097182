import type { Failure } from '../../shared/api/request.ts';
import type { DeskEvent } from '../state/change.ts';
import type { DeskStore } from '../state/store.ts';
import { countMessagesLeft, readAccount } from './read-desk.ts';

/** Changes often come together: they are read once. */
const DELAY_MS = 500;
const RETRY_MS = 3000;

type Part = 'messagesLeft' | 'account';

/** Reads again what events only name. */
export class Rereads {
  readonly #store: DeskStore;
  readonly #onFailure: (failure: Failure) => void;
  readonly #due = new Set<Part>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  constructor(store: DeskStore, onFailure: (failure: Failure) => void) {
    this.#store = store;
    this.#onFailure = onFailure;
  }

  note({ type }: Pick<DeskEvent, 'type'>): void {
    // The websites of the operator decide which messages are theirs.
    if (type.startsWith('message_left.') || type === 'operator.updated') this.#schedule('messagesLeft', DELAY_MS);
    if (type === 'account.updated') this.#schedule('account', DELAY_MS);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(part: Part, delay: number): void {
    this.#due.add(part);
    if (this.#isStopped) return;
    this.#timer ??= setTimeout(() => this.#run(), delay);
  }

  async #run(): Promise<void> {
    const due = [...this.#due];
    this.#due.clear();
    await Promise.all(due.map((part) => this.#read(part)));
    this.#timer = undefined;
    // Named meanwhile, or not reached.
    for (const part of this.#due) this.#schedule(part, RETRY_MS);
  }

  async #read(part: Part): Promise<void> {
    const answer = await (part === 'account' ? this.#readAccount() : this.#countMessagesLeft());
    if (answer.ok) return;
    this.#due.add(part);
    this.#onFailure(answer.failure);
  }

  async #readAccount() {
    const answer = await readAccount();
    if (answer.ok) this.#store.dispatch({ type: 'accountRead', account: answer.value });
    return answer;
  }

  async #countMessagesLeft() {
    const answer = await countMessagesLeft(this.#store.getState().viewer.role);
    if (answer.ok) this.#store.dispatch({ type: 'messagesLeftCounted', open: answer.value });
    return answer;
  }
}
