import type { Database, Transaction } from '../../../storage/database.ts';
import { readsFirst } from '../../../storage/reads-first.ts';
import { announce } from '../../events/announce.ts';
import {
  type ActorContext,
  type Caller,
  type Commit,
  requireOperatorId,
  type VisitorCaller,
} from '../../kernel/caller.ts';
import { invalidField } from '../../kernel/errors.ts';
import { releaseSlot } from '../../live/live-store.ts';
import {
  type ClosedBy,
  type CloseReason,
  type Conversation,
  toEventSnapshot,
  wrongState,
} from '../records/conversation.ts';
import { changeConversation, countQueuedConversations, requireConversation } from '../records/conversation-store.ts';
import { replaceTags } from '../records/conversation-tags.ts';
import { addNotice, loadJoinedNotice, type Message } from '../records/message-store.ts';
import type { Note } from '../records/note-store.ts';
import { deletePauses } from '../records/pauses.ts';
import { countRefusal } from '../records/refusals.ts';
import { acceptOffer, declineOffer, offerGoneError } from '../routing/offers.ts';
import { routeQueueForOperator } from '../routing/queue.ts';
import { filterServable } from '../routing/servable.ts';
import { requireInvolvement, requireVisitorConversation } from './conversation-access.ts';
import {
  conversationClosedError,
  loadMessagesAfter,
  type NewMessage,
  sendAsOperator,
  sendAsVisitor,
} from './messages.ts';
import { addNote, type NewNote } from './notes.ts';
import { filterServedVisitors } from './served-visitors.ts';
import { type ConversationStart, Refusal, startConversation } from './start.ts';
import { canTakeAsOperator, escalate, type TakeRequest, type TransferTarget, take, transfer } from './transfer.ts';

/** The operations of operators, managers and visitors on conversations. Each is one transaction. */
export class ConversationService {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async start(commit: Commit<Conversation>, visitor: VisitorCaller, input: ConversationStart): Promise<Conversation> {
    try {
      return await commit(readsFirst((tx) => startConversation(tx, visitor, input)));
    } catch (error) {
      if (error instanceof Refusal) {
        const refusal = { websiteId: visitor.websiteId, reason: error.reason };
        await this.#database.transaction((tx) => countRefusal(tx, visitor, refusal), visitor.accountId);
      }
      throw error;
    }
  }

  /** Accepting the same offer twice is harmless. */
  accept(commit: Commit<Conversation>, caller: Caller, id: number): Promise<Conversation> {
    return commit(
      readsFirst(async (tx) => {
        const operatorId = requireOperatorId(caller);
        const [conversation, notice] = await Promise.all([
          requireConversation(tx, caller.accountId, id),
          loadJoinedNotice(tx, { accountId: caller.accountId, id }, operatorId),
        ]);
        if (conversation.operatorId !== operatorId) throw offerGoneError();
        return conversation.state === 'active' ? conversation : acceptOffer(tx, caller, conversation, notice);
      }),
    );
  }

  decline(commit: Commit<Conversation>, caller: Caller, id: number): Promise<Conversation> {
    return commit(readsFirst(async (tx) => declineOffer(tx, caller, await requireOwnOffer(tx, caller, id))));
  }

  send(commit: Commit<Message>, caller: Caller, input: NewMessage): Promise<Message> {
    return commit(readsFirst((tx) => sendAsOperator(tx, caller, input)));
  }

  sendAsVisitor(commit: Commit<Message>, visitor: VisitorCaller, input: NewMessage): Promise<Message> {
    return commit((tx) => sendAsVisitor(tx, visitor, input));
  }

  addNote(commit: Commit<Note>, caller: Caller, input: NewNote): Promise<Note> {
    return commit((tx) => addNote(tx, caller, input));
  }

  transfer(
    commit: Commit<Conversation>,
    caller: Caller,
    { id, force = false, note, ...target }: { id: number; force?: boolean; note?: string | undefined } & TransferTarget,
  ): Promise<Conversation> {
    return commit((tx) => transfer(tx, caller, id, target, { force, note }));
  }

  take(
    commit: Commit<Conversation>,
    caller: Caller,
    { id, operatorId, force = false }: { id: number; operatorId: number; force?: boolean },
  ): Promise<Conversation> {
    return commit((tx) => take(tx, caller, id, operatorId, force));
  }

  /** Returns the new video conversation; the chat continues. */
  escalate(commit: Commit<Conversation>, caller: Caller, id: number): Promise<Conversation> {
    return commit((tx) => escalate(tx, caller, id));
  }

  /** The closing line is stored together with the close, or not at all. */
  close(
    commit: Commit<Conversation>,
    caller: Caller,
    { id, text }: { id: number; text?: string | undefined },
  ): Promise<Conversation> {
    return commit(
      readsFirst(async (tx) => {
        const [conversation, queue] = await loadWithQueue(tx, caller.accountId, id);
        const involvement = await requireInvolvement(tx, caller, conversation);
        if (involvement === 'own' && conversation.state === 'offered')
          throw wrongState('Accept or decline the offer first.');
        if (text === undefined) return closeConversation(tx, caller, conversation, queue);
        const { sequence: messageCount, at } = await sendAsOperator(tx, caller, { conversationId: id, text });
        const answered = { messageCount, firstAnswerAt: conversation.firstAnswerAt ?? at };
        return closeConversation(tx, caller, { ...conversation, ...answered }, queue);
      }),
    );
  }

