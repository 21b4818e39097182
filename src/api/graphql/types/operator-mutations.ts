import { type Profile, profileSchema, profileUpdate } from '../../../core/administration/profile.ts';
import type { Caller } from '../../../core/kernel/caller.ts';
import { invalidField } from '../../../core/kernel/errors.ts';
import { validate } from '../../../core/kernel/validate.ts';
import { type Operator, operatorCreate, operatorSchema, operatorUpdate } from '../../../core/operators/operator.ts';
import { forbiddenError } from '../../graphql-server/errors.ts';
import { parseIdField, parseIdListField, requireId } from '../../graphql-server/ids.ts';
import { deletedIdPayload, objectPayload } from '../../graphql-server/mutation.ts';
import { builder, type InputFieldBuilder, idInput, mutation, RoleEnum } from '../builder.ts';
import type { Context } from '../context.ts';
import { OperatorRef } from './operator.ts';

const MAX_TTL_SECONDS = 300;
const DEFAULT_TTL_SECONDS = 60;

const descriptionOf = (name: keyof typeof operatorSchema.shape) => operatorSchema.shape[name].meta()?.description ?? '';

const CallConfigInput = builder.inputType('CallConfigInput', {
  description: 'How the operator answers calls. Omitted fields stay unchanged.',
  fields: (t) => ({
    type: t.string({ description: '`ANSWER_FROM_PHONE` or `ANSWER_FROM_DESK`.' }),
    askPhoneNumberAtEveryConnection: t.boolean({
      description: 'Whether the operator is asked for the phone number at every connection.',
    }),
    phoneNumber: t.string({ description: 'The phone number with international prefix. Null removes it.' }),
  }),
});

/** The input fields of creation and update. */
export function operatorFields(t: InputFieldBuilder, required: boolean) {
  const flag = (name: 'chatEnabled' | 'callEnabled' | 'videoEnabled' | 'chatAndCall' | 'chatToVideo') =>
    t.boolean({ description: descriptionOf(name) });
  const number = (name: 'chatMaxNumber' | 'chatPriority' | 'callPriority' | 'videoPriority') =>
    t.int({ description: descriptionOf(name) });
  return {
    name: t.string({ required, description: descriptionOf('name') }),
    firstName: t.string({ description: descriptionOf('firstName') }),
    pseudo: t.string({ description: descriptionOf('pseudo') }),
    email: t.string({ required, description: descriptionOf('email') }),
    externalId: t.string({ description: descriptionOf('externalId') }),
    roles: t.field({ type: [RoleEnum], description: descriptionOf('roles') }),
    chatEnabled: flag('chatEnabled'),
    callEnabled: flag('callEnabled'),
    videoEnabled: flag('videoEnabled'),
    chatMaxNumber: number('chatMaxNumber'),
    chatAndCall: flag('chatAndCall'),
    chatToVideo: flag('chatToVideo'),
    chatPriority: number('chatPriority'),
    callPriority: number('callPriority'),
    videoPriority: number('videoPriority'),
    languageList: t.stringList({ description: descriptionOf('languageList') }),
    languageAdmin: t.string({ description: descriptionOf('languageAdmin') }),
    groupId: t.id({ description: descriptionOf('groupId') }),
    websiteIds: t.idList({ description: descriptionOf('websiteList') }),
    skillIds: t.idList({ description: descriptionOf('skillList') }),
    callConfig: t.field({ type: CallConfigInput, description: descriptionOf('callConfig') }),
    password: t.string({ description: 'The password, 10 to 200 characters. Revokes all tokens of the operator.' }),
  };
}

/** Converts relations to the names and types of the core. Omitted fields stay omitted. */
function toOperatorInput(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { websiteIds, skillIds, groupId, ...rest } = input;
  return {
    ...rest,
    ...(groupId === undefined ? {} : { groupId: groupId === null ? null : parseIdField('groupId', String(groupId)) }),
    ...(websiteIds ? { websiteList: parseIdListField('websiteList', websiteIds as string[]) } : {}),
    ...(skillIds ? { skillList: parseIdListField('skillList', skillIds as string[]) } : {}),
  };
}

mutation('operatorCreate', {
  description: 'Creates an operator. Available to admins, and to managers within their groups.',
  argumentDescription: 'The operator to create.',
  input: {
    description: 'The operator to create. Omitted fields get their defaults.',
    fields: (t) => operatorFields(t, true),
  },
  payload: objectPayload('operator', OperatorRef),
  run: (commit, { caller, services }, input) =>
    services.administration.operators.create(commit, caller, validate(operatorCreate, toOperatorInput(input))),
});

mutation('operatorUpdate', {
  description: 'Updates an operator. Omitted fields stay unchanged.',
  argumentDescription: 'The fields to change.',
  input: {
    description: 'The fields to change. Omitted fields stay unchanged.',
    fields: (t) => ({
      id: t.id({ required: true, description: 'The identifier of the operator.' }),
      ...operatorFields(t, false),
    }),
  },
  payload: objectPayload('operator', OperatorRef),
  run: (commit, { caller, services: { administration } }, { id, ...fields }) =>
    administration.operators.update(
      commit,
      caller,
      requireId('operator', id),
      validate(operatorUpdate, toOperatorInput(fields)),
    ),
});

mutation('operatorDelete', {
  description: 'Deletes an operator and revokes their tokens. Conversations and statistics are retained.',
  argumentDescription: 'The operator to delete.',
  input: idInput('The operator to delete.', 'The identifier of the operator.'),
  payload: deletedIdPayload<Operator>(),
  run: (commit, { caller, services }, { id }) =>
    services.administration.operators.remove(commit, caller, requireId('operator', id)),
});

