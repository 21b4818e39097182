import type { Profile } from '../../../core/administration/profile.ts';
import { highestRole, type Operator, operatorSchema } from '../../../core/operators/operator.ts';
import type { MembershipKind } from '../../../core/operators/operator-slices.ts';
import { mayRead, type Visibility } from '../../../core/operators/permissions.ts';
import { type Connection, readSlice } from '../../graphql-server/connection.ts';
import { forbiddenError } from '../../graphql-server/errors.ts';
import { readId } from '../../graphql-server/ids.ts';
import { builder, RoleEnum } from '../builder.ts';
import { connectionType, sliceArguments } from '../connection.ts';
import type { Context } from '../context.ts';
import { existing } from '../loaders.ts';
import { GroupRef, SkillRef, WebsiteRef } from './directory.ts';
import { OperatorLiveRef } from './live.ts';
import { OperatorFilterInput, readOperatorFilter } from './operator-filter.ts';
import { PERIOD, readPeriod, StatisticsRef } from './statistics.ts';

export const OperatorRef = builder.objectRef<Operator>('Operator');

/** What a field means is written once, in the schema of the core. */
const text = (name: keyof typeof operatorSchema.shape) => operatorSchema.shape[name].meta()?.description ?? '';

/** Refuses a field that the viewer may not read: it is null, with an error at its path. */
function readable(operator: Operator, { caller }: Context, what: Visibility): void {
  if (!mayRead(caller, operator, what)) throw forbiddenError();
}

const CallConfigRef = builder.objectRef<Operator['callConfig']>('CallConfig').implement({
  description: 'Where and how calls are answered.',
  fields: (t) => ({
    type: t.string({ description: '`ANSWER_FROM_PHONE` or `ANSWER_FROM_DESK`.', resolve: (config) => config.type }),
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
    const details =
      <K extends keyof Operator>(name: K) =>
      (operator: Operator, _args: object, context: Context) => {
        readable(operator, context, 'details');
        return operator[name];
      };
    const flag = (name: 'chatEnabled' | 'callEnabled' | 'videoEnabled' | 'chatAndCall' | 'chatToVideo') =>
      t.boolean({ nullable: true, description: text(name), resolve: details(name) });
    const number = (name: 'chatMaxNumber' | 'chatPriority' | 'callPriority' | 'videoPriority') =>
      t.int({ nullable: true, description: text(name), resolve: details(name) });
    return {
      id: t.exposeID('id', { description: text('id') }),
      name: t.string({
        nullable: true,
        description: text('name'),
        resolve: (operator, _args, context) => {
          readable(operator, context, 'names');
          return operator.name;
        },
      }),
      firstName: t.string({
        nullable: true,
        description: text('firstName'),
        resolve: (operator, _args, context) => {
          readable(operator, context, 'names');
          return operator.firstName;
        },
      }),
      pseudo: t.exposeString('pseudo', { description: text('pseudo') }),
      email: t.string({ nullable: true, description: text('email'), resolve: details('email') }),
      externalId: t.string({ nullable: true, description: text('externalId'), resolve: details('externalId') }),
      role: t.field({
        type: RoleEnum,
        nullable: true,
        description: text('role'),
        deprecationReason: 'Use roles.',
        resolve: (operator, _args, context) => {
          readable(operator, context, 'details');
          return highestRole(operator.roles);
        },
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
        resolve: async (operator, _args, context) => {
          readable(operator, context, 'details');
          return operator.groupId === null ? null : ((await context.load.group.load(operator.groupId)) ?? null);
        },
      }),
      websites: t.field({
        type: [WebsiteRef],
        nullable: true,
        description: 'The websites whose visitors the operator answers.',
        resolve: async (operator, _args, context) => {
          readable(operator, context, 'details');
          return existing(await context.load.website.loadMany(operator.websiteList));
        },
      }),
      skills: t.field({
        type: [SkillRef],
        nullable: true,
        description: 'The skills that the operator holds.',
        resolve: async (operator, _args, context) => {
          readable(operator, context, 'details');
          return existing(await context.load.skill.loadMany(operator.skillList));
        },
      }),
      ssoKey: t.string({
        nullable: true,
        description: 'Single sign-on token of the operator. Readable by the operator and by admins.',
        resolve: (operator, _args, context) => {
          readable(operator, context, 'secret');
          return context.services.administration.operators.ssoKeyOf(context.caller.accountId, operator);
        },
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
        resolve: (operator, _args, context) => {
          readable(operator, context, 'details');
          return context.load.profile.load(operator.id);
        },
      }),
      statistics: t.field({
        type: StatisticsRef,
        nullable: true,
        description: 'Figures of the operator.',
        args: {
          from: t.arg({ type: 'DateTime', description: PERIOD.from }),
          to: t.arg({ type: 'DateTime', description: PERIOD.to }),
        },
        resolve: (operator, period, context) => {
          readable(operator, context, 'details');
          return context.load.figures.load({
            subject: 'operator',
            ownerId: operator.id,
            filters: { period: readPeriod(period) },
          });
        },
      }),
    };
  },
});

export const OperatorConnection = connectionType('Operator', OperatorRef);

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
    resolve: async (_root, { id: text }, { load }) => {
      const id = readId(text);
      return id === undefined ? null : ((await load.operator.load(id)) ?? null);
    },
  }),
  operators: t.field({
    type: OperatorConnection,
    description: 'The operators of the account.',
    args: { filter: t.arg({ type: OperatorFilterInput, description: 'Which ones.' }), ...sliceArguments(t.arg) },
    resolve: async (_root, { filter, ...slice }, context): Promise<Connection<Operator>> => {
      const { caller, services } = context;
      const filters = readOperatorFilter(filter, caller);
      return {
        ...(await services.administration.operatorQuery.slice(caller.accountId, filters, readSlice(slice))),
        totalCount: () => services.administration.operatorQuery.count(caller.accountId, filters),
      };
    },
  }),
}));

/** The members of groups, websites and skills: those of one request are read together. */
for (const [kind, ref] of [
  ['group', GroupRef],
  ['website', WebsiteRef],
  ['skill', SkillRef],
] as const) {
  builder.objectField(ref as typeof SkillRef, 'operators', (t) =>
    t.field({
      type: OperatorConnection,
      description: `The operators of the ${kind}.`,
      args: { filter: t.arg({ type: OperatorFilterInput, description: 'Which of them.' }), ...sliceArguments(t.arg) },
      resolve: (owner, { filter, ...slice }, context) =>
        membersOf(kind, owner.id, context, readOperatorFilter(filter, context.caller), slice),
    }),
  );
}

async function membersOf(
  kind: MembershipKind,
  ownerId: number,
  { load }: Context,
  filters: ReturnType<typeof readOperatorFilter>,
  slice: Parameters<typeof readSlice>[0],
): Promise<Connection<Operator>> {
  const question = { kind, ownerId, filters, slice: readSlice(slice) };
  return { ...(await load.members.load(question)), totalCount: () => load.memberCount.load(question) };
}
