import type { ApiClient } from '../api-client.ts';
import { MESSAGE_SEND } from '../documents.ts';
import type { Journal, MessageView, Participant } from '../journal.ts';
import type { Random } from '../random.ts';
import { RESEND_CHANCE, randomText } from './context.ts';
import type { UploadedFile } from './files.ts';

/** Sends messages with unique client ids, so that a resend is safe. */
export class MessageWriter {
  readonly #api: ApiClient;
  readonly #journal: Journal;
  readonly #participant: Participant;
  readonly #random: Random;
  #messageCount = 0;

  constructor(api: ApiClient, journal: Journal, participant: Participant, random: Random) {
    this.#api = api;
    this.#journal = journal;
    this.#participant = participant;
    this.#random = random;
  }

  /** Returns a client id that is unique for this participant. */
  nextClientId(): string {
    this.#messageCount += 1;
    return `${this.#participant} ${this.#messageCount}`;
  }

  async send(conversation: number, file?: UploadedFile): Promise<void> {
    const text = randomText(this.#random);
    const clientId = this.nextClientId();
    const files = file ? { attachmentIds: [file.id] } : {};
    const sendOnce = async () => {
      const result = await this.#api.execute<{ message: MessageView }>({
        operation: 'messageSend',
        query: MESSAGE_SEND,
        variables: { input: { conversationId: String(conversation), clientId, text, ...files } },
        conversation,
      });
      if (result.outcome !== 'done') return;
      // Record the sent text, not that of the response: checks compare it with what other participants see.
      const { sequence, author } = result.data.message;
      this.#journal.add({
        kind: 'message_sent',
        participant: this.#participant,
        conversation,
        message: { sequence, clientId, author, text },
      });
      if (file)
        this.#journal.add({ kind: 'file_sent', participant: this.#participant, conversation, sequence, ...file });
    };
    await (this.#random.chance(RESEND_CHANCE) ? Promise.all([sendOnce(), sendOnce()]) : sendOnce());
  }
}
