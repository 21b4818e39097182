import type { Database, Transaction } from '../../../storage/database.ts';
import { announce } from '../../events/announce.ts';
import { type ActorContext, type Caller, type Commit, forbidden, type VisitorCaller } from '../../kernel/caller.ts';
import { invalidField } from '../../kernel/errors.ts';
import { releaseSlot } from '../../live/live-store.ts';
import { type ClosedBy, type Conversation, eventSnapshot, wrongState } from '../records/conversation.ts';
import { change, requireConversation } from '../records/conversation-store.ts';
import { replaceTags } from '../records/conversation-tags.ts';
import type { Message } from '../records/message-store.ts';
import { removePauses } from '../records/pauses.ts';
import { countRefusal } from '../records/refusals.ts';
import { acceptOffer, declineOffer, offerIsGone } from '../routing/offers.ts';
import { drainFor } from '../routing/queue.ts';
import { groupsIn, involvement, requireInvolved, requireVisitorsOwn } from './conversation-access.ts';
import { conversationIsClosed, messagesAfter, type NewMessage, sendAsOperator, sendAsVisitor } from './messages.ts';
import { type ConversationStart, Refusal, startConversation } from './start.ts';
import { escalate, type Target, take, transfer } from './transfer.ts';

/** What operators, managers and visitors may do with conversations. Each step is one transaction, all or nothing. */
export class ConversationService {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async start(commit: Commit<Conversation>, visitor: VisitorCaller, input: ConversationStart): Promise<Conversation> {
    try {
      return await commit((tx) => startConversation(tx, visitor, input));
    } catch (error) {
      if (error instanceof Refusal) {
        const refusal = { websiteId: visitor.websiteId, reason: error.reason };
        await this.#database.transaction((tx) => countRefusal(tx, visitor, refusal), visitor.accountId);
      }
      throw error;
    }
  }

  /** A second yes to the same offer is harmless. */
  accept(commit: Commit<Conversation>, caller: Caller, id: number): Promise<Conversation> {
    return commit(async (tx) => {
      const conversation = await requireConversation(tx, caller.accountId, id);
      requireOffered(caller, conversation);
      return conversation.state === 'active' ? conversation : acceptOffer(tx, caller, conversation);
    });
  }

  decline(commit: Commit<Conversation>, caller: Caller, id: number): Promise<Conversation> {
    return commit(async (tx) => {
      const conversation = await requireConversation(tx, caller.accountId, id);
      requireOffered(caller, conversation);
      return declineOffer(tx, caller, conversation);
    });
  }

  send(commit: Commit<Message>, caller: Caller, input: NewMessage): Promise<Message> {
    return commit((tx) => sendAsOperator(tx, caller, input));
  }

  sendAsVisitor(commit: Commit<Message>, visitor: VisitorCaller, input: NewMessage): Promise<Message> {
    return commit((tx) => sendAsVisitor(tx, visitor, input));
  }

  transfer(
    commit: Commit<Conversation>,
    caller: Caller,
    { id, force = false, ...target }: { id: number; force?: boolean } & Target,
  ): Promise<Conversation> {
    return commit((tx) => transfer(tx, caller, id, target, force));
  }

  take(
    commit: Commit<Conversation>,
    caller: Caller,
    { id, operatorId, force = false }: { id: number; operatorId: number; force?: boolean },
  ): Promise<Conversation> {
    return commit((tx) => take(tx, caller, id, operatorId, force));
  }

  /** Answers with the new video; the chat goes on. */
  escalate(commit: Commit<Conversation>, caller: Caller, id: number): Promise<Conversation> {
    return commit((tx) => escalate(tx, caller, id));
  }

  close(commit: Commit<Conversation>, caller: Caller, id: number): Promise<Conversation> {
    return commit(async (tx) => {
      const conversation = await requireConversation(tx, caller.accountId, id);
      const involved = await requireInvolved(tx, caller, conversation);
      if (involved === 'own' && conversation.state === 'offered')
        throw wrongState('Accept or decline the offer first.');
      return closeConversation(tx, caller, conversation);
    });
  }

  closeAsVisitor(commit: Commit<Conversation>, visitor: VisitorCaller, id: number): Promise<Conversation> {
    return commit(async (tx) => {
      const conversation = await requireConversation(tx, visitor.accountId, id);
      requireVisitorsOwn(visitor, conversation);
      return closeConversation(tx, visitor, conversation);
    });
  }

  /** The tags of a conversation, all of them at once. */
  tag(commit: Commit<Conversation>, caller: Caller, id: number, tagIds: readonly number[]): Promise<Conversation> {
    return commit(async (tx) => {
      const { accountId } = caller;
      const conversation = await requireConversation(tx, accountId, id);
      await requireInvolved(tx, caller, conversation);
      const wanted = [...new Set(tagIds)];
      const known =
        wanted.length === 0
          ? []
          : await tx.db
              .selectFrom('tags')
              .select('id')
              .where('accountId', '=', accountId)
              .where('id', 'in', wanted)
              .execute();
      if (known.length !== wanted.length) throw invalidField('tagIds', 'must be existing tags');
      replaceTags(tx, caller, { conversationId: id, tagIds: wanted });
      announce(tx, caller, 'conversation.updated', id, {
        fields: ['tags'],
        values: { ...eventSnapshot(conversation), tagIds: wanted },
      });
      return conversation;
    });
  }

  /** Whether somebody may read this conversation: whoever has it, and their managers. */
  async maySee(caller: Caller, conversation: Conversation): Promise<boolean> {
    const groupOf = groupsIn({ db: this.#database.read }, caller);
    return (await involvement(caller, conversation, groupOf)) !== 'none';
  }

  messagesAfter(conversation: Conversation, window: { after: number; limit: number }): Promise<Message[]> {
    return messagesAfter(this.#database, conversation, window);
  }
}

/** An offer that went to somebody else is as gone as one that timed out. */
function requireOffered(caller: Caller, conversation: Conversation): void {
  if (caller.operatorId === null) throw forbidden();
  if (conversation.operatorId !== caller.operatorId) throw offerIsGone();
}

/** Ends a conversation, frees its slot, and gives the slot to whoever waits. */
export async function closeConversation(
  tx: Transaction,
  context: ActorContext,
  conversation: Conversation,
): Promise<Conversation> {
  const { id, operatorId, channel, state } = conversation;
  if (state === 'closed') throw conversationIsClosed();
  const closedBy: ClosedBy = context.actor.type === 'command_line' ? 'system' : context.actor.type;
  const [closed, freed] = await Promise.all([
    change(tx, context, conversation, {
      state: 'closed',
      closedAt: tx.now,
      closedBy,
      closedById: context.actor.id,
      offerUntil: null,
      // An offer that nobody took up was nobody's conversation.
      operatorId: state === 'offered' ? null : operatorId,
    }),
    operatorId === null ? undefined : releaseSlot(tx, context, { operatorId, channel }),
  ]);
  if (!closed) throw wrongState('The conversation has changed meanwhile.');
  removePauses(tx, context, id);
  announce(tx, context, 'conversation.closed', id, {
    fields: ['state', 'closedBy'],
    values: { ...eventSnapshot(closed), closedBy, previousOperatorId: operatorId },
  });
  if (operatorId !== null) await drainFor(tx, context, operatorId, 'slot_freed', freed);
  return closed;
}
