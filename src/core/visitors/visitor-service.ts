import type { Database } from '../../storage/database.ts';
import type { VisitorUpdate } from '../engine/records/visitor-profile.ts';
import { requireVisitor, updateVisitor } from '../engine/records/visitor-store.ts';
import type { Commit, VisitorCaller } from '../kernel/caller.ts';
import { requireUnsigned } from './signed-details.ts';
import { toVisitor, type Visitor } from './visitor-query.ts';

/** Lets visitors read and change their own profile. */
export class VisitorService {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Undefined if the visitor does not exist. */
  async find({ accountId, visitorId }: VisitorCaller): Promise<Visitor | undefined> {
    const row = await this.#database.read
      .selectFrom('visitors')
      .selectAll()
      .where('accountId', '=', accountId)
      .where('id', '=', visitorId)
      .executeTakeFirst();
    return row && toVisitor(row);
  }

  update(commit: Commit<Visitor>, visitor: VisitorCaller, input: VisitorUpdate): Promise<Visitor> {
    return commit(async (tx) => {
      const before = await requireVisitor(tx, visitor.accountId, visitor.visitorId);
      await requireUnsigned(tx, visitor, before, input);
      return toVisitor(await updateVisitor(tx, visitor, before, input));
    });
  }
}
