import { z } from 'zod';
import { password } from '../access/password-rules.ts';
import { id } from '../kernel/ids.ts';
import { languageAdmin, languageCode } from '../kernel/languages.ts';
import { ROLES, type Role } from '../kernel/roles.ts';
import { requiredText, text } from '../kernel/text.ts';
import { callConfig, callConfigInput, DEFAULT_CALL_CONFIG } from './call-config.ts';
import { emailAddress } from './email.ts';

const LEGACY_ROLES = ['operator', 'manager', 'admin'] as const;

const flag = (description: string) => z.boolean({ error: 'must be true or false (1 or 0)' }).meta({ description });
const priority = z.literal([0, 10], { error: 'must be 0 or 10' });
const idList = (description: string) =>
  z
    .array(id, { error: 'must be a list of identifiers' })
    .max(1000, { error: 'must have at most 1000 identifiers' })
    .meta({ description });

const MAX_CHATS_RULE = 'must be a whole number from 1 to 50';
const ROLE_RULE = `must be a list of one or more of ${ROLES.join(', ')}`;

/** All writable fields, in the order of the specification. */
const writable = {
  name: requiredText(255).meta({ description: 'Last name.', example: 'Martin' }),
  firstName: text(0, 255).meta({ description: 'First name.', example: 'Alice' }),
  pseudo: text(0, 255).meta({ description: 'The pseudonym that visitors see.', example: 'Alice M.' }),
  email: emailAddress.meta({ description: 'The login name; unique on the whole platform, case-insensitive.' }),
  externalId: text(1, 255).nullable().meta({ description: "The client's own identifier; unique within the account." }),
  role: z
    .enum(LEGACY_ROLES, { error: `must be one of ${LEGACY_ROLES.join(', ')}` })
    .meta({ description: 'The highest of `roles`; use `roles`.', deprecated: true }),
  roles: z
    .array(z.enum(ROLES, { error: ROLE_RULE }), { error: ROLE_RULE })
    .min(1, { error: ROLE_RULE })
    .max(100, { error: ROLE_RULE })
    .meta({ description: 'The roles of the operator.' }),
  chatEnabled: flag('Whether the chat channel is enabled.'),
  callEnabled: flag('Whether the call channel is enabled.'),
  videoEnabled: flag('Whether the video channel is enabled.'),
  chatMaxNumber: z
    .int({ error: MAX_CHATS_RULE })
    .min(1, { error: MAX_CHATS_RULE })
    .max(50, { error: MAX_CHATS_RULE })
    .meta({ description: 'Maximum number of simultaneous chats.' }),
  chatAndCall: flag('Whether the operator can handle chats and a call at the same time.'),
  chatToVideo: flag('Whether the operator can escalate a chat to video.'),
  chatPriority: priority.meta({ description: 'Routing priority for chat.' }),
  callPriority: priority.meta({ description: 'Routing priority for call.' }),
  videoPriority: priority.meta({ description: 'Routing priority for video.' }),
  languageList: z
    .array(languageCode, { error: 'must be a list of language codes' })
    .max(200, { error: 'must have at most 200 languages' })
    .meta({ description: 'Languages that the operator speaks (ISO 639-1).' }),
  languageAdmin: languageAdmin.meta({ description: 'Language of the admin interface.' }),
  groupId: id.nullable().meta({ description: 'The group that the operator belongs to.' }),
  websiteList: idList('Identifiers of the websites.'),
  skillList: idList('Identifiers of the skills.'),
};

/** The operator as returned to clients. `ssoKey` is null for a read-only caller. */
export const operatorSchema = z
  .object({
    id: id.meta({ description: 'Operator identifier.' }),
    ...writable,
    ssoKey: z.string().nullable().meta({ description: 'Single sign-on token of the operator; null for a read key.' }),
    callConfig: callConfig.meta({ description: 'Call pickup configuration.' }),
  })
  .meta({ id: 'Operator', description: 'A person who handles chat, call and video conversations.' });

