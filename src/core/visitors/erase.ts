import type { Transaction } from '../../storage/database.ts';
import { closeConversation } from '../engine/conversations/conversation-service.ts';
import { eraseAttachments } from '../engine/records/attachment-store.ts';
import { findOpenConversations } from '../engine/records/conversation-store.ts';
import { deleteMessagesLeftOf } from '../engine/records/message-left-store.ts';
import { eraseMessageTexts } from '../engine/records/message-store.ts';
import { deleteNotesOf } from '../engine/records/note-store.ts';
import { eraseComments } from '../engine/records/satisfaction-store.ts';
import { deleteContext } from '../engine/records/visitor-context-store.ts';
import { forgetPresence } from '../engine/records/visitor-presence-store.ts';
import { eraseVisitor, requireVisitor } from '../engine/records/visitor-store.ts';
import { type Caller, type Commit, requireAdmin } from '../kernel/caller.ts';
import { toVisitor, type Visitor } from './visitor-query.ts';
import type { VisitorSessions } from './visitor-sessions.ts';

/**
 * Erases a visitor's data on request: the profile, the context, comments, files, messages left, notes about them, and
 * the messages of both sides. The conversations, their times and the ratings stay for statistics.
 */
export class VisitorErasure {
  readonly #sessions: VisitorSessions;

  constructor(sessions: VisitorSessions) {
    this.#sessions = sessions;
  }

  async erase(commit: Commit<Visitor>, caller: Caller, id: number): Promise<Visitor> {
    requireAdmin(caller);
    const { accountId } = caller;
    const erased = await commit(async (tx) => {
      const visitor = await requireVisitor(tx, accountId, id);
      if (visitor.erasedAt !== null) return toVisitor(visitor);
      await this.#sessions.revokeAll(tx, caller, id);
      await closeOpenConversations(tx, caller, id);
      await forgetPresence(tx, { accountId, visitorId: id });
      await eraseComments(tx, caller, id);
      await eraseAttachments(tx, caller, id);
      await eraseMessageTexts(tx, caller, id);
      await deleteNotesOf(tx, caller, id);
      await deleteContext(tx, caller, id);
      await deleteMessagesLeftOf(tx, caller, id);
      return toVisitor(await eraseVisitor(tx, caller, visitor));
    });
    this.#sessions.evict({ accountId, id });
    return erased;
  }
}

async function closeOpenConversations(tx: Transaction, caller: Caller, visitorId: number): Promise<void> {
  const openConversations = await findOpenConversations(tx, { accountId: caller.accountId, visitorId });
  // Queued conversations first: a released slot must not be assigned to one of them.
  const queuedFirst = openConversations.toSorted((a, b) => Number(a.state !== 'queued') - Number(b.state !== 'queued'));
  for (const conversation of queuedFirst) await closeConversation(tx, caller, conversation);
}
