import type { Selectable } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { hotStatement } from '../../../storage/prepared-statement.ts';
import type { Tables } from '../../../storage/tables.ts';
import type { Conversation } from './conversation.ts';

type Handling = Selectable<Tables['handlings']>;

const keep = hotStatement<Handling>((db, row) =>
  db
    .insertInto('handlings')
    .values(row)
    // Who gets it back goes on with what they had begun.
    .onConflict((conflict) => conflict.columns(['accountId', 'conversationId', 'operatorId']).doNothing()),
);
const answer = hotStatement<Omit<Handling, 'acceptedAt' | 'firstAnswerAt'> & { at: number }>((db, given) =>
  db
    .updateTable('handlings')
    .set({ firstAnswerAt: given.at })
    .where('accountId', '=', given.accountId)
    .where('conversationId', '=', given.conversationId)
    .where('operatorId', '=', given.operatorId)
    .where('firstAnswerAt', 'is', null),
);

/**
 * The operator who has accepted a conversation loses it: what they did stays theirs. Answers with the columns of the
 * conversation that say so. Its own moments are those of the first who accepted and answered.
 */
export async function handOver(tx: Transaction, conversation: Conversation): Promise<{ changedHands: number }> {
  const { accountId, id, operatorId, state, acceptedAt, firstAnswerAt, changedHands } = conversation;
  if (state !== 'active' || operatorId === null || acceptedAt === null) return { changedHands };
  const handling = { accountId, conversationId: id, operatorId, acceptedAt, firstAnswerAt };
  if (changedHands === 0) tx.send(keep, handling);
  return { changedHands: 1 };
}

/** Another operator has accepted a conversation that somebody had before. */
export async function takeOver(tx: Transaction, conversation: Conversation, answeredAt: number | null): Promise<void> {
  const { accountId, id, operatorId, changedHands } = conversation;
  if (changedHands === 0 || operatorId === null) return;
  const handling = { accountId, conversationId: id, operatorId, acceptedAt: tx.now, firstAnswerAt: answeredAt };
  tx.send(keep, handling);
}

/** The operator has written: for those who took over, this may be their first answer. */
export async function noteAnswer(
  tx: Transaction,
  { accountId, id, operatorId, changedHands }: Conversation,
): Promise<void> {
  if (changedHands === 0 || operatorId === null) return;
  tx.send(answer, { accountId, conversationId: id, operatorId, at: tx.now });
}
