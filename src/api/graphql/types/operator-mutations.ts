import { type Profile, profileSchema, profileUpdate } from '../../../core/administration/profile.ts';
import { invalidField } from '../../../core/kernel/errors.ts';
import { validate } from '../../../core/kernel/validate.ts';
import { type Operator, operatorCreate, operatorSchema, operatorUpdate } from '../../../core/operators/operator.ts';
import { forbiddenError } from '../../graphql-server/errors.ts';
import { idOf, inputId, inputIds } from '../../graphql-server/ids.ts';
import { builder, RoleEnum } from '../builder.ts';
import type { Context } from '../context.ts';
import { deletedType, payloadType } from '../mutation.ts';
import { OperatorRef } from './operator.ts';

const LONGEST_TTL = 300;
const DEFAULT_TTL = 60;

/** What a field means is written once, in the schema of the core. */
const text = (name: keyof typeof operatorSchema.shape) => operatorSchema.shape[name].meta()?.description ?? '';

const CallConfigInput = builder.inputType('CallConfigInput', {
  description: 'Where and how calls are answered. Merged with what is set.',
  fields: (t) => ({
    type: t.string({ description: '`ANSWER_FROM_PHONE` or `ANSWER_FROM_DESK`.' }),
    askPhoneNumberAtEveryConnection: t.boolean({ description: 'Whether the operator is asked at each connection.' }),
    phoneNumber: t.string({ description: 'Number with international prefix; null takes it away.' }),
  }),
});

type InputFieldBuilder = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0];

/** The fields that both creation and update take. */
export function operatorFields(t: InputFieldBuilder, required: boolean) {
  const flag = (name: 'chatEnabled' | 'callEnabled' | 'videoEnabled' | 'chatAndCall' | 'chatToVideo') =>
    t.boolean({ description: text(name) });
  const number = (name: 'chatMaxNumber' | 'chatPriority' | 'callPriority' | 'videoPriority') =>
    t.int({ description: text(name) });
  return {
    name: t.string({ required, description: text('name') }),
    firstName: t.string({ description: text('firstName') }),
    pseudo: t.string({ description: text('pseudo') }),
    email: t.string({ required, description: text('email') }),
    externalId: t.string({ description: text('externalId') }),
    roles: t.field({ type: [RoleEnum], description: text('roles') }),
    chatEnabled: flag('chatEnabled'),
    callEnabled: flag('callEnabled'),
    videoEnabled: flag('videoEnabled'),
    chatMaxNumber: number('chatMaxNumber'),
    chatAndCall: flag('chatAndCall'),
    chatToVideo: flag('chatToVideo'),
    chatPriority: number('chatPriority'),
    callPriority: number('callPriority'),
    videoPriority: number('videoPriority'),
    languageList: t.stringList({ description: text('languageList') }),
    languageAdmin: t.string({ description: text('languageAdmin') }),
    groupId: t.id({ description: text('groupId') }),
    websiteIds: t.idList({ description: text('websiteList') }),
    skillIds: t.idList({ description: text('skillList') }),
    callConfig: t.field({ type: CallConfigInput, description: text('callConfig') }),
    password: t.string({ description: 'Password, 10 to 200 characters. Ends all tokens of the operator.' }),
  };
}

export const OperatorCreateInput = builder.inputType('OperatorCreateInput', {
  description: 'A new operator. What is left out gets its default.',
  fields: (t) => operatorFields(t, true),
});

const OperatorUpdateInput = builder.inputType('OperatorUpdateInput', {
  description: 'A change of an operator. What is left out stays as it is.',
  fields: (t) => ({ id: t.id({ required: true, description: 'Who is changed.' }), ...operatorFields(t, false) }),
});

const operatorPayload = (name: string) => payloadType<Operator>(name, { name: 'operator', type: OperatorRef });

const idInput = (name: string, description: string) =>
  builder.inputType(name, {
    description,
    fields: (t) => ({ id: t.id({ required: true, description: 'Identifier.' }) }),
  });

