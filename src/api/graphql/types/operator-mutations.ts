import { type Profile, profileSchema, profileUpdate } from '../../../core/administration/profile.ts';
import { type Caller, requireOperatorId } from '../../../core/kernel/caller.ts';
import { DomainError, invalidField } from '../../../core/kernel/errors.ts';
import { parseId } from '../../../core/kernel/ids.ts';
import { validate } from '../../../core/kernel/validate.ts';
import {
  type Operator,
  type OperatorUpdate,
  operatorCreate,
  operatorSchema,
  operatorUpdate,
} from '../../../core/operators/operator.ts';
import {
  findRelation,
  requireCanCreate,
  requireCanDelete,
  requireCanRotateKey,
  requireCanUpdate,
  requireSelfOrManaged,
} from '../../../core/operators/permissions.ts';
import { parseIdField, parseIdListField, requireId } from '../../graphql-server/ids.ts';
import { deletedIdPayload, objectPayload } from '../../graphql-server/mutation.ts';
import { authorizeOnOperator, requireOperatorCaller } from '../authorize.ts';
import { addMutation, builder, type InputFieldBuilder, idInput, RoleEnum } from '../builder.ts';
import type { Context } from '../context.ts';
import { OperatorRef } from './operator.ts';

const OPERATOR_DESCRIPTION = 'The operator. Defaults to the viewer; required with an API key.';
const MAX_TTL_SECONDS = 300;
const DEFAULT_TTL_SECONDS = 60;
/** No group has it. */
const UNKNOWN_GROUP_ID = 0;

const getDescription = (name: keyof typeof operatorSchema.shape) =>
  operatorSchema.shape[name].meta()?.description ?? '';

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
export function createOperatorFields(t: InputFieldBuilder, required: boolean) {
  const flag = (name: 'chatEnabled' | 'callEnabled' | 'videoEnabled' | 'chatAndCall' | 'chatToVideo') =>
    t.boolean({ description: getDescription(name) });
  const number = (name: 'chatMaxNumber' | 'chatPriority' | 'callPriority' | 'videoPriority') =>
    t.int({ description: getDescription(name) });
  return {
    name: t.string({ required, description: getDescription('name') }),
    firstName: t.string({ description: getDescription('firstName') }),
    pseudo: t.string({ description: getDescription('pseudo') }),
    email: t.string({ required, description: getDescription('email') }),
    externalId: t.string({ description: getDescription('externalId') }),
    roles: t.field({ type: [RoleEnum], description: getDescription('roles') }),
    chatEnabled: flag('chatEnabled'),
    callEnabled: flag('callEnabled'),
    videoEnabled: flag('videoEnabled'),
    chatMaxNumber: number('chatMaxNumber'),
    chatAndCall: flag('chatAndCall'),
    chatToVideo: flag('chatToVideo'),
    chatPriority: number('chatPriority'),
    callPriority: number('callPriority'),
    videoPriority: number('videoPriority'),
    languageList: t.stringList({ description: getDescription('languageList') }),
    languageAdmin: t.string({ description: getDescription('languageAdmin') }),
    groupId: t.id({ description: getDescription('groupId') }),
    websiteIds: t.idList({ description: getDescription('websiteList') }),
    skillIds: t.idList({ description: getDescription('skillList') }),
    callConfig: t.field({ type: CallConfigInput, description: getDescription('callConfig') }),
    password: t.string({ description: 'The password, 10 to 200 characters. Revokes all tokens of the operator.' }),
  };
}

/** Converts the ids of relations to the names and types that the core uses. Omitted fields stay omitted. */
function toOperatorInput(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { websiteIds, skillIds, groupId, ...rest } = input;
  return {
    ...rest,
    ...(groupId === undefined ? {} : { groupId: groupId === null ? null : parseIdField('groupId', String(groupId)) }),
    ...(websiteIds ? { websiteList: parseIdListField('websiteList', websiteIds as string[]) } : {}),
    ...(skillIds ? { skillList: parseIdListField('skillList', skillIds as string[]) } : {}),
  };
}

