import type { Satisfaction } from '../../../core/engine/records/satisfaction-store.ts';
import { builder } from '../builder.ts';

export const SatisfactionRef = builder.objectRef<Satisfaction>('Satisfaction').implement({
  description: 'What the visitor thought of a conversation: notes from 1 to 5, and words.',
  fields: (t) => ({
    welcome: t.int({ description: 'Note for the welcome.', resolve: (row) => row.noteWelcome }),
    resolution: t.int({ description: 'Note for the resolution.', resolve: (row) => row.noteResolution }),
    delay: t.int({ description: 'Note for the delay.', resolve: (row) => row.noteDelay }),
    comment: t.exposeString('comment', { description: 'What the visitor wrote.' }),
    at: t.field({ type: 'DateTime', description: 'When it was answered.', resolve: (row) => row.createdAt }),
  }),
});
