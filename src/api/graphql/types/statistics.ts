import type { StatisticsFilters } from '../../../core/reports/counted-conversations.ts';
import { forbiddenError } from '../../graphql-server/errors.ts';
import { builder, ChannelEnum } from '../builder.ts';
import { toIdFilter } from '../filters.ts';
import type { KeyedFigures } from '../loaders.ts';
import { GroupRef, SkillRef, WebsiteRef } from './directory.ts';

export const StatisticsRef = builder.objectRef<KeyedFigures>('Statistics').implement({
  description: 'Statistics computed from conversations, satisfaction surveys and the live history.',
  fields: (t) => ({
    conversationNumber: t.exposeInt('conversationNumber', { description: 'The number of accepted conversations.' }),
    answeredNumber: t.exposeInt('answeredNumber', { description: 'The number of answered conversations.' }),
    firstAnswerSeconds: t.exposeFloat('firstAnswerSeconds', {
      nullable: true,
      description:
        'The average number of seconds from acceptance to the first answer. Null if no conversation was answered.',
    }),
    waitingSeconds: t.exposeFloat('waitingSeconds', {
      nullable: true,
      description: 'The average number of seconds from start to acceptance. Null if no conversation was accepted.',
    }),
    durationSeconds: t.exposeFloat('durationSeconds', {
      nullable: true,
      description:
        'The average number of seconds from acceptance to the close; for an operator, to the acceptance by the next operator if there is one. Null if no accepted conversation has ended.',
    }),
    queuedNumber: t.exposeInt('queuedNumber', {
      description: 'The number of conversations that had to wait in the queue, including those that still wait.',
    }),
    queuedSeconds: t.exposeFloat('queuedSeconds', {
      nullable: true,
      description:
        'The average number of seconds that the conversations of `queuedNumber` waited: until acceptance or the close, or until now if they still wait. Null if there are none.',
    }),
    simultaneousNumber: t.float({
      nullable: true,
      description:
        'The average number of active conversations while there was at least one, up to now. Null if no conversation was accepted.',
      resolve: ({ key }, _args, { load }) => load.simultaneousNumber.load(key),
    }),
    abandonedNumber: t.exposeInt('abandonedNumber', {
      description:
        'The number of conversations that were closed by the visitor or by a timeout before an operator accepted them.',
    }),
    refusedNumber: t.int({
      nullable: true,
      description:
        'The number of conversations refused at the start, because no operator could serve them, the queue was full or the website was closed. Counted per website and day: null for operators, skills, groups and channels.',
      resolve: ({ key: { subject, ownerId, filters } }, _args, { caller, services }) => {
        const { skillId, groupId, operatorId, channels, period } = filters;
        const isCounted = subject === 'website' || subject === 'account';
        if (!isCounted || skillId || groupId || operatorId || channels) return null;
        // Refusals belong to no group, so managers of groups have no share of them.
        if (caller.accessLevel !== 'admin' && caller.managedGroups !== 'account') return null;
        const websiteId = subject === 'website' ? ({ kind: 'ids', ids: [ownerId] } as const) : filters.websiteId;
        return services.reports.statistics.countRefused(caller.accountId, { websiteId, period });
      },
    }),
    satisfactionRate: t.exposeFloat('satisfactionRate', {
      nullable: true,
      description: 'The average survey rating, from 0 to 1. Null if there are no surveys.',
    }),
    experience: t.exposeInt('experience', {
      description: 'Experience points: 10 for each conversation that was answered and closed.',
    }),
    connectedSeconds: t.int({
      description:
        'The number of seconds that the operator was connected, or the sum over all operators who currently belong to the group, skill or website.',
      resolve: ({ key }, _args, { load }) => load.connectedSeconds.load(key),
    }),
  }),
});

export const PERIOD_DESCRIPTIONS = {
  from: 'Only conversations started at this time or later.',
  to: 'Only conversations started before this time.',
} as const;

export interface Period {
  readonly from?: Date | null | undefined;
  readonly to?: Date | null | undefined;
}

export function toPeriod({ from, to }: Period) {
  return { from: from?.getTime(), to: to?.getTime() };
}

const GROUP_DESCRIPTION =
  'The statistics of the group: conversations of its operators, and conversations without an operator that request the group. Available to managers of the group and admins.';

for (const [subject, ref, description] of [
  ['skill', SkillRef, 'The statistics of the skill. Managers see only their groups.'],
  ['group', GroupRef, GROUP_DESCRIPTION],
  ['website', WebsiteRef, 'The statistics of the website. Managers see only their groups.'],
] as const) {
  builder.objectField(ref as typeof SkillRef, 'statistics', (t) =>
    t.field({
      type: StatisticsRef,
      nullable: true,
      description,
      args: {
        from: t.arg({ type: 'DateTime', description: PERIOD_DESCRIPTIONS.from }),
        to: t.arg({ type: 'DateTime', description: PERIOD_DESCRIPTIONS.to }),
      },
      resolve: ({ id }, period, { caller: { managedGroups }, load }) => {
        if (subject === 'group' && managedGroups !== 'account' && !managedGroups.has(id)) throw forbiddenError();
        return load.figures.load({ subject, ownerId: id, filters: { period: toPeriod(period) } });
      },
    }),
  );
}

const StatisticsFilterInput = builder.inputType('StatisticsFilter', {
  description: 'Filters for the counted conversations. All of them must match.',
  fields: (t) => ({
    websiteIds: t.string({
      description: 'On these websites: an identifier, a comma-separated list, or digits with `*`.',
    }),
    channel: t.field({ type: ChannelEnum, description: 'On this channel.' }),
    skillId: t.string({ description: 'Requesting this skill.' }),
    groupId: t.string({
      description: 'Handled by operators of this group, or without an operator and requesting the group.',
    }),
    operatorId: t.string({ description: 'Handled by this operator.' }),
  }),
});

function toStatisticsFilters(filter: typeof StatisticsFilterInput.$inferInput | null | undefined): StatisticsFilters {
  return {
    websiteId: toIdFilter('websiteIds', filter?.websiteIds),
    channels: filter?.channel ? [filter.channel] : undefined,
    skillId: toIdFilter('skillId', filter?.skillId),
    groupId: toIdFilter('groupId', filter?.groupId),
    operatorId: toIdFilter('operatorId', filter?.operatorId),
  };
}

builder.queryField('statistics', (t) =>
  t.field({
    type: StatisticsRef,
    nullable: true,
    description:
      'The statistics of the account, or of a part of it. Managers see only their groups. Managers and admins only.',
    args: {
      filter: t.arg({ type: StatisticsFilterInput, description: 'Filters for the conversations.' }),
      from: t.arg({ type: 'DateTime', description: PERIOD_DESCRIPTIONS.from }),
      to: t.arg({ type: 'DateTime', description: PERIOD_DESCRIPTIONS.to }),
    },
    resolve: (_root, { filter, ...period }, { load }) =>
      load.figures.load({
        subject: 'account',
        ownerId: 0,
        filters: { ...toStatisticsFilters(filter), period: toPeriod(period) },
      }),
  }),
);
