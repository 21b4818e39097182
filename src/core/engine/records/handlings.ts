import type { Selectable } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import type { Tables } from '../../../storage/tables.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import type { Conversation } from './conversation.ts';

type Handling = Selectable<Tables['handlings']>;

const insertHandling = prepare<Handling>((db, row) =>
  db
    .insertInto('handlings')
    .values(row)
    // An operator who gets the conversation back continues the same handling.
    .onConflict((conflict) => conflict.columns(['accountId', 'conversationId', 'operatorId']).doNothing()),
);
const setFirstAnswer = prepare<Omit<Handling, 'acceptedAt' | 'firstAnswerAt'> & { at: number }>((db, args) =>
  db
    .updateTable('handlings')
    .set({ firstAnswerAt: args.at })
    .where('accountId', '=', args.accountId)
    .where('conversationId', '=', args.conversationId)
    .where('operatorId', '=', args.operatorId)
    .where('firstAnswerAt', 'is', null),
);

/**
 * Records the handling of the operator who is losing an active conversation. Returns the change to the conversation,
 * whose `acceptedAt` and `firstAnswerAt` keep the values of the first operator.
 */
export function recordOutgoingHandling(
  tx: Transaction,
  { accountId }: ActorContext,
  { id, operatorId, state, acceptedAt, firstAnswerAt, hasChangedHands }: Conversation,
): Pick<Conversation, 'hasChangedHands'> {
  if (state !== 'active' || operatorId === null || acceptedAt === null) return { hasChangedHands };
  if (!hasChangedHands)
    tx.send(insertHandling, { accountId, conversationId: id, operatorId, acceptedAt, firstAnswerAt });
  return { hasChangedHands: true };
}

/** Records the handling of an operator who has accepted a conversation that another operator had before. */
export function recordIncomingHandling(
  tx: Transaction,
  { accountId }: ActorContext,
  { id, operatorId, hasChangedHands }: Conversation,
  firstAnswerAt: number | null,
): void {
  if (!hasChangedHands || operatorId === null) return;
  tx.send(insertHandling, { accountId, conversationId: id, operatorId, acceptedAt: tx.now, firstAnswerAt });
}

/** Called for every message of an operator; sets the first answer of their handling, if there is one. */
export function recordHandlingAnswer(
  tx: Transaction,
  { accountId }: ActorContext,
  { id, operatorId, hasChangedHands }: Conversation,
): void {
  if (!hasChangedHands || operatorId === null) return;
  tx.send(setFirstAnswer, { accountId, conversationId: id, operatorId, at: tx.now });
}
