import { z } from 'zod';
import { id } from '../kernel/ids.ts';
import { languageAdmin, languageCode } from '../kernel/languages.ts';
import { ROLES, type Role } from '../kernel/roles.ts';
import { isStorable, text } from '../kernel/text.ts';
import { callConfig, callConfigInput, DESK } from './call-config.ts';
import { emailAddress } from './email.ts';

const LEGACY_ROLES = ['operator', 'manager', 'admin'] as const;

const flag = (description: string) => z.boolean({ error: 'must be true or false (1 or 0)' }).meta({ description });
const priority = z.literal([0, 10], { error: 'must be 0 or 10' });
const idList = (description: string) =>
  z
    .array(id, { error: 'must be a list of identifiers' })
    .max(1000, { error: 'must have at most 1000 identifiers' })
    .meta({ description });

const MAX_CHATS = 'must be a whole number from 1 to 50';
const ROLE_RULE = `must be a list of one or more of ${ROLES.join(', ')}`;

/** Every field that a caller may write, in the order of the interface's table. */
const writable = {
  name: text(1, 255).meta({ description: 'Family name.', example: 'Martin' }),
  firstName: text(0, 255).meta({ description: 'First name.', example: 'Alice' }),
  pseudo: text(0, 255).meta({ description: 'The pseudonym that visitors see.', example: 'Alice M.' }),
  email: emailAddress.meta({ description: 'The login; unique on the whole platform without regard to case.' }),
  externalId: text(1, 255).nullable().meta({ description: "The client's own identifier; unique in its account." }),
  role: z
    .enum(LEGACY_ROLES, { error: `must be one of ${LEGACY_ROLES.join(', ')}` })
    .meta({ description: 'The highest of `roles`; use `roles`.', deprecated: true }),
  roles: z
    .array(z.enum(ROLES, { error: ROLE_RULE }), { error: ROLE_RULE })
    .min(1, { error: ROLE_RULE })
    .max(100, { error: ROLE_RULE })
    .meta({ description: 'What the operator may do.' }),
  chatEnabled: flag('Able to process chat.'),
  callEnabled: flag('Able to process call.'),
  videoEnabled: flag('Able to process video.'),
  chatMaxNumber: z
    .int({ error: MAX_CHATS })
    .min(1, { error: MAX_CHATS })
    .max(50, { error: MAX_CHATS })
    .meta({ description: 'Maximum of simultaneous chats.' }),
  chatAndCall: flag('Able to process chat and call simultaneously.'),
  chatToVideo: flag('Able to handle the escalation from chat to video.'),
  chatPriority: priority.meta({ description: 'Routing priority for chat.' }),
  callPriority: priority.meta({ description: 'Routing priority for call.' }),
  videoPriority: priority.meta({ description: 'Routing priority for video.' }),
  languageList: z
    .array(languageCode, { error: 'must be a list of language codes' })
    .max(200, { error: 'must have at most 200 languages' })
    .meta({ description: 'Languages that the operator can process (ISO 639-1).' }),
  languageAdmin: languageAdmin.meta({ description: 'Language of the admin interface.' }),
  groupId: id.nullable().meta({ description: 'The group that the operator belongs to.' }),
  websiteList: idList('Identifiers of the websites.'),
  skillList: idList('Identifiers of the skills.'),
};

const password = z
  .string({ error: 'must be text of 10 to 200 characters' })
  .min(10, { error: 'must have at least 10 characters' })
  .max(200, { error: 'must have at most 200 characters' })
  .refine(isStorable, { error: 'must not contain NUL or half surrogate pairs' })
  .meta({ description: 'Write-only; 10 to 200 characters, the commonest passwords are refused.', writeOnly: true });

/** What a read shows. `ssoKey` is null for a caller that may only read. */
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

/** Read-only fields are taken when they repeat the present value, so that what was read can be sent back. */
export const operatorUpdate = z
  .strictObject({
    id: id.meta({ description: 'Accepted when it repeats the present value.' }),
    ...writable,
    ssoKey: z.string().nullable().meta({ description: 'Accepted when it repeats the present value.' }),
    callConfig: callConfigInput,
    password,
    _link: z.string().meta({ description: 'Accepted when it repeats the present value.' }),
  })
  .partial()
  .meta({ id: 'OperatorUpdate', description: 'The fields of an operator to change; all others stay as they are.' });

export type OperatorCreate = z.output<typeof operatorCreate>;
export type OperatorUpdate = z.output<typeof operatorUpdate>;

/** An operator as it is kept. The legacy `role` is derived from `roles`, the `ssoKey` from a secret and `ssoVersion`. */
export type Operator = Omit<z.output<typeof operatorSchema>, 'role' | 'ssoKey'> & {
  readonly version: number;
  readonly ssoVersion: number;
};

export function highestRole(roles: readonly Role[]): (typeof LEGACY_ROLES)[number] {
  return LEGACY_ROLES.findLast((role) => roles.includes(role)) ?? 'operator';
}

export type NewOperator = Omit<Operator, 'id' | 'version' | 'ssoVersion'>;

/** A new operator with the defaults for all that the caller left out. */
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
    websiteList: sorted(input.websiteList ?? allWebsites),
    skillList: sorted(input.skillList ?? []),
    callConfig: { ...DESK, ...input.callConfig },
  };
}

/** The operator after a change that names some fields and leaves all others as they are. */
export function changed(operator: Operator, input: OperatorUpdate): Operator {
  const { id: _id, _link, ssoKey: _ssoKey, password: _password, role, roles, callConfig: pickup, ...rest } = input;
  const named = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  const { phoneNumber, ...callConfig } = { ...operator.callConfig, ...pickup };
  const next = {
    ...operator,
    ...(named as Partial<Operator>),
    // A number that is taken away where there was none is no change.
    callConfig: phoneNumber === undefined ? callConfig : { ...callConfig, phoneNumber },
  };
  return {
    ...next,
    roles: unique(roles ?? (role ? [role] : operator.roles)),
    languageList: unique(next.languageList),
    websiteList: sorted(next.websiteList),
    skillList: sorted(next.skillList),
  };
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

function sorted(ids: readonly number[]): number[] {
  return unique(ids).sort((a, b) => a - b);
}