/** The input in the words of the core: relations by number, and nothing that was left out. */
function toFields(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { websiteIds, skillIds, groupId, ...rest } = input;
  return {
    ...rest,
    ...(groupId === undefined ? {} : { groupId: groupId === null ? null : inputId('groupId', String(groupId)) }),
    ...(websiteIds ? { websiteList: inputIds('websiteList', websiteIds as string[]) } : {}),
    ...(skillIds ? { skillList: inputIds('skillList', skillIds as string[]) } : {}),
  };
}

builder.mutationFields((t) => ({
  operatorCreate: t.field({
    type: operatorPayload('OperatorCreate'),
    description: 'Makes an operator. For admins, and for managers within their groups.',
    args: { input: t.arg({ type: OperatorCreateInput, required: true, description: 'The operator.' }) },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<Operator>(async (commit) =>
        services.administration.operators.create(commit, caller, validate(operatorCreate, toFields(input))),
      ),
  }),
  operatorUpdate: t.field({
    type: operatorPayload('OperatorUpdate'),
    description: 'Changes the fields that it names and no others.',
    args: { input: t.arg({ type: OperatorUpdateInput, required: true, description: 'The change.' }) },
    resolve: (_root, { input: { id, ...fields } }, { caller, services, changes }) =>
      changes.run<Operator>(async (commit) =>
        services.administration.operators.update(
          commit,
          caller,
          idOf('operator', id),
          validate(operatorUpdate, toFields(fields)),
        ),
      ),
  }),
  operatorDelete: t.field({
    type: deletedType('OperatorDelete'),
    description: 'Deletes an operator. Conversations and statistics stay; tokens end.',
    args: {
      input: t.arg({ type: idInput('OperatorDeleteInput', 'Who is deleted.'), required: true, description: 'Who.' }),
    },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<Operator>(async (commit) =>
        services.administration.operators.remove(commit, caller, idOf('operator', input.id)),
      ),
  }),
  operatorAvailabilityUpdate: t.field({
    type: operatorPayload('OperatorAvailabilityUpdate'),
    description: 'Sets the wish for channels: of oneself, or of somebody whom one manages.',
    args: {
      input: t.arg({
        type: builder.inputType('OperatorAvailabilityUpdateInput', {
          description: 'The wishes. What is left out stays.',
          fields: (f) => ({
            id: f.id({ description: 'Whose; oneself if left out.' }),
            chat: f.boolean({ description: 'Available for chat.' }),
            call: f.boolean({ description: 'Available for call.' }),
            video: f.boolean({ description: 'Available for video.' }),
          }),
        }),
        required: true,
        description: 'The wishes.',
      }),
    },
    resolve: (_root, { input }, context) =>
      context.changes.run<Operator>(async (commit) => {
        const id = target(input.id, context);
        const wish = (value: boolean | null | undefined) =>
          typeof value === 'boolean' ? { available: value } : undefined;
        const wishes = { chat: wish(input.chat), call: wish(input.call), video: wish(input.video) };
        return context.services.engine.live.update(commit, context.caller, id, wishes);
      }),
  }),
  operatorConnect: t.field({
    type: operatorPayload('OperatorConnect'),
    description: 'Holds the viewer connected for a while; call it again before it ends.',
    args: {
      input: t.arg({
        type: builder.inputType('OperatorConnectInput', {
          description: 'For how long.',
          fields: (f) => ({
            ttlSeconds: f.int({
              defaultValue: DEFAULT_TTL,
              description: `Seconds until it ends by itself: 1 to ${LONGEST_TTL}.`,
            }),
            renew: f.boolean({
              defaultValue: false,
              description:
                'For automatic renewal: only prolongs a session that has not ended. A client that was taken offline by somebody else stays offline.',
            }),
          }),
        }),
        required: true,
        description: 'For how long.',
      }),
    },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<Operator>(async (commit) => {
        const seconds = input.ttlSeconds ?? DEFAULT_TTL;
        if (seconds < 1 || seconds > LONGEST_TTL)
          throw invalidField('ttlSeconds', `must be between 1 and ${LONGEST_TTL}`);
        return services.engine.live.connect(commit, caller, {
          leaseId: 'graphql',
          seconds,
          onlyProlong: input.renew ?? false,
        });
      }),
  }),
  operatorDisconnect: t.field({
    type: operatorPayload('OperatorDisconnect'),
    description: 'Takes an operator offline: oneself, or somebody whom one manages.',
    args: {
      input: t.arg({
        type: idInput('OperatorDisconnectInput', 'Who goes offline.'),
        required: true,
        description: 'Who.',
      }),
    },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<Operator>(async (commit) =>
        services.engine.live.update(commit, caller, idOf('operator', input.id), { connected: false }),
      ),
  }),
  operatorProfileUpdate: t.field({
    type: payloadType<Profile>('OperatorProfileUpdate', {
      name: 'operator',
      type: OperatorRef,
      of: (profile, { load }) => load.operator.load(profile.userId),
    }),
    description: 'Changes the profile: the own one, or of somebody whom one manages.',
    args: {
      input: t.arg({
        type: builder.inputType('OperatorProfileUpdateInput', {
          description: 'What is left out stays.',
          fields: (f) => ({
            id: f.id({ description: 'Whose; oneself if left out.' }),
            ...Object.fromEntries(
              (['status', 'description', 'facebook', 'twitter', 'city', 'country'] as const).map((name) => [
                name,
                f.string({ description: profileSchema.shape[name].meta()?.description ?? '' }),
              ]),
            ),
          }),
        }),
        required: true,
        description: 'The change.',
      }),
    },
    resolve: (_root, { input: { id: whose, ...fields } }, context) =>
      context.changes.run<Profile>(async (commit) => {
        const { services, caller } = context;
        return services.administration.profiles.update(
          commit,
          caller,
          target(whose as string | null | undefined, context),
          validate(profileUpdate, fields),
        );
      }),
  }),
  operatorPasswordChange: t.field({
    type: operatorPayload('OperatorPasswordChange'),
    description: 'Sets a new password and ends all tokens. The own one needs the present one.',
    args: {
      input: t.arg({
        type: builder.inputType('OperatorPasswordChangeInput', {
          description: 'The new password.',
          fields: (f) => ({
            id: f.id({ description: 'Whose; oneself if left out.' }),
            currentPassword: f.string({ description: 'The present password; needed for the own one.' }),
            newPassword: f.string({ required: true, description: '10 to 200 characters.' }),
          }),
        }),
        required: true,
        description: 'The new password.',
      }),
    },
    resolve: (_root, { input }, context) =>
      context.changes.run<Operator>(async (commit) => {
        const { password = '' } = validate(operatorUpdate, { password: input.newPassword });
        const change = { current: input.currentPassword ?? undefined, password };
        return context.services.administration.operators.changePassword(
          commit,
          context.caller,
          target(input.id, context),
          change,
        );
      }),
  }),
  operatorSsoKeyRotate: t.field({
    type: operatorPayload('OperatorSsoKeyRotate'),
    description: 'Makes a new key for single sign-on; the old one is worth nothing from now on.',
    args: {
      input: t.arg({ type: idInput('OperatorSsoKeyRotateInput', 'Whose key.'), required: true, description: 'Whose.' }),
    },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<Operator>(async (commit) =>
        services.administration.operators.rotateSsoKey(commit, caller, idOf('operator', input.id)),
      ),
  }),
}));

/** Whom a mutation means: the named one, or the viewer. */
function target(id: string | null | undefined, { caller }: Context): number {
  if (id !== null && id !== undefined) return idOf('operator', id);
  if (caller.operatorId === null) throw forbiddenError();
  return caller.operatorId;
}
