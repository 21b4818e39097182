import { z } from 'zod';
import type { Database, Transaction } from '../../storage/database.ts';
import {
  insertMessageLeft,
  type MessageLeft,
  requireMessageLeft,
  updateMessageLeft,
} from '../engine/records/message-left-store.ts';
import { visitorContext } from '../engine/records/visitor-context.ts';
import { requireVisitor } from '../engine/records/visitor-store.ts';
import { type Caller, type Commit, forbidden, requireWrite, type VisitorCaller } from '../kernel/caller.ts';
import { DomainError, invalidField } from '../kernel/errors.ts';
import { buildIdCondition, type IdFilter } from '../kernel/filters.ts';
import { nextId } from '../kernel/ids.ts';
import { Listing } from '../kernel/listing.ts';
import type { Slice, SlicePage } from '../kernel/slice.ts';
import { requiredText, text } from '../kernel/text.ts';
import { emailAddress } from '../operators/email.ts';
import { loadOperators } from '../operators/operator-store.ts';
import type { VisitorLimits } from './visitor-limits.ts';

export const messageLeave = z.strictObject({
  name: text(0, 100).nullish(),
  email: emailAddress,
  text: requiredText(5000),
  page: visitorContext.shape.page.nullish(),
});
export type MessageLeave = z.output<typeof messageLeave>;

export interface MessageLeftFilters {
  readonly done?: boolean | undefined;
  readonly websiteId?: IdFilter | undefined;
  readonly operatorId?: IdFilter | undefined;
  /** Only messages on the websites of this operator. */
  readonly visibleTo?: number | undefined;
}

/** Messages that visitors leave for later. Operators and managers see those on their own websites, admins all. */
export class MessagesLeft {
  readonly #database: Database;
  readonly #limits: VisitorLimits;
  readonly #list: Listing<'messagesLeft', MessageLeft>;

  constructor(database: Database, limits: VisitorLimits) {
    this.#database = database;
    this.#limits = limits;
    this.#list = new Listing(database, 'messagesLeft', (row) => row);
  }

  /** Possible at any time, also while operators are available. */
  async leave(
    commit: Commit<MessageLeft>,
    visitor: VisitorCaller,
    input: MessageLeave,
    address: string,
  ): Promise<MessageLeft> {
    await this.#limits.admitMessageLeft(address);
    return commit(async (tx) => {
      const { accountId, visitorId, websiteId } = visitor;
      const row = await requireVisitor(tx, accountId, visitorId);
      if (row.erasedAt !== null) throw new DomainError('state', 'The data of this visitor was erased.');
      const message = {
        ...{ accountId, id: await nextId(tx, accountId, 'message_left'), websiteId, visitorId },
        ...{ name: input.name ?? '', email: input.email, text: input.text, page: input.page ?? '' },
        ...{ createdAt: tx.now, operatorId: null, doneAt: null, doneBy: null },
      };
      await insertMessageLeft(tx, visitor, message);
      return message;
    });
  }

