import type { Asking } from '../asking.ts';
import { MESSAGE_SEND } from '../documents.ts';
import type { Journal, ShownMessage, Who } from '../journal.ts';
import type { Random } from '../random.ts';
import { SENT_TWICE, someWords } from './world.ts';

/** Writes messages for somebody, each under a name of its own, so that sending it again does no harm. */
export class Writer {
  readonly #asking: Asking;
  readonly #journal: Journal;
  readonly #who: Who;
  readonly #random: Random;
  #written = 0;

  constructor(asking: Asking, journal: Journal, who: Who, random: Random) {
    this.#asking = asking;
    this.#journal = journal;
    this.#who = who;
    this.#random = random;
  }

  /** A name that nothing else of this person has. */
  nextName(): string {
    this.#written += 1;
    return `${this.#who} ${this.#written}`;
  }

  async write(conversation: number): Promise<void> {
    const text = someWords(this.#random);
    const clientId = this.nextName();
    const send = async () => {
      const answer = await this.#asking.ask<{ message: ShownMessage }>({
        operation: 'messageSend',
        query: MESSAGE_SEND,
        variables: { input: { conversationId: String(conversation), clientId, text } },
        conversation,
      });
      if (answer.outcome !== 'done') return;
      // What was sent is compared with what others are shown, not with the answer to it.
      const { sequence, author } = answer.data.message;
      this.#journal.add({ kind: 'sent', who: this.#who, conversation, message: { sequence, clientId, author, text } });
    };
    await (this.#random.chance(SENT_TWICE) ? Promise.all([send(), send()]) : send());
  }
}