addMutation('operatorCreate', {
  description: 'Creates an operator. Available to admins, and to managers within their groups.',
  argumentDescription: 'The operator to create.',
  input: {
    description: 'The operator to create. Omitted fields get their defaults.',
    fields: (t) => createOperatorFields(t, true),
  },
  payload: objectPayload('operator', OperatorRef),
  authorize: ({ caller }, input) => requireCanCreate(caller, toPermissionInput(input)),
  run: (commit, { caller, services }, input) =>
    services.administration.operators.create(commit, caller, validate(operatorCreate, toOperatorInput(input))),
});

addMutation('operatorUpdate', {
  description: 'Updates an operator. Omitted fields stay unchanged.',
  argumentDescription: 'The fields to change.',
  input: {
    description: 'The fields to change. Omitted fields stay unchanged.',
    fields: (t) => ({
      id: t.id({ required: true, description: 'The identifier of the operator.' }),
      ...createOperatorFields(t, false),
    }),
  },
  payload: objectPayload('operator', OperatorRef),
  authorize: (context, { id, ...input }) =>
    authorizeOnOperator(context, id, (caller, operator) =>
      requireCanUpdate(caller, operator, toPermissionInput(input)),
    ),
  run: (commit, { caller, services: { administration } }, { id, ...fields }) =>
    administration.operators.update(
      commit,
      caller,
      requireId('operator', id),
      validate(operatorUpdate, toOperatorInput(fields)),
    ),
});

addMutation('operatorDelete', {
  description: 'Deletes an operator and revokes their tokens. Conversations and statistics are retained.',
  argumentDescription: 'The operator to delete.',
  input: idInput('The operator to delete.', 'The identifier of the operator.'),
  payload: deletedIdPayload<Operator>(),
  authorize: (context, { id }) => authorizeOnOperator(context, id, requireCanDelete),
  run: (commit, { caller, services }, { id }) =>
    services.administration.operators.delete(commit, caller, requireId('operator', id)),
});

addMutation('operatorAvailabilityUpdate', {
  description: 'Sets the availability of the viewer, or of an operator they manage.',
  argumentDescription: 'The availability by channel.',
  input: {
    description: 'The availability by channel. Omitted channels stay unchanged.',
    fields: (t) => ({
      id: t.id({ description: OPERATOR_DESCRIPTION }),
      chat: t.boolean({ description: 'Whether the operator is available for chats.' }),
      call: t.boolean({ description: 'Whether the operator is available for calls.' }),
      video: t.boolean({ description: 'Whether the operator is available for videos.' }),
      pauseReason: t.string({
        description:
          'Why channels are turned off: one of `pauseReasons` of the account. Not allowed together with a channel that is turned on. Null removes it.',
      }),
    }),
  },
  payload: objectPayload('operator', OperatorRef),
  authorize: (context, { id }) => authorizeOnOperator(context, id, requireSelfOrManaged),
  run: (commit, { caller, services }, { id, chat, call, video, pauseReason }) => {
    const toAvailability = (value: boolean | null | undefined) =>
      typeof value === 'boolean' ? { available: value } : undefined;
    const availability = { chat: toAvailability(chat), call: toAvailability(call), video: toAvailability(video) };
    return services.engine.live.update(commit, caller, resolveOperatorId(id, caller), availability, pauseReason);
  },
});

addMutation('operatorConnect', {
  description: 'Connects the viewer for a limited time. Call it again before that time ends. FORBIDDEN for API keys.',
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
          'Only renews a lease that has not ended. Use it for automatic renewal: an operator who was taken offline by someone else stays offline.',
      }),
    }),
  },
  payload: objectPayload('operator', OperatorRef),
  authorize: requireOperatorCaller,
  run: (commit, { caller, services }, { ttlSeconds, renew }) => {
    const seconds = ttlSeconds ?? DEFAULT_TTL_SECONDS;
    if (seconds < 1 || seconds > MAX_TTL_SECONDS)
      throw invalidField('ttlSeconds', `must be between 1 and ${MAX_TTL_SECONDS}`);
    const lease = { leaseId: 'graphql', seconds, renewOnly: renew ?? false };
    return services.engine.live.connect(commit, caller, lease);
  },
});

