import { z } from 'zod';
import { announce } from '../../events/announce.ts';
import type { Commit, VisitorCaller } from '../../kernel/caller.ts';
import { nextId } from '../../kernel/ids.ts';
import { text } from '../../kernel/text.ts';
import { eventSnapshot, wrongState } from '../records/conversation.ts';
import { requireConversation } from '../records/conversation-store.ts';
import { insertSatisfaction, type Satisfaction } from '../records/satisfaction-store.ts';
import { requireVisitorsOwn } from './conversation-access.ts';

const NOTE_RULE = 'must be a note from 1 to 5';
const note = z.int({ error: NOTE_RULE }).min(1, { error: NOTE_RULE }).max(5, { error: NOTE_RULE });

/** A visitor's answers to the survey. */
export const satisfactionAnswer = z.strictObject({
  welcome: note,
  resolution: note,
  delay: note,
  comment: text(0, 2000).nullish(),
});
export type SatisfactionAnswer = z.output<typeof satisfactionAnswer>;

/** One answer for each conversation that an operator has had; whoever has it then is whom it is about. */
export function answerSatisfaction(
  commit: Commit<Satisfaction>,
  visitor: VisitorCaller,
  conversationId: number,
  answer: SatisfactionAnswer,
): Promise<Satisfaction> {
  return commit(async (tx) => {
    const conversation = await requireConversation(tx, visitor.accountId, conversationId);
    requireVisitorsOwn(visitor, conversation);
    if (conversation.acceptedAt === null) throw wrongState('Nobody has answered this conversation yet.');
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
    if (!(await insertSatisfaction(tx, visitor, satisfaction))) throw wrongState('The survey was answered already.');
    const { noteWelcome, noteResolution, noteDelay } = satisfaction;
    announce(
      tx,
      visitor,
      'satisfaction.answered',
      conversationId,
      {
        fields: ['noteWelcome', 'noteResolution', 'noteDelay', 'comment'],
        values: {
          ...eventSnapshot(conversation),
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
