import { CHANNELS } from '../../../core/kernel/channels.ts';
import { languageCode } from '../../../core/kernel/languages.ts';
import type { ChannelAvailability, SkillAvailability } from '../../../core/live/skill-availability.ts';
import { graphqlError } from '../../graphql-server/errors.ts';
import { parseIdArgument } from '../../graphql-server/ids.ts';
import { builder } from '../builder.ts';

/** Does not reveal how many operators work for the website. */
const ChannelAvailabilityRef = builder.objectRef<ChannelAvailability>('ChannelAvailability').implement({
  description: 'Whether an operator is available on a channel.',
  fields: (t) => ({
    isAvailable: t.exposeBoolean('isAvailable', {
      description: 'Whether a conversation started now would be offered to an operator immediately.',
    }),
    waiting: t.exposeInt('waiting', { description: 'The number of queued conversations with the same requirements.' }),
  }),
});

const AvailabilityRef = builder.objectRef<SkillAvailability>('Availability').implement({
  description: 'Whether an operator is available, by channel.',
  fields: (t) =>
    Object.fromEntries(
      CHANNELS.map((channel) => [
        channel,
        t.field({
          type: ChannelAvailabilityRef,
          description: `Availability for conversations by ${channel}.`,
          resolve: (availability) => availability[channel],
        }),
      ]),
    ),
});

builder.queryField('availability', (t) =>
  t.field({
    type: AvailabilityRef,
    description:
      'Whether an operator is available on this website right now. Check it before showing a contact button. At most one second old.',
    args: {
      skillId: t.arg.id({ description: 'Only operators with this skill. Defaults to all operators.' }),
      language: t.arg.string({
        description: "Only operators who speak this language (ISO 639-1). Defaults to the session's language.",
      }),
    },
    resolve: async (_root, { skillId: text, language }, { visitor, services }) => {
      if (typeof language === 'string' && !languageCode.safeParse(language).success) {
        throw graphqlError('BAD_REQUEST', 'language must be a two-letter ISO 639-1 code in lower case.');
      }
      const skillId = typeof text === 'string' ? parseIdArgument(text) : undefined;
      const skillExists =
        skillId !== undefined && (await services.administration.skills.find(visitor.accountId, skillId)) !== undefined;
      if (typeof text === 'string' && !skillExists) {
        throw graphqlError('BAD_REQUEST', `Unknown 'skill' with 'id' ${text}.`);
      }
      return services.visitors.availability.check(visitor, { skillId, language: language ?? undefined });
    },
  }),
);
