import type { Profile } from '../../../core/administration/profile.ts';
import { requireOperatorId } from '../../../core/kernel/caller.ts';
import { findHighestRole, type Operator, operatorSchema } from '../../../core/operators/operator.ts';
import { canRead, type Visibility } from '../../../core/operators/permissions.ts';
import { toSlicedList } from '../../graphql-server/connection.ts';
import { forbiddenError } from '../../graphql-server/errors.ts';
import { mapLoaded } from '../../graphql-server/id-loader.ts';
import { parseIdArgument } from '../../graphql-server/ids.ts';
import { loadOrNull } from '../../graphql-server/loaders.ts';
import type { Preloads } from '../../graphql-server/preload.ts';
import { builder, connectionField, connectionType, RoleEnum } from '../builder.ts';
import type { Context } from '../context.ts';
import { CHECKED_PROPERTY } from '../full-read-schema.ts';
import { GroupRef, SkillRef, WebsiteRef } from './directory.ts';
import { OperatorLiveRef, toLiveProperties } from './live.ts';
import { OperatorFilterInput, toOperatorFilters } from './operator-filter.ts';
import { PERIOD_DESCRIPTIONS, type Period, StatisticsRef, toPeriod } from './statistics.ts';

export const OperatorRef = builder.objectRef<Operator>('Operator');

const getDescription = (name: keyof typeof operatorSchema.shape) =>
  operatorSchema.shape[name].meta()?.description ?? '';

/** Fields that the viewer cannot read are null, with an error at their path. */
function resolveIfReadable<Args extends object, T>(
  visibility: Visibility,
  read: (operator: Operator, context: Context, args: Args) => T,
) {
  return (operator: Operator, args: Args, context: Context): T => {
    if (!canRead(context.caller, operator, visibility)) throw forbiddenError();
    return read(operator, context, args);
  };
}

const CallConfigRef = builder.objectRef<Operator['callConfig']>('CallConfig').implement({
  description: 'How the operator answers calls.',
  fields: (t) => ({
    type: t.exposeString('type', { description: '`ANSWER_FROM_PHONE` or `ANSWER_FROM_DESK`.' }),
    askPhoneNumberAtEveryConnection: t.exposeBoolean('askPhoneNumberAtEveryConnection', {
      description: 'Whether the operator is asked for the phone number at every connection.',
    }),
    phoneNumber: t.string({
      nullable: true,
      description: 'The phone number in E.164 format, if set.',
      resolve: (config) => config.phoneNumber ?? null,
    }),
  }),
});

const OperatorProfileRef = builder.objectRef<Profile>('OperatorProfile').implement({
  description: 'The profile of an operator. Fields without a value are empty strings.',
  fields: (t) => ({
    status: t.exposeString('status', { description: 'A short status text.' }),
    description: t.exposeString('description', { description: 'A description of the operator.' }),
    facebook: t.exposeString('facebook', { description: 'The Facebook identifier.' }),
    twitter: t.exposeString('twitter', { description: 'The Twitter identifier.' }),
    city: t.exposeString('city', { description: 'The city.' }),
    country: t.exposeString('country', { description: 'The country.' }),
  }),
});

