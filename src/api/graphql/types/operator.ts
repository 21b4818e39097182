import type { Profile } from '../../../core/administration/profile.ts';
import { highestRole, type Operator, operatorSchema } from '../../../core/operators/operator.ts';
import { canRead, type Visibility } from '../../../core/operators/permissions.ts';
import { listOf } from '../../graphql-server/connection.ts';
import { forbiddenError } from '../../graphql-server/errors.ts';
import { readId } from '../../graphql-server/ids.ts';
import { loadOrNull } from '../../graphql-server/loaders.ts';
import { builder, connectionField, connectionType, RoleEnum } from '../builder.ts';
import type { Context } from '../context.ts';
import { existing } from '../loaders.ts';
import { GroupRef, SkillRef, WebsiteRef } from './directory.ts';
import { OperatorLiveRef } from './live.ts';
import { OperatorFilterInput, readOperatorFilter } from './operator-filter.ts';
import { PERIOD, type Period, readPeriod, StatisticsRef } from './statistics.ts';

export const OperatorRef = builder.objectRef<Operator>('Operator');

/** What a field means is written once, in the schema of the core. */
const text = (name: keyof typeof operatorSchema.shape) => operatorSchema.shape[name].meta()?.description ?? '';

/** Refuses a field that the viewer may not read: it is null, with an error at its path. */
function readable<Args extends object, T>(
  what: Visibility,
  read: (operator: Operator, context: Context, args: Args) => T,
) {
  return (operator: Operator, args: Args, context: Context): T => {
    if (!canRead(context.caller, operator, what)) throw forbiddenError();
    return read(operator, context, args);
  };
}

const CallConfigRef = builder.objectRef<Operator['callConfig']>('CallConfig').implement({
  description: 'Where and how calls are answered.',
  fields: (t) => ({
    type: t.exposeString('type', { description: '`ANSWER_FROM_PHONE` or `ANSWER_FROM_DESK`.' }),
    askPhoneNumberAtEveryConnection: t.exposeBoolean('askPhoneNumberAtEveryConnection', {
      description: 'Whether the operator is asked at each connection to change the phone number.',
    }),
    phoneNumber: t.string({
      nullable: true,
      description: 'The number in E.164, if one is set.',
      resolve: (config) => config.phoneNumber ?? null,
    }),
  }),
});

const OperatorProfileRef = builder.objectRef<Profile>('OperatorProfile').implement({
  description: 'What an operator tells about themself. What was never filled is empty.',
  fields: (t) => ({
    status: t.exposeString('status', { description: 'Short status text.' }),
    description: t.exposeString('description', { description: 'About the operator.' }),
    facebook: t.exposeString('facebook', { description: 'Identifier there.' }),
    twitter: t.exposeString('twitter', { description: 'Identifier there.' }),
    city: t.exposeString('city', { description: 'City.' }),
    country: t.exposeString('country', { description: 'Country.' }),
  }),
});

