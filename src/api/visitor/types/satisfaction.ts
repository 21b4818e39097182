import type { Satisfaction } from '../../../core/engine/records/satisfaction-store.ts';
import { builder } from '../builder.ts';

export const SatisfactionRef = builder.objectRef<Satisfaction>('Satisfaction').implement({
  description: 'What the visitor thought of a conversation: notes from 1 to 5, and words.',
  fields: (t) => ({
    welcome: t.exposeInt('noteWelcome', { description: 'Note for the welcome.' }),
    resolution: t.exposeInt('noteResolution', { description: 'Note for the resolution.' }),
    delay: t.exposeInt('noteDelay', { description: 'Note for the delay.' }),
    comment: t.exposeString('comment', { description: 'What the visitor wrote.' }),
    at: t.expose('createdAt', { type: 'DateTime', description: 'When it was answered.' }),
  }),
});
