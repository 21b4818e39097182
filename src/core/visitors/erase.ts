import type { Transaction } from '../../storage/database.ts';
import { closeConversation } from '../engine/conversations/conversation-service.ts';
import { type Conversation, placed } from '../engine/records/conversation.ts';
import { NOTICES } from '../engine/records/message-store.ts';
import { PROFILE_FIELDS } from '../engine/records/visitor-profile.ts';
import { requireVisitor, type VisitorRow } from '../engine/records/visitor-store.ts';
import { announce } from '../events/announce.ts';
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
      await tx.db.deleteFrom('visitorTokens').where('accountId', '=', accountId).where('visitorId', '=', id).execute();
      await endConversations(tx, caller, visitor);
      await removeWords(tx, caller, visitor);
      const row = { ...visitor, ...NOTHING, erasedAt: tx.now };
      await tx.db
        .updateTable('visitors')
        .set({ ...NOTHING, erasedAt: tx.now })
        .where('accountId', '=', accountId)
        .where('id', '=', id)
        .execute();
      announce(tx, caller, 'visitor.updated', id, { fields: [...Object.keys(NOTHING), 'erasedAt'], values: {} });
      return visitorFromRow(row);
    });
    this.#sessions.forget({ accountId, id });
    return erased;
  }
}

const NOTHING = {
  ...(Object.fromEntries(PROFILE_FIELDS.map((name) => [name, ''])) as Record<(typeof PROFILE_FIELDS)[number], ''>),
  browser: '',
  externalId: null,
  externalIdFolded: null,
  lastOperatorId: null,
};

function conversationsOf(tx: Transaction, { accountId, id }: VisitorRow) {
  return tx.db.selectFrom('conversations').where('accountId', '=', accountId).where('visitorId', '=', id);
}

/** Nobody goes on talking with somebody who is not known any more. */
async function endConversations(tx: Transaction, caller: Caller, visitor: VisitorRow): Promise<void> {
  const open = await conversationsOf(tx, visitor).selectAll().where('state', '<>', 'closed').orderBy('id').execute();
  const by = caller.actor.type === 'operator' ? 'operator' : caller.actor.type === 'api_key' ? 'api_key' : 'system';
  // Those who wait come first: the slot of another must not be given to one of them.
  const waitingFirst = open.toSorted((one, other) => Number(one.state !== 'queued') - Number(other.state !== 'queued'));
  for (const conversation of waitingFirst) await closeConversation(tx, caller, conversation, by);
}

/** Every text becomes empty, in its place; a notice at the end says why. */
async function removeWords(tx: Transaction, caller: Caller, visitor: VisitorRow): Promise<void> {
  const { accountId } = visitor;
  const theirs = conversationsOf(tx, visitor).select('id');
  await tx.db
    .updateTable('messages')
    .set({ text: '', clientId: null })
    .where('accountId', '=', accountId)
    .where('conversationId', 'in', theirs)
    .execute();
  await tx.db
    .updateTable('satisfactions')
    .set({ comment: '' })
    .where('accountId', '=', accountId)
    .where('conversationId', 'in', theirs)
    .execute();
  await tx.db
    .updateTable('conversations')
    .set({ clientId: null })
    .where('accountId', '=', accountId)
    .where('visitorId', '=', visitor.id)
    .execute();
  const spoken = await tx.db
    .updateTable('conversations')
    .set((eb) => ({ messageCount: eb('messageCount', '+', 1) }))
    .where('accountId', '=', accountId)
    .where('visitorId', '=', visitor.id)
    .where('messageCount', '>', 0)
    .returningAll()
    .execute();
  for (const conversation of spoken) await addErasedNotice(tx, caller, conversation);
}

async function addErasedNotice(tx: Transaction, caller: Caller, conversation: Conversation): Promise<void> {
  const { accountId, id, messageCount: sequence } = conversation;
  const author = { clientId: null, authorType: 'notice', authorId: null } as const;
  await tx.db
    .insertInto('messages')
    .values({ accountId, conversationId: id, sequence, ...author, text: NOTICES.erased, at: tx.now })
    .execute();
  announce(
    tx,
    caller,
    'message.created',
    id,
    { fields: ['messages'], values: { ...placed(conversation), sequence, authorType: 'notice' } },
    'conversation',
  );
}
