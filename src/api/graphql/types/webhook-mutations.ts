import { validate } from '../../../core/kernel/validate.ts';
import type { Replayed } from '../../../core/webhooks/deliveries.ts';
import { type Webhook, webhookCreate, webhookUpdate } from '../../../core/webhooks/webhook.ts';
import type { NewSecret } from '../../../core/webhooks/webhook-service.ts';
import { idOf } from '../../graphql-server/ids.ts';
import { changed, deleted } from '../../graphql-server/mutation.ts';
import { idInput, mutation } from '../builder.ts';
import { meaningOf, WebhookRef, WebhookStateEnum } from './webhook.ts';

const withSecret = {
  ...changed('webhook', WebhookRef, ({ webhook }: NewSecret) => webhook),
  secret: {
    type: 'String',
    description: 'The secret that signs events, shown this once; null when the request is repeated.',
    of: ({ secret }: NewSecret) => secret,
  },
} as const;

/** What a caller leaves empty is left out. */
function given(input: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}

mutation('webhookCreate', {
  description: 'Makes a webhook, which gets what happens from now on. For admins.',
  argument: 'The webhook.',
  input: {
    description: 'A new webhook.',
    fields: (t) => ({
      name: t.string({ required: true, description: meaningOf('name') }),
      url: t.string({ required: true, description: meaningOf('url') }),
      eventTypes: t.stringList({ description: meaningOf('eventTypes') }),
    }),
  },
  answer: withSecret,
  run: (commit, { caller, services }, input) =>
    services.webhooks.hooks.create(commit, caller, validate(webhookCreate, given(input))),
});

mutation('webhookUpdate', {
  description: 'Changes the fields that it names and no others; pauses and resumes. For admins.',
  argument: 'The change.',
  input: {
    description: 'A change of a webhook. What is left out stays.',
    fields: (t) => ({
      id: t.id({ required: true, description: 'Which one.' }),
      name: t.string({ description: meaningOf('name') }),
      url: t.string({ description: meaningOf('url') }),
      eventTypes: t.stringList({ description: meaningOf('eventTypes') }),
      state: t.field({ type: WebhookStateEnum, description: 'Pauses it, or resumes it where it stopped.' }),
    }),
  },
  answer: changed('webhook', WebhookRef),
  run: (commit, { caller, services }, { id, ...input }) =>
    services.webhooks.hooks.update(commit, caller, idOf('webhook', id), validate(webhookUpdate, given(input))),
});

mutation('webhookDelete', {
  description: 'Deletes a webhook and what it has not been sent. For admins.',
  argument: 'Which one.',
  input: idInput('Which webhook.'),
  answer: deleted<Webhook>(),
  run: (commit, { caller, services }, { id }) => services.webhooks.hooks.remove(commit, caller, idOf('webhook', id)),
});

mutation('webhookSecretRotate', {
  description: 'Makes a new secret. For 24 hours events are signed with both. For admins.',
  argument: 'Which one.',
  input: idInput('Which webhook.'),
  answer: withSecret,
  run: (commit, { caller, services }, { id }) =>
    services.webhooks.hooks.rotateSecret(commit, caller, idOf('webhook', id)),
});

mutation('webhookTest', {
  description: 'Sends the event `webhook.tested` to this webhook alone, whatever events it asked for. For admins.',
  argument: 'Which one.',
  input: idInput('Which webhook.'),
  answer: changed('webhook', WebhookRef),
  run: (commit, { caller, services }, { id }) => services.webhooks.hooks.test(commit, caller, idOf('webhook', id)),
});

mutation('webhookReplay', {
  description: 'Sends dead letters again, each with 24 hours anew. For admins.',
  argument: 'What is sent again.',
  input: {
    description: 'What is sent again.',
    fields: (t) => ({
      webhookId: t.id({ required: true, description: 'The webhook.' }),
      deliveryId: t.id({ description: 'One dead letter; left out, all of the webhook, at most 10,000 at a time.' }),
    }),
  },
  answer: {
    ...changed('webhook', WebhookRef, ({ webhook }: Replayed) => webhook),
    replayedCount: { type: 'Int', description: 'How many are sent again.', of: ({ count }: Replayed) => count },
  },
  run: (commit, { caller, services }, { webhookId, deliveryId }) => {
    const webhook = idOf('webhook', webhookId);
    const id = typeof deliveryId === 'string' ? idOf('webhook_delivery', deliveryId) : undefined;
    return services.webhooks.deliveries.replay(commit, caller, webhook, id);
  },
});
