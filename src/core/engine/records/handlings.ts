import type { Selectable } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import type { Tables } from '../../../storage/tables.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import type { Conversation } from './conversation.ts';

type Handling = Selectable<Tables['handlings']>;

const keep = prepare<Handling>((db, row) =>
  db
    .insertInto('handlings')
    .values(row)
    // Who gets it back goes on with what they had begun.
    .onConflict((conflict) => conflict.columns(['accountId', 'conversationId', 'operatorId']).doNothing()),
);
const answer = prepare<Omit<Handling, 'acceptedAt' | 'firstAnswerAt'> & { at: number }>((db, given) =>
  db
    .updateTable('handlings')
    .set({ firstAnswerAt: given.at })
    .where('accountId', '=', given.accountId)
    .where('conversationId', '=', given.conversationId)
    .where('operatorId', '=', given.operatorId)
    .where('firstAnswerAt', 'is', null),
);

/**
 * The operator who has accepted a conversation loses it: what they did stays theirs. Answers with what of the conversation
 * says so. Its own moments are those of the first who accepted and answered.
 */
export function handOver(
  tx: Transaction,
  { accountId }: ActorContext,
  { id, operatorId, state, acceptedAt, firstAnswerAt, hasChangedHands }: Conversation,
): Pick<Conversation, 'hasChangedHands'> {
  if (state !== 'active' || operatorId === null || acceptedAt === null) return { hasChangedHands };
  if (!hasChangedHands) tx.send(keep, { accountId, conversationId: id, operatorId, acceptedAt, firstAnswerAt });
  return { hasChangedHands: true };
}

/** Another operator has accepted a conversation that somebody had before. */
export function takeOver(
  tx: Transaction,
  { accountId }: ActorContext,
  { id, operatorId, hasChangedHands }: Conversation,
  firstAnswerAt: number | null,
): void {
  if (!hasChangedHands || operatorId === null) return;
  tx.send(keep, { accountId, conversationId: id, operatorId, acceptedAt: tx.now, firstAnswerAt });
}

/** The operator has written: for those who took over, this may be their first answer. */
export function noteAnswer(
  tx: Transaction,
  { accountId }: ActorContext,
  { id, operatorId, hasChangedHands }: Conversation,
): void {
  if (!hasChangedHands || operatorId === null) return;
  tx.send(answer, { accountId, conversationId: id, operatorId, at: tx.now });
}
