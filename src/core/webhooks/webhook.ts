import { z } from 'zod';
import { id } from '../kernel/ids.ts';
import { isStorable, requiredText } from '../kernel/text.ts';
import { EVENT_TYPES, isEventPattern } from './event-types.ts';

const MAX_URL_LENGTH = 2000;
const URL_RULE = `must be an http or https address of at most ${MAX_URL_LENGTH} characters, without a user name or password`;
const TYPES_RULE = `must be a list of event types: ${EVENT_TYPES.join(', ')}; or all types of a subject, like conversation.*`;

const writableFields = {
  name: requiredText(255).meta({ description: 'Purpose of the webhook.' }),
  url: z
    .string({ error: URL_RULE })
    .max(MAX_URL_LENGTH, { error: URL_RULE })
    .refine(isReceiverUrl, { error: URL_RULE })
    .meta({ description: 'URL that receives the events: an http or https address.' }),
  eventTypes: z
    .array(z.string({ error: TYPES_RULE }), { error: TYPES_RULE })
    .max(EVENT_TYPES.length, { error: TYPES_RULE })
    .refine((patterns) => patterns.every(isEventPattern), { error: TYPES_RULE })
    .transform((patterns) => [...new Set(patterns)])
    .meta({ description: 'Event types to send, for example `conversation.closed` or `operator.*`; empty for all.' }),
};

export const WEBHOOK_STATES = ['active', 'paused'] as const;
const state = z
  .enum(WEBHOOK_STATES)
  .meta({ description: 'Whether events are sent. A paused webhook catches up on missed events when it is resumed.' });

const nullableTimestamp = z.int().nullable();

export const webhookSchema = z.object({
  id: id.meta({ description: 'Identifier.' }),
  ...writableFields,
  state,
  pausedBecause: z.string().nullable().meta({ description: 'Why the webhook is paused.' }),
  failingSince: nullableTimestamp.meta({
    description: 'Time of the first failure since the last successful delivery; null if deliveries succeed.',
  }),
  previousSecretUntil: nullableTimestamp.meta({
    description: 'Until when events are also signed with the previous secret.',
  }),
  createdAt: z.int().meta({ description: 'Creation time.' }),
});
export type Webhook = z.output<typeof webhookSchema>;

export const webhookCreate = z.strictObject({ ...writableFields, eventTypes: writableFields.eventTypes.optional() });
export type WebhookCreate = z.output<typeof webhookCreate>;

export const webhookUpdate = z.strictObject({ ...writableFields, state }).partial();
export type WebhookUpdate = z.output<typeof webhookUpdate>;

/** URLs often contain a secret in their path or query, so events leave them out. */
export const HIDDEN_FIELDS: ReadonlySet<string> = new Set(['url']);

function isReceiverUrl(address: string): boolean {
  if (!isStorable(address) || /[\s\p{Cc}]/u.test(address)) return false;
  const url = URL.parse(address);
  if (!url || url.hostname === '' || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'http:' || url.protocol === 'https:';
}