  /** Marks a message as done. It stays done by the first who did it. */
  resolve(commit: Commit<MessageLeft>, caller: Caller, id: number): Promise<MessageLeft> {
    return this.#change(commit, caller, id, async (tx, message) =>
      message.doneAt === null ? { doneAt: tx.now, doneBy: caller.operatorId } : undefined,
    );
  }

  reopen(commit: Commit<MessageLeft>, caller: Caller, id: number): Promise<MessageLeft> {
    return this.#change(commit, caller, id, async (_tx, message) =>
      message.doneAt === null ? undefined : { doneAt: null, doneBy: null },
    );
  }

  /** `operatorId` null takes it back from its operator. */
  assign(
    commit: Commit<MessageLeft>,
    caller: Caller,
    { id, operatorId }: { readonly id: number; readonly operatorId: number | null },
  ): Promise<MessageLeft> {
    return this.#change(commit, caller, id, async (tx, message) => {
      if (operatorId !== null) await requireAssignable(tx, message, operatorId);
      return message.operatorId === operatorId ? undefined : { operatorId };
    });
  }

  /** Throws unless the caller may change the message; `id` is undefined if it is not even an identifier. */
  async authorize(caller: Caller, id: number | undefined): Promise<void> {
    requireWrite(caller);
    requireReader(caller);
    if (id !== undefined) await requireOwnWebsite({ db: this.#database.read }, caller, id);
  }

  async find(caller: Caller, id: number): Promise<MessageLeft | undefined> {
    const query = this.#select(caller.accountId, toScope(caller)).where('messagesLeft.id', '=', id);
    return (await this.#list.slice(caller.accountId, query, { limit: 1, backwards: false })).rows[0];
  }

  slice(accountId: number, filters: MessageLeftFilters, slice: Slice): Promise<SlicePage<MessageLeft>> {
    return this.#list.slice(accountId, this.#select(accountId, filters), slice);
  }

  count(accountId: number, filters: MessageLeftFilters): Promise<number> {
    return this.#list.count(this.#select(accountId, filters));
  }

  #change(
    commit: Commit<MessageLeft>,
    caller: Caller,
    id: number,
    decide: (tx: Transaction, message: MessageLeft) => Promise<Parameters<typeof updateMessageLeft>[3] | undefined>,
  ): Promise<MessageLeft> {
    requireWrite(caller);
    requireReader(caller);
    return commit(async (tx) => {
      const message = await requireOwnWebsite(tx, caller, id);
      const changes = await decide(tx, message);
      return changes ? updateMessageLeft(tx, caller, message, changes) : message;
    });
  }

  #select(accountId: number, { done, websiteId, operatorId, visibleTo }: MessageLeftFilters) {
    let query = this.#database.read
      .selectFrom('messagesLeft')
      .where('messagesLeft.accountId', '=', accountId)
      .where((eb) => this.#database.isWithinDeadline(eb.ref('messagesLeft.id')));
    if (done !== undefined) query = query.where('messagesLeft.doneAt', done ? 'is not' : 'is', null);
    if (websiteId) query = query.where((eb) => buildIdCondition(eb.ref('messagesLeft.websiteId'), websiteId));
    if (operatorId) query = query.where((eb) => buildIdCondition(eb.ref('messagesLeft.operatorId'), operatorId));
    if (visibleTo !== undefined) {
      query = query.where('messagesLeft.websiteId', 'in', (eb) =>
        eb
          .selectFrom('operatorWebsites')
          .select('operatorWebsites.websiteId')
          .where('operatorWebsites.accountId', '=', accountId)
          .where('operatorWebsites.operatorId', '=', visibleTo),
      );
    }
    return query;
  }
}

/** The part of the list that a caller may read. Throws for experts. */
export function toScope(caller: Caller): Pick<MessageLeftFilters, 'visibleTo'> {
  requireReader(caller);
  return caller.accessLevel === 'admin' || caller.operatorId === null ? {} : { visibleTo: caller.operatorId };
}

function requireReader({ accessLevel }: Caller): void {
  if (accessLevel === 'expert') throw forbidden();
}

async function requireOwnWebsite(tx: Pick<Transaction, 'db'>, caller: Caller, id: number): Promise<MessageLeft> {
  const message = await requireMessageLeft(tx, caller, id);
  const { visibleTo } = toScope(caller);
  if (visibleTo !== undefined && !(await worksOn(tx, message, visibleTo))) throw forbidden();
  return message;
}

async function requireAssignable(tx: Transaction, message: MessageLeft, operatorId: number): Promise<void> {
  const [operator] = await loadOperators(tx.db, message.accountId, [operatorId]);
  if (!operator) throw invalidField('operatorId', 'must be an existing operator');
  const isReader = operator.roles.some((role) => role !== 'expert');
  if (!operator.roles.includes('admin') && !(isReader && (await worksOn(tx, message, operatorId))))
    throw invalidField('operatorId', 'must be an operator who can read it: of its website, and not an expert');
}

async function worksOn(
  { db }: Pick<Transaction, 'db'>,
  { accountId, websiteId }: MessageLeft,
  operatorId: number,
): Promise<boolean> {
  const row = await db
    .selectFrom('operatorWebsites')
    .select('operatorId')
    .where('accountId', '=', accountId)
    .where('websiteId', '=', websiteId)
    .where('operatorId', '=', operatorId)
    .executeTakeFirst();
  return row !== undefined;
}