  closeAsVisitor(commit: Commit<Conversation>, visitor: VisitorCaller, id: number): Promise<Conversation> {
    return commit(
      readsFirst(async (tx) => {
        const [conversation, queue] = await loadWithQueue(tx, visitor.accountId, id);
        requireVisitorConversation(visitor, conversation);
        return closeConversation(tx, visitor, conversation, queue);
      }),
    );
  }

  /** Replaces all tags of a conversation. */
  tag(commit: Commit<Conversation>, caller: Caller, id: number, tagIds: readonly number[]): Promise<Conversation> {
    return commit(async (tx) => {
      const { accountId } = caller;
      const conversation = await requireConversation(tx, accountId, id);
      await requireInvolvement(tx, caller, conversation);
      const uniqueTagIds = [...new Set(tagIds)];
      const existing =
        uniqueTagIds.length === 0
          ? []
          : await tx.db
              .selectFrom('tags')
              .select('id')
              .where('accountId', '=', accountId)
              .where('id', 'in', uniqueTagIds)
              .execute();
      if (existing.length !== uniqueTagIds.length) throw invalidField('tagIds', 'must be existing tags');
      replaceTags(tx, caller, { conversationId: id, tagIds: uniqueTagIds });
      announce(tx, caller, 'conversation.updated', id, {
        fields: ['tags'],
        values: { ...toEventSnapshot(conversation), tagIds: uniqueTagIds },
      });
      return conversation;
    });
  }

  /** Returns those of the conversations that the caller could serve; none for an API key. */
  async filterServable({ accountId, operatorId }: Caller, ids: readonly number[]): Promise<ReadonlySet<number>> {
    return operatorId === null ? new Set() : filterServable(this.#database, accountId, operatorId, ids);
  }

  /** Returns those of the visitors whom the caller serves now; none for an API key. */
  async filterServedVisitors({ accountId, operatorId }: Caller, ids: readonly number[]): Promise<ReadonlySet<number>> {
    return operatorId === null ? new Set() : filterServedVisitors(this.#database, accountId, operatorId, ids);
  }

  /** Whether the caller may take the conversation for themselves, as the account allows operators. */
  canTake(caller: Caller, request: TakeRequest): Promise<boolean> {
    const { read: db } = this.#database;
    return canTakeAsOperator({ db, run: (statement, args) => this.#database.run(statement, args) }, caller, request);
  }

  loadMessagesAfter(conversation: Conversation, window: { after: number; limit: number }): Promise<Message[]> {
    return loadMessagesAfter(this.#database, conversation, window);
  }
}

/** Throws unless the conversation is assigned to the caller. An offer to another operator looks like an expired one. */
async function requireOwnOffer(tx: Transaction, caller: Caller, id: number): Promise<Conversation> {
  const operatorId = requireOperatorId(caller);
  const conversation = await requireConversation(tx, caller.accountId, id);
  if (conversation.operatorId !== operatorId) throw offerGoneError();
  return conversation;
}

/** Reads a conversation and whether others wait for a slot: usually none does, and the close waits for nothing more. */
async function loadWithQueue(tx: Transaction, accountId: number, id: number) {
  const [conversation, queued] = await Promise.all([
    requireConversation(tx, accountId, id),
    countQueuedConversations(tx, accountId, 1),
  ]);
  return [conversation, { isQueueEmpty: queued === 0 }] as const;
}

/**
 * Closes a conversation, releases its slot, and assigns queued conversations to that operator. The service gives a
 * reason; without one it was closed on purpose.
 */
export async function closeConversation(
  tx: Transaction,
  context: ActorContext,
  conversation: Conversation,
  { closeReason = null, isQueueEmpty = false }: { closeReason?: CloseReason | null; isQueueEmpty?: boolean } = {},
): Promise<Conversation> {
  const { id, operatorId, channel, state } = conversation;
  if (state === 'closed') throw conversationClosedError();
  // Both sides are told before the close: nothing can be added to a closed conversation.
  const toldConversation = closeReason
    ? await addNotice(tx, context, conversation, { code: closeReason, parameters: {} })
    : conversation;
  const { closedBy, closedById } = findWhoCloses(context, conversation, closeReason);
  const closed = changeConversation(tx, context, toldConversation, {
    state: 'closed',
    closedAt: tx.now,
    closedBy,
    closedById,
    closeReason,
    offerUntil: null,
    // A conversation that was only offered had no operator.
    operatorId: state === 'offered' ? null : operatorId,
  });
  if (operatorId !== null) releaseSlot(tx, context, { operatorId, channel });
  deletePauses(tx, context, id);
  announce(tx, context, 'conversation.closed', id, {
    fields: ['state', 'closedBy', 'closeReason'],
    values: { ...toEventSnapshot(closed), closedBy, closeReason, previousOperatorId: operatorId },
  });
  if (operatorId !== null && !isQueueEmpty) await routeQueueForOperator(tx, context, operatorId, 'slot_freed');
  return closed;
}

/** A visitor who left has closed the conversation, although the service notices it. */
function findWhoCloses(
  { actor }: ActorContext,
  { visitorId }: Conversation,
  reason: CloseReason | null,
): { closedBy: ClosedBy; closedById: number | null } {
  if (reason === 'visitor_left') return { closedBy: 'visitor', closedById: visitorId };
  return { closedBy: actor.type === 'command_line' ? 'system' : actor.type, closedById: actor.id };
}