OperatorRef.implement({
  description: 'Somebody who answers visitors, and who logs in. Most fields are readable by few: see each one.',
  fields: (t) => {
    const details = <K extends keyof Operator>(name: K) => readable('details', (operator) => operator[name]);
    const flag = (name: 'chatEnabled' | 'callEnabled' | 'videoEnabled' | 'chatAndCall' | 'chatToVideo') =>
      t.boolean({ nullable: true, description: text(name), resolve: details(name) });
    const number = (name: 'chatMaxNumber' | 'chatPriority' | 'callPriority' | 'videoPriority') =>
      t.int({ nullable: true, description: text(name), resolve: details(name) });
    return {
      id: t.exposeID('id', { description: text('id') }),
      name: t.string({
        nullable: true,
        description: text('name'),
        resolve: readable('names', ({ name }) => name),
      }),
      firstName: t.string({
        nullable: true,
        description: text('firstName'),
        resolve: readable('names', ({ firstName }) => firstName),
      }),
      pseudo: t.exposeString('pseudo', { description: text('pseudo') }),
      email: t.string({ nullable: true, description: text('email'), resolve: details('email') }),
      externalId: t.string({ nullable: true, description: text('externalId'), resolve: details('externalId') }),
      role: t.field({
        type: RoleEnum,
        nullable: true,
        description: text('role'),
        deprecationReason: 'Use roles.',
        resolve: readable('details', ({ roles }) => highestRole(roles)),
      }),
      roles: t.field({
        type: [RoleEnum],
        nullable: true,
        description: text('roles'),
        resolve: details('roles'),
      }),
      chatEnabled: flag('chatEnabled'),
      callEnabled: flag('callEnabled'),
      videoEnabled: flag('videoEnabled'),
      chatMaxNumber: number('chatMaxNumber'),
      chatAndCall: flag('chatAndCall'),
      chatToVideo: flag('chatToVideo'),
      chatPriority: number('chatPriority'),
      callPriority: number('callPriority'),
      videoPriority: number('videoPriority'),
      languageList: t.stringList({
        nullable: true,
        description: text('languageList'),
        resolve: details('languageList'),
      }),
      languageAdmin: t.string({
        nullable: true,
        description: text('languageAdmin'),
        resolve: details('languageAdmin'),
      }),
      group: t.field({
        type: GroupRef,
        nullable: true,
        description: 'The group that the operator belongs to.',
        resolve: readable('details', ({ groupId }, { load }) => loadOrNull(load.group, groupId)),
      }),
      websites: t.field({
        type: [WebsiteRef],
        nullable: true,
        description: 'The websites whose visitors the operator answers.',
        resolve: readable('details', async ({ websiteList }, { load }) =>
          existing(await load.website.loadMany(websiteList)),
        ),
      }),
      skills: t.field({
        type: [SkillRef],
        nullable: true,
        description: 'The skills that the operator holds.',
        resolve: readable('details', async ({ skillList }, { load }) => existing(await load.skill.loadMany(skillList))),
      }),
      ssoKey: t.string({
        nullable: true,
        description: 'Single sign-on token of the operator. Readable by the operator and by admins.',
        resolve: readable('secret', (operator, { caller, services }) =>
          services.administration.operators.ssoKeyOf(caller.accountId, operator),
        ),
      }),
      callConfig: t.field({
        type: CallConfigRef,
        nullable: true,
        description: text('callConfig'),
        resolve: details('callConfig'),
      }),
      live: t.field({
        type: OperatorLiveRef,
        description: 'Whether the operator is there, and for what.',
        resolve: async (operator, _args, { load }) => {
          const live = await load.live.load(operator.id);
          if (!live) throw new Error(`The operator ${operator.id} has no live row.`);
          return live.state;
        },
      }),
      profile: t.field({
        type: OperatorProfileRef,
        nullable: true,
        description: 'What the operator tells about themself.',
        resolve: readable('details', ({ id }, { load }) => load.profile.load(id)),
      }),
      statistics: t.field({
        type: StatisticsRef,
        nullable: true,
        description: 'Figures of the operator.',
        args: {
          from: t.arg({ type: 'DateTime', description: PERIOD.from }),
          to: t.arg({ type: 'DateTime', description: PERIOD.to }),
        },
        resolve: readable('details', ({ id }, { load }, period: Period) =>
          load.figures.load({ subject: 'operator', ownerId: id, filters: { period: readPeriod(period) } }),
        ),
      }),
    };
  },
});

const OperatorConnection = connectionType('Operator', OperatorRef);

builder.queryFields((t) => ({
  viewer: t.field({
    type: OperatorRef,
    description: 'The operator whose token it is.',
    resolve: async (_root, _args, { caller, load }) => {
      const viewer = caller.operatorId === null ? undefined : await load.operator.load(caller.operatorId);
      if (!viewer) throw forbiddenError();
      return viewer;
    },
  }),
  operator: t.field({
    type: OperatorRef,
    nullable: true,
    description: 'An operator by their identifier.',
    args: { id: t.arg.id({ required: true, description: 'Identifier.' }) },
    resolve: (_root, { id }, { load }) => loadOrNull(load.operator, readId(id)),
  }),
  operators: connectionField(t, {
    type: OperatorConnection,
    description: 'The operators of the account.',
    args: { filter: t.arg({ type: OperatorFilterInput, description: 'Which ones.' }) },
    list: (_root, { filter }, { caller, services }) =>
      listOf(services.administration.operatorQuery, caller.accountId, readOperatorFilter(filter, caller)),
  }),
}));

/** The members of groups, websites and skills: those of one request are read together. */
for (const [kind, ref] of [
  ['group', GroupRef],
  ['website', WebsiteRef],
  ['skill', SkillRef],
] as const) {
  builder.objectField(ref as typeof SkillRef, 'operators', (t) =>
    connectionField(t, {
      type: OperatorConnection,
      description: `The operators of the ${kind}.`,
      args: { filter: t.arg({ type: OperatorFilterInput, description: 'Which of them.' }) },
      list: ({ id: ownerId }, { filter }, { caller, load }) => {
        const question = { kind, ownerId, filters: readOperatorFilter(filter, caller) };
        return {
          slice: (slice) => load.members.load({ ...question, slice }),
          count: () => load.memberCount.load(question),
        };
      },
    }),
  );
}
