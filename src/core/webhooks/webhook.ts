import { z } from 'zod';
import { id } from '../kernel/ids.ts';
import { isStorable, text } from '../kernel/text.ts';
import { EVENT_TYPES, isEventPattern } from './event-types.ts';

const MAX_URL_LENGTH = 2000;
const URL_RULE = `must be an http or https address of at most ${MAX_URL_LENGTH} characters, without a user name or password`;
const TYPES_RULE = `must be a list of event types: ${EVENT_TYPES.join(', ')}; or all types of a thing, like conversation.*`;

const writable = {
  name: text(1, 255).meta({ description: 'What the hook is for.' }),
  url: z
    .string({ error: URL_RULE })
    .max(MAX_URL_LENGTH, { error: URL_RULE })
    .refine(isReceiver, { error: URL_RULE })
    .meta({ description: 'Where events are sent: an http or https address.' }),
  eventTypes: z
    .array(z.string({ error: TYPES_RULE }), { error: TYPES_RULE })
    .max(EVENT_TYPES.length, { error: TYPES_RULE })
    .refine((given) => given.every(isEventPattern), { error: TYPES_RULE })
    .transform((given) => [...new Set(given)])
    .meta({ description: 'Which events are sent, for example `conversation.closed` or `operator.*`; empty: all.' }),
};

export const WEBHOOK_STATES = ['active', 'paused'] as const;
const state = z.enum(WEBHOOK_STATES).meta({ description: 'Whether events are sent. A paused hook misses nothing.' });

const moment = z.int().nullable();

export const webhookSchema = z.object({
  id: id.meta({ description: 'Identifier.' }),
  ...writable,
  state,
  pausedBecause: z.string().nullable().meta({ description: 'Why it is paused.' }),
  failingSince: moment.meta({ description: 'The first failure after the last delivery; null when all is well.' }),
  previousSecretUntil: moment.meta({ description: 'Until when events are signed with the previous secret too.' }),
  createdAt: z.int().meta({ description: 'When it was made.' }),
});
export type Webhook = z.output<typeof webhookSchema>;

export const webhookCreate = z.strictObject({ ...writable, eventTypes: writable.eventTypes.optional() });
export type WebhookCreate = z.output<typeof webhookCreate>;

export const webhookUpdate = z.strictObject({ ...writable, state }).partial();
export type WebhookUpdate = z.output<typeof webhookUpdate>;

/** Its path or query is often a secret in itself, so it is in no event. */
export const HIDDEN_FIELDS: ReadonlySet<string> = new Set(['url']);

function isReceiver(address: string): boolean {
  if (!isStorable(address) || /[\s\p{Cc}]/u.test(address)) return false;
  const url = URL.parse(address);
  if (!url || url.hostname === '' || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'http:' || url.protocol === 'https:';
}
