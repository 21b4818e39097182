import { z } from 'zod';
import { announce } from '../../events/announce.ts';
import type { Commit, VisitorCaller } from '../../kernel/caller.ts';
import { nextId } from '../../kernel/ids.ts';
import { text } from '../../kernel/text.ts';
import { toEventSnapshot, wrongState } from '../records/conversation.ts';
import { requireConversation } from '../records/conversation-store.ts';
import { insertSatisfaction, type Satisfaction } from '../records/satisfaction-store.ts';
import { requireVisitorConversation } from './conversation-access.ts';

const RATING_RULE = 'must be a whole number from 1 to 5';
const rating = z.int({ error: RATING_RULE }).min(1, { error: RATING_RULE }).max(5, { error: RATING_RULE });

/** A visitor's answers to the survey. */
export const satisfactionAnswer = z.strictObject({
  welcome: rating,
  resolution: rating,
  delay: rating,
  comment: text(0, 2000).nullish(),
});
export type SatisfactionAnswer = z.output<typeof satisfactionAnswer>;

/**
 * Stores the survey answers about an accepted conversation, once. They count for the operator who has the conversation
 * at that time.
 */
export function answerSatisfaction(
  commit: Commit<Satisfaction>,
  visitor: VisitorCaller,
  conversationId: number,
  answer: SatisfactionAnswer,
): Promise<Satisfaction> {
  return commit(async (tx) => {
    const conversation = await requireConversation(tx, visitor.accountId, conversationId);
    requireVisitorConversation(visitor, conversation);
    if (conversation.acceptedAt === null) throw wrongState('No operator has accepted this conversation yet.');
    const { accountId, websiteId, operatorId } = conversation;
    const satisfaction: Satisfaction = {
      id: await nextId(tx, accountId, 'satisfaction'),
      conversationId,
      websiteId,
      operatorId,
      noteWelcome: answer.welcome,
      noteResolution: answer.resolution,
      noteDelay: answer.delay,
      comment: answer.comment ?? '',
      createdAt: tx.now,
    };
    if (!(await insertSatisfaction(tx, visitor, satisfaction))) throw wrongState('The survey was already answered.');
    const { noteWelcome, noteResolution, noteDelay } = satisfaction;
    announce(
      tx,
      visitor,
      'satisfaction.answered',
      conversationId,
      {
        fields: ['noteWelcome', 'noteResolution', 'noteDelay', 'comment'],
        values: {
          ...toEventSnapshot(conversation),
          satisfactionId: satisfaction.id,
          noteWelcome,
          noteResolution,
          noteDelay,
        },
      },
      'conversation',
    );
    return satisfaction;
  });
}
