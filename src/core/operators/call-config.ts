import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { z } from 'zod';
import type { Problem } from '../kernel/errors.ts';

const TYPES = ['ANSWER_FROM_PHONE', 'ANSWER_FROM_DESK'] as const;
const PHONE_RULE = 'must be a phone number with international prefix, for example +33123456789';
const TYPE_RULE = `must be ${TYPES.join(' or ')}`;

const type = z.enum(TYPES, { error: TYPE_RULE }).meta({ description: 'Where calls are answered.' });
const ask = z
  .boolean({ error: 'must be true or false (1 or 0)' })
  .meta({ description: 'Whether the operator is asked at each connection to change the phone number.' });
const phoneNumber = z
  .string({ error: PHONE_RULE })
  .refine((text) => parsePhone(text) !== undefined, { error: PHONE_RULE })
  .transform((text) => parsePhone(text) as string)
  .meta({
    description: 'The number that receives calls when they are answered from the phone; stored in E.164 format.',
    example: '+33123456789',
  });

export const callConfig = z
  .object({
    type,
    askPhoneNumberAtEveryConnection: ask,
    phoneNumber: z.string().optional().meta({ description: 'Omitted when not set.' }),
  })
  .meta({ id: 'CallConfig', description: 'Call pickup configuration.' });
export type CallConfig = z.output<typeof callConfig>;

export const callConfigInput = z
  .strictObject(
    { type, askPhoneNumberAtEveryConnection: ask, phoneNumber: phoneNumber.nullable() },
    { error: 'must be an object with type, ask_phone_number_at_every_connection and phone_number' },
  )
  .partial()
  // Null removes the number.
  .transform(({ phoneNumber: number, ...rest }) => ({
    ...withoutUndefined(rest),
    ...(number === undefined ? {} : { phoneNumber: number ?? undefined }),
  }))
  .meta({
    id: 'CallConfigInput',
    description:
      'Call pickup configuration. To answer from the phone, set a number, or have the operator asked at every connection.',
  });

export const DEFAULT_CALL_CONFIG: CallConfig = { type: 'ANSWER_FROM_DESK', askPhoneNumberAtEveryConnection: false };

/** Checks that an operator who answers from the phone has a number, or is asked for it at each connection. */
export function findCallConfigProblem(config: CallConfig): Problem | undefined {
  if (config.type === 'ANSWER_FROM_DESK' || config.phoneNumber || config.askPhoneNumberAtEveryConnection)
    return undefined;
  return {
    path: ['callConfig', 'phoneNumber'],
    code: 'invalid',
    rule: 'must be set when calls are answered from the phone, unless the number is asked at every connection',
  };
}

function parsePhone(text: string): string | undefined {
  if (text.length > 64 || !text.startsWith('+')) return undefined;
  const number = parsePhoneNumberFromString(text);
  return number?.isPossible() && !number.ext ? number.number : undefined;
}

function withoutUndefined<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
