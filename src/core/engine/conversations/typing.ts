import type { Database } from '../../../storage/database.ts';
import {
  type ActorContext,
  type Caller,
  identifyCaller,
  requireOperatorId,
  type VisitorCaller,
} from '../../kernel/caller.ts';
import { RepeatLimit } from '../../signals/repeat-limit.ts';
import type { Signals } from '../../signals/signals.ts';
import { type Conversation, wrongState } from '../records/conversation.ts';
import { requireConversation } from '../records/conversation-store.ts';
import type { Side } from '../records/read-marker-store.ts';
import { requireOwnConversation, requireVisitorConversation } from './conversation-access.ts';
import { conversationClosedError } from './messages.ts';

const TYPING_INTERVAL_MS = 1000;

/** Tells the other side that someone is typing. Nothing is stored. */
export class TypingService {
  readonly #database: Database;
  readonly #signals: Signals;
  readonly #limit = new RepeatLimit(TYPING_INTERVAL_MS);

  constructor(database: Database, signals: Signals) {
    this.#database = database;
    this.#signals = signals;
  }

  async typeAsOperator(caller: Caller, id: number): Promise<Conversation> {
    requireOperatorId(caller);
    const conversation = await requireConversation(this.#database, caller.accountId, id);
    requireOwnConversation(caller, conversation);
    if (conversation.state === 'offered') throw wrongState('Accept the offer before you write.');
    return this.#publish(caller, conversation, 'operator');
  }

  async typeAsVisitor(visitor: VisitorCaller, id: number): Promise<Conversation> {
    const conversation = await requireConversation(this.#database, visitor.accountId, id);
    requireVisitorConversation(visitor, conversation);
    return this.#publish(visitor, conversation, 'visitor');
  }

  /** Sends one signal per second and person; further calls within it have no effect. */
  #publish(person: ActorContext, conversation: Conversation, author: Side): Conversation {
    if (conversation.state === 'closed') throw conversationClosedError();
    if (this.#limit.admit(identifyCaller(person))) this.#signals.publish(conversation, { kind: 'typing', author });
    return conversation;
  }
}
