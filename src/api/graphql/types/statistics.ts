import type { StatisticsFilters } from '../../../core/reports/statistics.ts';
import { forbiddenError } from '../../graphql-server/errors.ts';
import { builder, ChannelEnum } from '../builder.ts';
import { idFilter } from '../filters.ts';
import type { AskedFigures } from '../loaders.ts';
import { GroupRef, SkillRef, WebsiteRef } from './directory.ts';

export const StatisticsRef = builder.objectRef<AskedFigures>('Statistics').implement({
  description: 'Figures counted from conversations, surveys and the history of who was connected.',
  fields: (t) => ({
    conversationNumber: t.exposeInt('conversationNumber', { description: 'Conversations that were accepted.' }),
    answeredNumber: t.exposeInt('answeredNumber', { description: 'Conversations that were answered.' }),
    firstAnswerSeconds: t.exposeFloat('firstAnswerSeconds', {
      nullable: true,
      description: 'Seconds from the acceptance to the first answer, on average.',
    }),
    waitingSeconds: t.exposeFloat('waitingSeconds', {
      nullable: true,
      description: 'Seconds from the beginning to the acceptance, on average.',
    }),
    abandonedNumber: t.exposeInt('abandonedNumber', {
      description: 'Conversations that the visitor, or time, ended before anybody accepted them.',
    }),
    refusedNumber: t.int({
      nullable: true,
      description:
        'Conversations that were not taken at all, because nobody could serve them or too many waited. Counted by website and whole day: null where operators, skills, groups or channels are meant.',
      resolve: ({ asked: { subject, ownerId, filters } }, _args, { caller, services }) => {
        const { skillId, groupId, operatorId, channels, period } = filters;
        const isKnown = subject === 'website' || subject === 'account';
        if (!isKnown || skillId || groupId || operatorId || channels) return null;
        // They are of no group, so that a manager of some groups cannot be told theirs.
        if (caller.accessLevel !== 'admin' && caller.managedGroups !== 'account') return null;
        const websiteId = subject === 'website' ? ({ kind: 'ids', ids: [ownerId] } as const) : filters.websiteId;
        return services.reports.statistics.refusedNumber(caller.accountId, { websiteId, period });
      },
    }),
    satisfactionRate: t.exposeFloat('satisfactionRate', {
      nullable: true,
      description: 'Mean of the notes between 0 and 1; null without surveys.',
    }),
    experience: t.exposeInt('experience', {
      description: 'Points: 10 for each conversation that was answered and closed.',
    }),
    connectedSeconds: t.int({
      description:
        'Seconds in which operators were connected: the operator, or the sum of all who belong to the group, hold the skill or work on the website now.',
      resolve: ({ asked }, _args, { load }) => load.connectedSeconds.load(asked),
    }),
  }),
});

/** The arguments of every field with statistics. */
export const PERIOD = {
  from: 'Only conversations that began at this moment or later.',
  to: 'Only conversations that began before this moment.',
} as const;

export interface Period {
  readonly from?: Date | null | undefined;
  readonly to?: Date | null | undefined;
}

export function readPeriod({ from, to }: Period) {
  return { from: from?.getTime(), to: to?.getTime() };
}

const OF_GROUP =
  'Figures of the group: of the conversations of its operators, and of those that nobody has and that ask for it. For managers of the group and admins.';

for (const [subject, ref, description] of [
  ['skill', SkillRef, 'Figures of the skill; a manager sees those of their own groups.'],
  ['group', GroupRef, OF_GROUP],
  ['website', WebsiteRef, 'Figures of the website; a manager sees those of their own groups.'],
] as const) {
  builder.objectField(ref as typeof SkillRef, 'statistics', (t) =>
    t.field({
      type: StatisticsRef,
      nullable: true,
      description,
      args: {
        from: t.arg({ type: 'DateTime', description: PERIOD.from }),
        to: t.arg({ type: 'DateTime', description: PERIOD.to }),
      },
      resolve: ({ id }, period, { caller: { managedGroups }, load }) => {
        if (subject === 'group' && managedGroups !== 'account' && !managedGroups.has(id)) throw forbiddenError();
        return load.figures.load({ subject, ownerId: id, filters: { period: readPeriod(period) } });
      },
    }),
  );
}

const StatisticsFilterInput = builder.inputType('StatisticsFilter', {
  description: 'Which conversations are counted: all that is given must hold.',
  fields: (t) => ({
    websiteIds: t.string({
      description: 'Of these websites: an identifier, a comma-separated list, or digits with `*`.',
    }),
    channel: t.field({ type: ChannelEnum, description: 'Of this channel.' }),
    skillId: t.string({ description: 'That ask for this skill.' }),
    groupId: t.string({ description: 'Of the operators of this group, or without an operator and asking for it.' }),
    operatorId: t.string({ description: 'Of this operator.' }),
  }),
});

function readFilter(filter: typeof StatisticsFilterInput.$inferInput | null | undefined): StatisticsFilters {
  return {
    websiteId: idFilter('websiteIds', filter?.websiteIds),
    channels: filter?.channel ? [filter.channel] : undefined,
    skillId: idFilter('skillId', filter?.skillId),
    groupId: idFilter('groupId', filter?.groupId),
    operatorId: idFilter('operatorId', filter?.operatorId),
  };
}

builder.queryField('statistics', (t) =>
  t.field({
    type: StatisticsRef,
    nullable: true,
    description:
      'Figures of the account, or of a part of it; a manager sees those of their own groups. For managers and admins.',
    args: {
      filter: t.arg({ type: StatisticsFilterInput, description: 'Which conversations.' }),
      from: t.arg({ type: 'DateTime', description: PERIOD.from }),
      to: t.arg({ type: 'DateTime', description: PERIOD.to }),
    },
    resolve: (_root, { filter, ...period }, { load }) =>
      load.figures.load({
        subject: 'account',
        ownerId: 0,
        filters: { ...readFilter(filter), period: readPeriod(period) },
      }),
  }),
);
