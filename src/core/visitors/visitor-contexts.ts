import { isDeepStrictEqual } from 'node:util';
import type { Database, Transaction } from '../../storage/database.ts';
import { findOpenConversations } from '../engine/records/conversation-store.ts';
import { EMPTY_CONTEXT, type VisitorContext, type VisitorContextInput } from '../engine/records/visitor-context.ts';
import { findContext, loadContexts, writeContext } from '../engine/records/visitor-context-store.ts';
import { requireVisitor } from '../engine/records/visitor-store.ts';
import { announce } from '../events/announce.ts';
import type { ActorContext, Commit, VisitorCaller } from '../kernel/caller.ts';
import { DomainError } from '../kernel/errors.ts';
import type { VisitorLimits } from './visitor-limits.ts';
import { toVisitor, type Visitor } from './visitor-query.ts';

/** Where visitors are, and what their website says about them. */
export class VisitorContexts {
  readonly #database: Database;
  readonly #limits: VisitorLimits;

  constructor(database: Database, limits: VisitorLimits) {
    this.#database = database;
    this.#limits = limits;
  }

  load(accountId: number, visitorIds: readonly number[]): Promise<(VisitorContext & { readonly id: number })[]> {
    return loadContexts(this.#database, accountId, visitorIds);
  }

  update(commit: Commit<Visitor>, visitor: VisitorCaller, input: VisitorContextInput): Promise<Visitor> {
    return commit(async (tx) => {
      await this.#limits.admitContext(tx, visitor);
      const row = await requireVisitor(tx, visitor.accountId, visitor.visitorId);
      if (row.erasedAt !== null) throw new DomainError('state', 'The data of this visitor was erased.');
      await changeContext(tx, visitor, visitor.visitorId, input);
      return toVisitor(row);
    });
  }
}

type ContextChange = VisitorContextInput & Partial<Pick<VisitorContext, 'verifiedFields' | 'verifiedDetails'>>;

/** Stores what differs, and tells the operators who talk to the visitor. */
export async function changeContext(
  tx: Transaction,
  context: ActorContext,
  visitorId: number,
  input: ContextChange,
): Promise<void> {
  const { updatedAt: _time, ...before } = (await findContext(tx, context, visitorId)) ?? {
    ...EMPTY_CONTEXT,
    updatedAt: 0,
  };
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const after = { ...before, ...given };
  if (isDeepStrictEqual(before, after)) return;
  await writeContext(tx, context, visitorId, after);
  await announceToOperators(tx, context, visitorId);
}

/**
 * One event for each operator with an offered or active conversation, without values, which are personal. No event
 * otherwise: visitors open pages much more often than anything else happens.
 */
async function announceToOperators(tx: Transaction, context: ActorContext, visitorId: number): Promise<void> {
  const conversations = await findOpenConversations(tx, { accountId: context.accountId, visitorId });
  for (const operatorId of new Set(conversations.map((conversation) => conversation.operatorId)))
    if (operatorId !== null)
      announce(tx, context, 'visitor.updated', visitorId, { fields: ['context'], values: { operatorId } });
}