addMutation('operatorDisconnect', {
  description: 'Takes offline the viewer or an operator they manage.',
  argumentDescription: 'The operator to disconnect.',
  input: idInput('The operator to disconnect.', 'The identifier of the operator.'),
  payload: objectPayload('operator', OperatorRef),
  authorize: (context, { id }) => authorizeOnOperator(context, id, requireSelfOrManaged),
  run: (commit, { caller, services }, { id }) =>
    services.engine.live.update(commit, caller, requireId('operator', id), { connected: false }),
});

addMutation('operatorProfileUpdate', {
  description: 'Updates the profile of the viewer, or of an operator they manage. Omitted fields stay unchanged.',
  argumentDescription: 'The fields to change.',
  input: {
    description: 'The fields to change. Omitted fields stay unchanged.',
    fields: (t) => {
      const field = (name: 'status' | 'description' | 'facebook' | 'twitter' | 'city' | 'country') =>
        t.string({ description: profileSchema.shape[name].meta()?.description ?? '' });
      return {
        id: t.id({ description: OPERATOR_DESCRIPTION }),
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
  authorize: (context, { id }) => authorizeOnOperator(context, id, requireSelfOrManaged),
  run: (commit, { caller, services }, { id, ...fields }) =>
    services.administration.profiles.update(
      commit,
      caller,
      resolveOperatorId(id, caller),
      validate(profileUpdate, fields),
    ),
});

addMutation('operatorPasswordChange', {
  description:
    'Changes a password and revokes all tokens of the operator. Viewers who change their own password must provide the current one.',
  argumentDescription: 'The new password.',
  input: {
    description: 'The new password.',
    fields: (t) => ({
      id: t.id({ description: OPERATOR_DESCRIPTION }),
      currentPassword: t.string({ description: "The current password. Required to change the viewer's own password." }),
      newPassword: t.string({ required: true, description: 'The new password, 10 to 200 characters.' }),
    }),
  },
  payload: objectPayload('operator', OperatorRef),
  authorize: (context, { id, newPassword }) =>
    authorizeOnOperator(context, id, (caller, operator) => {
      if (findRelation(caller, operator) !== 'self') requireCanUpdate(caller, operator, { password: newPassword });
    }),
  run: async (commit, { caller, services: { administration } }, { id, currentPassword, newPassword }) => {
    try {
      const { password = '' } = validate(operatorUpdate, { password: newPassword });
      const change = { current: currentPassword ?? undefined, password };
      return await administration.operators.changePassword(commit, caller, resolveOperatorId(id, caller), change);
    } catch (error) {
      throw renameField(error, 'password', 'newPassword');
    }
  },
});

/** For an input field with another name than the field of the operator. */
function renameField(error: unknown, from: string, to: string): unknown {
  if (!(error instanceof DomainError) || error.details.problems === undefined) return error;
  const problems = error.details.problems.map((problem) => ({
    ...problem,
    path: problem.path.map((part) => (part === from ? to : part)),
  }));
  return new DomainError(error.kind, error.message, { ...error.details, problems });
}

addMutation('operatorSsoKeyRotate', {
  description: 'Replaces the single sign-on key of an operator. The old key stops working immediately.',
  argumentDescription: 'The operator.',
  input: idInput('The operator whose key is replaced.', 'The identifier of the operator.'),
  payload: objectPayload('operator', OperatorRef),
  authorize: (context, { id }) => authorizeOnOperator(context, id, requireCanRotateKey),
  run: (commit, { caller, services }, { id }) =>
    services.administration.operators.rotateSsoKey(commit, caller, requireId('operator', id)),
});

/** The input as far as permissions depend on it. A group that is not valid is one that no manager manages. */
function toPermissionInput({ groupId, ...input }: Readonly<Record<string, unknown>>): OperatorUpdate {
  if (groupId === undefined || groupId === null) return { ...input, groupId };
  return { ...input, groupId: parseId(String(groupId)) ?? UNKNOWN_GROUP_ID };
}

/** Returns the requested operator's id, by default the viewer's. */
function resolveOperatorId(id: string | null | undefined, caller: Caller): number {
  if (id !== null && id !== undefined) return requireId('operator', id);
  return requireOperatorId(caller);
}