OperatorRef.implement({
  description:
    "A person who answers visitors. Fields that the viewer's role cannot read are null, with a FORBIDDEN error.",
  fields: (t) => {
    /** A field with the value of the property of the same name. */
    const readProperty = <K extends keyof Operator>(visibility: 'names' | 'details', name: K) => ({
      resolve: resolveIfReadable(visibility, (operator) => operator[name]),
      extensions: { [CHECKED_PROPERTY]: true },
    });
    const booleanField = (name: 'chatEnabled' | 'callEnabled' | 'videoEnabled' | 'chatAndCall' | 'chatToVideo') =>
      t.boolean({ nullable: true, description: getDescription(name), ...readProperty('details', name) });
    const intField = (name: 'chatMaxNumber' | 'chatPriority' | 'callPriority' | 'videoPriority') =>
      t.int({ nullable: true, description: getDescription(name), ...readProperty('details', name) });
    return {
      id: t.exposeID('id', { description: getDescription('id') }),
      name: t.string({
        nullable: true,
        description: getDescription('name'),
        ...readProperty('names', 'name'),
      }),
      firstName: t.string({
        nullable: true,
        description: getDescription('firstName'),
        ...readProperty('names', 'firstName'),
      }),
      pseudo: t.exposeString('pseudo', { description: getDescription('pseudo') }),
      email: t.string({ nullable: true, description: getDescription('email'), ...readProperty('details', 'email') }),
      externalId: t.string({
        nullable: true,
        description: getDescription('externalId'),
        ...readProperty('details', 'externalId'),
      }),
      role: t.field({
        type: RoleEnum,
        nullable: true,
        description: getDescription('role'),
        deprecationReason: 'Use roles.',
        resolve: resolveIfReadable('details', ({ roles }) => findHighestRole(roles)),
      }),
      roles: t.field({
        type: [RoleEnum],
        nullable: true,
        description: getDescription('roles'),
        ...readProperty('details', 'roles'),
      }),
      chatEnabled: booleanField('chatEnabled'),
      callEnabled: booleanField('callEnabled'),
      videoEnabled: booleanField('videoEnabled'),
      chatMaxNumber: intField('chatMaxNumber'),
      chatAndCall: booleanField('chatAndCall'),
      chatToVideo: booleanField('chatToVideo'),
      chatPriority: intField('chatPriority'),
      callPriority: intField('callPriority'),
      videoPriority: intField('videoPriority'),
      languageList: t.stringList({
        nullable: true,
        description: getDescription('languageList'),
        ...readProperty('details', 'languageList'),
      }),
      languageAdmin: t.string({
        nullable: true,
        description: getDescription('languageAdmin'),
        ...readProperty('details', 'languageAdmin'),
      }),
      group: t.field({
        type: GroupRef,
        nullable: true,
        description: 'The group of the operator.',
        resolve: resolveIfReadable('details', ({ groupId }, { load }) => loadOrNull(load.group, groupId)),
      }),
      websites: t.field({
        type: [WebsiteRef],
        nullable: true,
        description: 'The websites that the operator is assigned to.',
        resolve: resolveIfReadable('details', ({ websiteList }, { load }) => load.website.loadAll(websiteList)),
      }),
      skills: t.field({
        type: [SkillRef],
        nullable: true,
        description: 'The skills of the operator.',
        resolve: resolveIfReadable('details', ({ skillList }, { load }) => load.skill.loadAll(skillList)),
      }),
      ssoKey: t.string({
        nullable: true,
        description:
          'The single sign-on key of the operator. For admins and write keys: not for the operator, who could log in with it after a change of the password.',
        resolve: resolveIfReadable('secret', (operator, { caller, services }) =>
          services.administration.operators.deriveSsoKey(caller.accountId, operator),
        ),
      }),
      callConfig: t.field({
        type: CallConfigRef,
        nullable: true,
        description: getDescription('callConfig'),
        resolve: resolveIfReadable('details', ({ callConfig }) => callConfig),
      }),
      live: t.field({
        type: OperatorLiveRef,
        description: 'The live state of the operator.',
        resolve: ({ id }, _args, { load }) =>
          mapLoaded(load.live.load(id), (live) => {
            if (!live) throw new Error(`Operator ${id} has no live state.`);
            return toLiveProperties(live);
          }),
      }),
      profile: t.field({
        type: OperatorProfileRef,
        nullable: true,
        description: 'The profile of the operator.',
        resolve: resolveIfReadable('details', ({ id }, { load }) => load.profile.load(id)),
      }),
      statistics: t.field({
        type: StatisticsRef,
        nullable: true,
        description: 'The statistics of the operator.',
        args: {
          from: t.arg({ type: 'DateTime', description: PERIOD_DESCRIPTIONS.from }),
          to: t.arg({ type: 'DateTime', description: PERIOD_DESCRIPTIONS.to }),
        },
        resolve: resolveIfReadable('details', ({ id }, { load }, period: Period) =>
          load.figures.load({ subject: 'operator', ownerId: id, filters: { period: toPeriod(period) } }),
        ),
      }),
    };
  },
});

const OperatorConnection = connectionType('Operator', OperatorRef);

const OPERATOR_PRELOADS: Preloads<Operator, Context> = {
  group: (operators, { load }) => load.group.preload(operators.flatMap(({ groupId }) => groupId ?? [])),
  websites: (operators, { load }) => load.website.preload(operators.flatMap(({ websiteList }) => websiteList)),
  skills: (operators, { load }) => load.skill.preload(operators.flatMap(({ skillList }) => skillList)),
  live: (operators, { load }) => load.live.preload(operators.map(({ id }) => id)),
};

builder.queryFields((t) => ({
  viewer: t.field({
    type: OperatorRef,
    description: 'The operator of the access token. FORBIDDEN for API keys.',
    resolve: async (_root, _args, { caller, load }) => {
      const viewer = await load.operator.load(requireOperatorId(caller));
      if (!viewer) throw forbiddenError();
      return viewer;
    },
  }),
  operator: t.field({
    type: OperatorRef,
    nullable: true,
    description: 'An operator by identifier.',
    args: { id: t.arg.id({ required: true, description: 'The identifier of the operator.' }) },
    resolve: (_root, { id }, { load }) => loadOrNull(load.operator, parseIdArgument(id)),
  }),
  operators: connectionField(t, {
    type: OperatorConnection,
    description: 'The operators of the account.',
    args: { filter: t.arg({ type: OperatorFilterInput, description: 'Filters for the operators.' }) },
    list: (_root, { filter }, { caller, services }) =>
      toSlicedList(services.administration.operatorQuery, caller.accountId, toOperatorFilters(filter, caller)),
    preloads: OPERATOR_PRELOADS,
  }),
}));

for (const [kind, ref] of [
  ['group', GroupRef],
  ['website', WebsiteRef],
  ['skill', SkillRef],
] as const) {
  builder.objectField(ref as typeof SkillRef, 'operators', (t) =>
    connectionField(t, {
      type: OperatorConnection,
      description: `The operators of the ${kind}.`,
      args: { filter: t.arg({ type: OperatorFilterInput, description: 'Filters for the operators.' }) },
      list: ({ id: ownerId }, { filter }, { caller, load }) => {
        const key = { kind, ownerId, filters: toOperatorFilters(filter, caller) };
        return {
          slice: (slice) => load.members.load({ ...key, slice }),
          count: () => load.memberCount.load(key),
        };
      },
      preloads: OPERATOR_PRELOADS,
    }),
  );
}