const { name, email, ...optional } = writable;

export const operatorCreate = z
  .strictObject({
    name,
    ...z.object({ firstName: writable.firstName, pseudo: writable.pseudo }).partial().shape,
    email,
    ...z.object({ ...optional, callConfig: callConfigInput, password }).partial().shape,
  })
  .meta({ id: 'OperatorCreate', description: 'A new operator.' });

/** Read-only fields are accepted with their current value, so that a client can send back what it read. */
export const operatorUpdate = z
  .strictObject({
    id: id.meta({ description: 'Accepted only if it equals the current value.' }),
    ...writable,
    ssoKey: z.string().nullable().meta({ description: 'Accepted only if it equals the current value.' }),
    callConfig: callConfigInput,
    password,
    _link: z.string().meta({ description: 'Accepted only if it equals the current value.' }),
  })
  .partial()
  .meta({ id: 'OperatorUpdate', description: 'The fields of an operator to change; all others stay unchanged.' });

export type OperatorCreate = z.output<typeof operatorCreate>;
export type OperatorUpdate = z.output<typeof operatorUpdate>;

/** An operator as stored. The legacy `role` is derived from `roles`, the `ssoKey` from a secret and `ssoVersion`. */
export type Operator = Omit<z.output<typeof operatorSchema>, 'role' | 'ssoKey'> & {
  readonly version: number;
  readonly ssoVersion: number;
};

export function findHighestRole(roles: readonly Role[]): (typeof LEGACY_ROLES)[number] {
  return LEGACY_ROLES.findLast((role) => roles.includes(role)) ?? 'operator';
}

export type NewOperator = Omit<Operator, 'id' | 'version' | 'ssoVersion'>;

/** Fills in the defaults of a new operator. */
export function withDefaults(input: OperatorCreate, allWebsites: readonly number[]): NewOperator {
  const language = input.languageAdmin ?? 'en';
  const firstName = input.firstName ?? '';
  return {
    name: input.name,
    firstName,
    pseudo: input.pseudo ?? (firstName || input.name),
    email: input.email,
    externalId: input.externalId ?? null,
    roles: unique(input.roles ?? (input.role ? [input.role] : ['operator'])),
    chatEnabled: input.chatEnabled ?? true,
    callEnabled: input.callEnabled ?? false,
    videoEnabled: input.videoEnabled ?? false,
    chatMaxNumber: input.chatMaxNumber ?? 3,
    chatAndCall: input.chatAndCall ?? false,
    chatToVideo: input.chatToVideo ?? false,
    chatPriority: input.chatPriority ?? 0,
    callPriority: input.callPriority ?? 0,
    videoPriority: input.videoPriority ?? 0,
    languageList: unique(input.languageList ?? [language]),
    languageAdmin: language,
    groupId: input.groupId ?? null,
    websiteList: toSortedIds(input.websiteList ?? allWebsites),
    skillList: toSortedIds(input.skillList ?? []),
    callConfig: { ...DEFAULT_CALL_CONFIG, ...input.callConfig },
  };
}

/** Changes only the fields that are present in the input. */
export function applyUpdate(operator: Operator, input: OperatorUpdate): Operator {
  const { id: _id, _link, ssoKey: _ssoKey, password: _password, role, roles, callConfig: pickup, ...rest } = input;
  const fields = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  const { phoneNumber, ...callConfig } = { ...operator.callConfig, ...pickup };
  const next = {
    ...operator,
    ...(fields as Partial<Operator>),
    // Without a number the key is absent, so that removing a missing number is not a change.
    callConfig: phoneNumber === undefined ? callConfig : { ...callConfig, phoneNumber },
  };
  return {
    ...next,
    roles: unique(roles ?? (role ? [role] : operator.roles)),
    languageList: unique(next.languageList),
    websiteList: toSortedIds(next.websiteList),
    skillList: toSortedIds(next.skillList),
  };
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

function toSortedIds(ids: readonly number[]): number[] {
  return unique(ids).sort((a, b) => a - b);
}