mutation('operatorAvailabilityUpdate', {
  description: 'Sets the availability of the viewer, or of an operator they manage.',
  argumentDescription: 'The availability by channel.',
  input: {
    description: 'The availability by channel. Omitted channels stay unchanged.',
    fields: (t) => ({
      id: t.id({ description: 'The operator. Defaults to the viewer.' }),
      chat: t.boolean({ description: 'Available for chat.' }),
      call: t.boolean({ description: 'Available for call.' }),
      video: t.boolean({ description: 'Available for video.' }),
    }),
  },
  payload: objectPayload('operator', OperatorRef),
  run: (commit, { caller, services }, { id, chat, call, video }) => {
    const toAvailability = (value: boolean | null | undefined) =>
      typeof value === 'boolean' ? { available: value } : undefined;
    const availability = { chat: toAvailability(chat), call: toAvailability(call), video: toAvailability(video) };
    return services.engine.live.update(commit, caller, targetOperatorId(id, caller), availability);
  },
});

mutation('operatorConnect', {
  description: 'Connects the viewer for a limited time. Call it again before that time ends.',
  argumentDescription: 'How long to stay connected.',
  input: {
    description: 'How long to stay connected.',
    fields: (t) => ({
      ttlSeconds: t.int({
        defaultValue: DEFAULT_TTL_SECONDS,
        description: `The number of seconds to stay connected, 1 to ${MAX_TTL_SECONDS}.`,
      }),
      renew: t.boolean({
        defaultValue: false,
        description:
          'Only extends a session that has not ended. Use it for automatic renewal: an operator who was taken offline by someone else stays offline.',
      }),
    }),
  },
  payload: objectPayload('operator', OperatorRef),
  run: (commit, { caller, services }, { ttlSeconds, renew }) => {
    const seconds = ttlSeconds ?? DEFAULT_TTL_SECONDS;
    if (seconds < 1 || seconds > MAX_TTL_SECONDS)
      throw invalidField('ttlSeconds', `must be between 1 and ${MAX_TTL_SECONDS}`);
    const lease = { leaseId: 'graphql', seconds, renewOnly: renew ?? false };
    return services.engine.live.connect(commit, caller, lease);
  },
});

mutation('operatorDisconnect', {
  description: 'Takes the viewer offline, or an operator they manage.',
  argumentDescription: 'The operator to disconnect.',
  input: idInput('The operator to disconnect.', 'The identifier of the operator.'),
  payload: objectPayload('operator', OperatorRef),
  run: (commit, { caller, services }, { id }) =>
    services.engine.live.update(commit, caller, requireId('operator', id), { connected: false }),
});

mutation('operatorProfileUpdate', {
  description: 'Updates the profile of the viewer, or of an operator they manage. Omitted fields stay unchanged.',
  argumentDescription: 'The fields to change.',
  input: {
    description: 'The fields to change. Omitted fields stay unchanged.',
    fields: (t) => {
      const field = (name: 'status' | 'description' | 'facebook' | 'twitter' | 'city' | 'country') =>
        t.string({ description: profileSchema.shape[name].meta()?.description ?? '' });
      return {
        id: t.id({ description: 'The operator. Defaults to the viewer.' }),
        status: field('status'),
        description: field('description'),
        facebook: field('facebook'),
        twitter: field('twitter'),
        city: field('city'),
        country: field('country'),
      };
    },
  },
  payload: objectPayload('operator', OperatorRef, ({ userId }: Profile, { load }: Context) =>
    load.operator.load(userId),
  ),
  run: (commit, { caller, services }, { id, ...fields }) =>
    services.administration.profiles.update(
      commit,
      caller,
      targetOperatorId(id, caller),
      validate(profileUpdate, fields),
    ),
});

mutation('operatorPasswordChange', {
  description:
    'Changes a password and revokes all tokens of the operator. Viewers must provide their current password to change their own.',
  argumentDescription: 'The new password.',
  input: {
    description: 'The new password.',
    fields: (t) => ({
      id: t.id({ description: 'The operator. Defaults to the viewer.' }),
      currentPassword: t.string({ description: "The current password. Required to change the viewer's own password." }),
      newPassword: t.string({ required: true, description: 'The new password, 10 to 200 characters.' }),
    }),
  },
  payload: objectPayload('operator', OperatorRef),
  run: (commit, { caller, services }, { id, currentPassword, newPassword }) => {
    const { password = '' } = validate(operatorUpdate, { password: newPassword });
    const change = { current: currentPassword ?? undefined, password };
    return services.administration.operators.changePassword(commit, caller, targetOperatorId(id, caller), change);
  },
});

mutation('operatorSsoKeyRotate', {
  description: 'Replaces the single sign-on key of an operator. The old key stops working immediately.',
  argumentDescription: 'The operator.',
  input: idInput('The operator whose key is replaced.', 'The identifier of the operator.'),
  payload: objectPayload('operator', OperatorRef),
  run: (commit, { caller, services }, { id }) =>
    services.administration.operators.rotateSsoKey(commit, caller, requireId('operator', id)),
});

/** Defaults to the viewer. */
function targetOperatorId(id: string | null | undefined, caller: Caller): number {
  if (id !== null && id !== undefined) return requireId('operator', id);
  if (caller.operatorId === null) throw forbiddenError();
  return caller.operatorId;
}
