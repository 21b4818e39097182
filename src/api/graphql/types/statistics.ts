import type { Figures } from '../../../core/conversations/statistics.ts';
import { builder } from '../builder.ts';

export const StatisticsRef = builder.objectRef<Figures>('Statistics').implement({
  description: 'Figures counted from conversations and surveys.',
  fields: (t) => ({
    conversationNumber: t.exposeInt('conversationNumber', { description: 'Conversations that were accepted.' }),
    answeredNumber: t.exposeInt('answeredNumber', { description: 'Conversations that were answered.' }),
    firstAnswerSeconds: t.exposeFloat('firstAnswerSeconds', {
      nullable: true,
      description: 'Seconds from the acceptance to the first answer, on average.',
    }),
    satisfactionRate: t.exposeFloat('satisfactionRate', {
      nullable: true,
      description: 'Mean of the notes between 0 and 1; null without surveys.',
    }),
    experience: t.exposeInt('experience', {
      description: 'Points: 10 for each conversation that was answered and closed.',
    }),
  }),
});

/** The arguments of every field with statistics. */
export const PERIOD = {
  from: 'Only conversations that began at this moment or later.',
  to: 'Only conversations that began before this moment.',
} as const;

export function readPeriod({ from, to }: { from?: Date | null | undefined; to?: Date | null | undefined }) {
  return { from: from?.getTime(), to: to?.getTime() };
}
