import type { Satisfaction } from '../../../core/engine/records/satisfaction-store.ts';
import { builder } from '../builder.ts';

export const SatisfactionRef = builder.objectRef<Satisfaction>('Satisfaction').implement({
  description: 'The answer to a satisfaction survey: ratings from 1 to 5, and a comment.',
  fields: (t) => ({
    welcome: t.exposeInt('noteWelcome', { description: 'The rating of the welcome.' }),
    resolution: t.exposeInt('noteResolution', { description: 'The rating of the resolution.' }),
    delay: t.exposeInt('noteDelay', { description: 'The rating of the delay.' }),
    comment: t.exposeString('comment', { description: "The visitor's comment." }),
    at: t.expose('createdAt', { type: 'DateTime', description: 'When the survey was answered.' }),
  }),
});
