import { validate } from '../../../core/kernel/validate.ts';
import type { ReplayResult } from '../../../core/webhooks/deliveries.ts';
import { type Webhook, webhookCreate, webhookUpdate } from '../../../core/webhooks/webhook.ts';
import type { WebhookWithSecret } from '../../../core/webhooks/webhook-service.ts';
import { requireId } from '../../graphql-server/ids.ts';
import { deletedIdPayload, objectPayload } from '../../graphql-server/mutation.ts';
import { requireAdminCaller } from '../authorize.ts';
import { addMutation, idInput } from '../builder.ts';
import { getDescription, WebhookRef, WebhookStateEnum } from './webhook.ts';

const payloadWithSecret = {
  ...objectPayload('webhook', WebhookRef, ({ webhook }: WebhookWithSecret) => webhook),
  secret: {
    type: 'String',
    description: 'The secret that signs events, shown only once. Null if the request is a retry.',
    resolve: ({ secret }: WebhookWithSecret) => secret,
  },
} as const;

function omitNulls(input: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}

addMutation('webhookCreate', {
  description: 'Creates a webhook. It receives events from now on. Admins only.',
  argumentDescription: 'The webhook to create.',
  input: {
    description: 'The webhook to create.',
    fields: (t) => ({
      name: t.string({ required: true, description: getDescription('name') }),
      url: t.string({ required: true, description: getDescription('url') }),
      eventTypes: t.stringList({ description: getDescription('eventTypes') }),
    }),
  },
  payload: payloadWithSecret,
  authorize: requireAdminCaller,
  run: (commit, { caller, services }, input) =>
    services.webhooks.service.create(commit, caller, validate(webhookCreate, omitNulls(input))),
});

addMutation('webhookUpdate', {
  description: 'Updates, pauses or resumes a webhook. Omitted fields stay unchanged. Admins only.',
  argumentDescription: 'The fields to change.',
  input: {
    description: 'The fields to change. Omitted fields stay unchanged.',
    fields: (t) => ({
      id: t.id({ required: true, description: 'The identifier of the webhook.' }),
      name: t.string({ description: getDescription('name') }),
      url: t.string({ description: getDescription('url') }),
      eventTypes: t.stringList({ description: getDescription('eventTypes') }),
      state: t.field({ type: WebhookStateEnum, description: 'Pauses the webhook, or resumes it where it stopped.' }),
    }),
  },
  payload: objectPayload('webhook', WebhookRef),
  authorize: requireAdminCaller,
  run: (commit, { caller, services }, { id, ...input }) =>
    services.webhooks.service.update(
      commit,
      caller,
      requireId('webhook', id),
      validate(webhookUpdate, omitNulls(input)),
    ),
});

addMutation('webhookDelete', {
  description: 'Deletes a webhook and its unsent events. Admins only.',
  argumentDescription: 'The webhook to delete.',
  input: idInput('The webhook to delete.', 'The identifier of the webhook.'),
  payload: deletedIdPayload<Webhook>(),
  authorize: requireAdminCaller,
  run: (commit, { caller, services }, { id }) =>
    services.webhooks.service.delete(commit, caller, requireId('webhook', id)),
});

addMutation('webhookSecretRotate', {
  description: 'Replaces the secret of a webhook. For 24 hours, events are signed with both secrets. Admins only.',
  argumentDescription: 'The webhook.',
  input: idInput('The webhook whose secret is replaced.', 'The identifier of the webhook.'),
  payload: payloadWithSecret,
  authorize: requireAdminCaller,
  run: (commit, { caller, services }, { id }) =>
    services.webhooks.service.rotateSecret(commit, caller, requireId('webhook', id)),
});

addMutation('webhookTest', {
  description: 'Sends a `webhook.tested` event to this webhook only, regardless of its event types. Admins only.',
  argumentDescription: 'The webhook to test.',
  input: idInput('The webhook to test.', 'The identifier of the webhook.'),
  payload: objectPayload('webhook', WebhookRef),
  authorize: requireAdminCaller,
  run: (commit, { caller, services }, { id }) =>
    services.webhooks.service.test(commit, caller, requireId('webhook', id)),
});

addMutation('webhookReplay', {
  description: 'Replays dead letters. Each is retried for another 24 hours. Admins only.',
  argumentDescription: 'The dead letters to replay.',
  input: {
    description: 'The dead letters to replay.',
    fields: (t) => ({
      webhookId: t.id({ required: true, description: 'The webhook.' }),
      deliveryId: t.id({
        description: 'A single dead letter. Defaults to all dead letters of the webhook, at most 10,000 per call.',
      }),
    }),
  },
  payload: {
    ...objectPayload('webhook', WebhookRef, ({ webhook }: ReplayResult) => webhook),
    replayedCount: {
      type: 'Int',
      description: 'The number of dead letters that are sent again.',
      resolve: ({ count }: ReplayResult) => count,
    },
  },
  authorize: requireAdminCaller,
  run: (commit, { caller, services }, { webhookId, deliveryId }) => {
    const parsedWebhookId = requireId('webhook', webhookId);
    const parsedDeliveryId = typeof deliveryId === 'string' ? requireId('webhook_delivery', deliveryId) : undefined;
    return services.webhooks.deliveries.replay(commit, caller, parsedWebhookId, parsedDeliveryId);
  },
});
