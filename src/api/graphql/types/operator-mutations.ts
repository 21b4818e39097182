import { type Profile, profileSchema, profileUpdate } from '../../../core/administration/profile.ts';
import type { Caller } from '../../../core/kernel/caller.ts';
import { invalidField } from '../../../core/kernel/errors.ts';
import { validate } from '../../../core/kernel/validate.ts';
import { type Operator, operatorCreate, operatorSchema, operatorUpdate } from '../../../core/operators/operator.ts';
import { forbiddenError } from '../../graphql-server/errors.ts';
import { idOf, inputId, inputIds } from '../../graphql-server/ids.ts';
import { changed, deleted } from '../../graphql-server/mutation.ts';
import { builder, type InputFieldBuilder, idInput, mutation, RoleEnum } from '../builder.ts';
import type { Context } from '../context.ts';
import { OperatorRef } from './operator.ts';

const MAX_TTL = 300;
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

mutation('operatorCreate', {
  description: 'Makes an operator. For admins, and for managers within their groups.',
  argument: 'The operator.',
  input: {
    description: 'A new operator. What is left out gets its default.',
    fields: (t) => operatorFields(t, true),
  },
  answer: changed('operator', OperatorRef),
  run: (commit, { caller, services }, input) =>
    services.administration.operators.create(commit, caller, validate(operatorCreate, toFields(input))),
});

mutation('operatorUpdate', {
  description: 'Changes the fields that it names and no others.',
  argument: 'The change.',
  input: {
    description: 'A change of an operator. What is left out stays as it is.',
    fields: (t) => ({ id: t.id({ required: true, description: 'Who is changed.' }), ...operatorFields(t, false) }),
  },
  answer: changed('operator', OperatorRef),
  run: (commit, { caller, services: { administration } }, { id, ...fields }) =>
    administration.operators.update(commit, caller, idOf('operator', id), validate(operatorUpdate, toFields(fields))),
});

mutation('operatorDelete', {
  description: 'Deletes an operator. Conversations and statistics stay; tokens end.',
  argument: 'Who.',
  input: idInput('Who is deleted.'),
  answer: deleted<Operator>(),
  run: (commit, { caller, services }, { id }) =>
    services.administration.operators.remove(commit, caller, idOf('operator', id)),
});

mutation('operatorAvailabilityUpdate', {
  description: 'Sets the wish for channels: of oneself, or of somebody whom one manages.',
  argument: 'The wishes.',
  input: {
    description: 'The wishes. What is left out stays.',
    fields: (t) => ({
      id: t.id({ description: 'Whose; oneself if left out.' }),
      chat: t.boolean({ description: 'Available for chat.' }),
      call: t.boolean({ description: 'Available for call.' }),
      video: t.boolean({ description: 'Available for video.' }),
    }),
  },
  answer: changed('operator', OperatorRef),
  run: (commit, { caller, services }, { id, chat, call, video }) => {
    const wish = (value: boolean | null | undefined) => (typeof value === 'boolean' ? { available: value } : undefined);
    const wishes = { chat: wish(chat), call: wish(call), video: wish(video) };
    return services.engine.live.update(commit, caller, target(id, caller), wishes);
  },
});

mutation('operatorConnect', {
  description: 'Holds the viewer connected for a while; call it again before it ends.',
  argument: 'For how long.',
  input: {
    description: 'For how long.',
    fields: (t) => ({
      ttlSeconds: t.int({
        defaultValue: DEFAULT_TTL,
        description: `Seconds until it ends by itself: 1 to ${MAX_TTL}.`,
      }),
      renew: t.boolean({
        defaultValue: false,
        description:
          'For automatic renewal: only prolongs a session that has not ended. A client that was taken offline by somebody else stays offline.',
      }),
    }),
  },
  answer: changed('operator', OperatorRef),
  run: (commit, { caller, services }, { ttlSeconds, renew }) => {
    const seconds = ttlSeconds ?? DEFAULT_TTL;
    if (seconds < 1 || seconds > MAX_TTL) throw invalidField('ttlSeconds', `must be between 1 and ${MAX_TTL}`);
    const lease = { leaseId: 'graphql', seconds, onlyProlong: renew ?? false };
    return services.engine.live.connect(commit, caller, lease);
  },
});

mutation('operatorDisconnect', {
  description: 'Takes an operator offline: oneself, or somebody whom one manages.',
  argument: 'Who.',
  input: idInput('Who goes offline.'),
  answer: changed('operator', OperatorRef),
  run: (commit, { caller, services }, { id }) =>
    services.engine.live.update(commit, caller, idOf('operator', id), { connected: false }),
});

mutation('operatorProfileUpdate', {
  description: 'Changes the profile: the own one, or of somebody whom one manages.',
  argument: 'The change.',
  input: {
    description: 'What is left out stays.',
    fields: (t) => {
      const field = (name: 'status' | 'description' | 'facebook' | 'twitter' | 'city' | 'country') =>
        t.string({ description: profileSchema.shape[name].meta()?.description ?? '' });
      return {
        id: t.id({ description: 'Whose; oneself if left out.' }),
        status: field('status'),
        description: field('description'),
        facebook: field('facebook'),
        twitter: field('twitter'),
        city: field('city'),
        country: field('country'),
      };
    },
  },
  answer: changed('operator', OperatorRef, ({ userId }: Profile, { load }: Context) => load.operator.load(userId)),
  run: (commit, { caller, services }, { id, ...fields }) =>
    services.administration.profiles.update(commit, caller, target(id, caller), validate(profileUpdate, fields)),
});

mutation('operatorPasswordChange', {
  description: 'Sets a new password and ends all tokens. The own one needs the present one.',
  argument: 'The new password.',
  input: {
    description: 'The new password.',
    fields: (t) => ({
      id: t.id({ description: 'Whose; oneself if left out.' }),
      currentPassword: t.string({ description: 'The present password; needed for the own one.' }),
      newPassword: t.string({ required: true, description: '10 to 200 characters.' }),
    }),
  },
  answer: changed('operator', OperatorRef),
  run: (commit, { caller, services }, { id, currentPassword, newPassword }) => {
    const { password = '' } = validate(operatorUpdate, { password: newPassword });
    const change = { current: currentPassword ?? undefined, password };
    return services.administration.operators.changePassword(commit, caller, target(id, caller), change);
  },
});

mutation('operatorSsoKeyRotate', {
  description: 'Makes a new key for single sign-on; the old one is worth nothing from now on.',
  argument: 'Whose.',
  input: idInput('Whose key.'),
  answer: changed('operator', OperatorRef),
  run: (commit, { caller, services }, { id }) =>
    services.administration.operators.rotateSsoKey(commit, caller, idOf('operator', id)),
});

/** Whom a mutation means: the named one, or the viewer. */
function target(id: string | null | undefined, caller: Caller): number {
  if (id !== null && id !== undefined) return idOf('operator', id);
  if (caller.operatorId === null) throw forbiddenError();
  return caller.operatorId;
}
