import type { Database, Transaction } from '../../storage/database.ts';
import { selectConversations } from '../engine/conversations/conversation-filter.ts';
import type { VisitorUpdate } from '../engine/records/visitor-profile.ts';
import { requireVisitor, updateVisitor } from '../engine/records/visitor-store.ts';
import { type Caller, type Commit, forbidden, requireWrite } from '../kernel/caller.ts';
import { requireUnsigned } from './signed-details.ts';
import { toVisitor, type Visitor } from './visitor-query.ts';

/** Lets operators read and edit the details of the visitors whom they talk to. */
export class VisitorDetails {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  canRead(caller: Caller, visitorId: number): Promise<boolean> {
    return hasConversation({ db: this.#database.read }, caller, visitorId);
  }

  canEdit(caller: Caller, visitorId: number): Promise<boolean> {
    return canEdit({ db: this.#database.read }, caller, visitorId);
  }

  /** Announces the names of the changed fields only: the values are personal. */
  update(commit: Commit<Visitor>, caller: Caller, visitorId: number, input: VisitorUpdate): Promise<Visitor> {
    return commit(async (tx) => {
      requireWrite(caller);
      if (!(await canEdit(tx, caller, visitorId))) throw forbidden();
      const before = await requireVisitor(tx, caller.accountId, visitorId);
      await requireUnsigned(tx, caller, before, input);
      return toVisitor(await updateVisitor(tx, caller, before, input));
    });
  }
}

async function canEdit(tx: Pick<Transaction, 'db'>, caller: Caller, visitorId: number): Promise<boolean> {
  return caller.accessLevel !== 'expert' && hasConversation(tx, caller, visitorId);
}

/**
 * Whether the caller has, or had, a conversation with the visitor: managers also in their groups, experts only while it
 * is running. Admins need none.
 */
async function hasConversation(
  { db }: Pick<Transaction, 'db'>,
  { accountId, accessLevel, operatorId, managedGroups }: Caller,
  visitorId: number,
): Promise<boolean> {
  if (accessLevel === 'admin' || managedGroups === 'account') return true;
  const found = await selectConversations(db, accountId, {
    visitorId: { kind: 'ids', ids: [visitorId] },
    states: accessLevel === 'expert' ? ['offered', 'active'] : undefined,
    scope: { operatorId, groups: [...managedGroups] },
  })
    .select('conversations.id')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
