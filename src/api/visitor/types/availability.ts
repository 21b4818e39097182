import { CHANNELS } from '../../../core/kernel/channels.ts';
import { languageCode } from '../../../core/kernel/languages.ts';
import type { ChannelAvailability, SkillAvailability } from '../../../core/live/skill-availability.ts';
import { graphqlError } from '../../graphql-server/errors.ts';
import { readId } from '../../graphql-server/ids.ts';
import { builder } from '../builder.ts';

/** How many people work there is nobody's business: only what decides whether a button is shown. */
const ChannelAvailabilityRef = builder.objectRef<ChannelAvailability>('ChannelAvailability').implement({
  description: 'Whether somebody is free on a channel.',
  fields: (t) => ({
    isAvailable: t.exposeBoolean('isAvailable', {
      description: 'Whether a conversation that is started now is given to somebody at once.',
    }),
    waiting: t.exposeInt('waiting', { description: 'How many conversations of the same kind wait already.' }),
  }),
});

const AvailabilityRef = builder.objectRef<SkillAvailability>('Availability').implement({
  description: 'Whether somebody is free, channel by channel.',
  fields: (t) =>
    Object.fromEntries(
      CHANNELS.map((channel) => [
        channel,
        t.field({
          type: ChannelAvailabilityRef,
          description: `For conversations by ${channel}.`,
          resolve: (availability) => availability[channel],
        }),
      ]),
    ),
});

builder.queryField('availability', (t) =>
  t.field({
    type: AvailabilityRef,
    description:
      'Whether somebody is free on this website now: what a page asks before it shows a button. At most a second old.',
    args: {
      skillId: t.arg.id({ description: 'For this skill; for anything if nothing is said.' }),
      language: t.arg.string({
        description: 'In this language (ISO 639-1); in that of the session if nothing is said.',
      }),
    },
    resolve: async (_root, { skillId: text, language }, { visitor, services }) => {
      if (typeof language === 'string' && !languageCode.safeParse(language).success) {
        throw graphqlError('BAD_REQUEST', 'language must be a two-letter code of ISO 639-1, in lower case.');
      }
      const skillId = typeof text === 'string' ? readId(text) : undefined;
      const isKnown =
        skillId !== undefined && (await services.administration.skills.find(visitor.accountId, skillId)) !== undefined;
      if (typeof text === 'string' && !isKnown) {
        throw graphqlError('BAD_REQUEST', `Unknown 'skill' with 'id' ${text}.`);
      }
      return services.visitors.availability.of(visitor, { skillId, language: language ?? undefined });
    },
  }),
);
