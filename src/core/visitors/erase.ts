import type { Transaction } from '../../storage/database.ts';
import { closeConversation } from '../engine/conversations/conversation-service.ts';
import { findOpenConversations } from '../engine/records/conversation-store.ts';
import { eraseWords } from '../engine/records/message-store.ts';
import { eraseComments } from '../engine/records/satisfaction-store.ts';
import { eraseVisitor, requireVisitor } from '../engine/records/visitor-store.ts';
import { type Caller, type Commit, requireAdmin } from '../kernel/caller.ts';
import { type Visitor, visitorFromRow } from './visitor-query.ts';
import type { VisitorSessions } from './visitor-sessions.ts';

/**
 * Removes a person's data on request. What they told of themselves, and what was said by both sides, is gone; that they
 * were here, when, and how satisfied, stays as a number.
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
      if (visitor.erasedAt !== null) return visitorFromRow(visitor);
      await this.#sessions.endAllOf(tx, caller, id);
      await endConversations(tx, caller, id);
      await eraseComments(tx, caller, id);
      await eraseWords(tx, caller, id);
      return visitorFromRow(await eraseVisitor(tx, caller, visitor));
    });
    this.#sessions.forget({ accountId, id });
    return erased;
  }
}

/** Nobody goes on talking with somebody who is not known any more. */
async function endConversations(tx: Transaction, caller: Caller, visitorId: number): Promise<void> {
  const open = await findOpenConversations(tx, { accountId: caller.accountId, visitorId });
  // Those who wait come first: the slot of another must not be given to one of them.
  const waitingFirst = open.toSorted((one, other) => Number(one.state !== 'queued') - Number(other.state !== 'queued'));
  for (const conversation of waitingFirst) await closeConversation(tx, caller, conversation);
}
