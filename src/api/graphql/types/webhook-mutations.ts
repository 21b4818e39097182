import { validate } from '../../../core/kernel/validate.ts';
import type { Replayed } from '../../../core/webhooks/deliveries.ts';
import { type Webhook, webhookCreate, webhookUpdate } from '../../../core/webhooks/webhook.ts';
import type { NewSecret } from '../../../core/webhooks/webhook-service.ts';
import type { Payload } from '../../graphql-server/changes.ts';
import { idOf } from '../../graphql-server/ids.ts';
import { builder } from '../builder.ts';
import { deletedType, payloadType } from '../mutation.ts';
import { meaningOf, WebhookRef, WebhookStateEnum } from './webhook.ts';

function secretPayload(name: string) {
  const payload = payloadType<NewSecret>(name, { name: 'webhook', type: WebhookRef, of: (made) => made.webhook });
  builder.objectField(payload, 'secret', (t) =>
    t.string({
      nullable: true,
      description: 'The secret that signs events, shown this once; null when the request is repeated.',
      resolve: ({ value }: Payload<NewSecret>) => value?.secret ?? null,
    }),
  );
  return payload;
}

const which = (name: string) =>
  builder.inputType(name, {
    description: 'Which webhook.',
    fields: (t) => ({ id: t.id({ required: true, description: 'Identifier.' }) }),
  });

const CreateInput = builder.inputType('WebhookCreateInput', {
  description: 'A new webhook.',
  fields: (t) => ({
    name: t.string({ required: true, description: meaningOf('name') }),
    url: t.string({ required: true, description: meaningOf('url') }),
    eventTypes: t.stringList({ description: meaningOf('eventTypes') }),
  }),
});

const UpdateInput = builder.inputType('WebhookUpdateInput', {
  description: 'A change of a webhook. What is left out stays.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Which one.' }),
    name: t.string({ description: meaningOf('name') }),
    url: t.string({ description: meaningOf('url') }),
    eventTypes: t.stringList({ description: meaningOf('eventTypes') }),
    state: t.field({ type: WebhookStateEnum, description: 'Pauses it, or resumes it where it stopped.' }),
  }),
});

const ReplayInput = builder.inputType('WebhookReplayInput', {
  description: 'What is sent again.',
  fields: (t) => ({
    webhookId: t.id({ required: true, description: 'The webhook.' }),
    deliveryId: t.id({ description: 'One dead letter; left out, all of the webhook, at most 10,000 at a time.' }),
  }),
});

/** What a caller leaves empty is left out. */
function given(input: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([name, value]) => name !== 'id' && value !== null));
}

builder.mutationFields((t) => ({
  webhookCreate: t.field({
    type: secretPayload('WebhookCreate'),
    description: 'Makes a webhook, which gets what happens from now on. For admins.',
    args: { input: t.arg({ type: CreateInput, required: true, description: 'The webhook.' }) },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<NewSecret>(async (commit) =>
        services.webhooks.hooks.create(commit, caller, validate(webhookCreate, given(input))),
      ),
  }),
  webhookUpdate: t.field({
    type: payloadType<Webhook>('WebhookUpdate', { name: 'webhook', type: WebhookRef }),
    description: 'Changes the fields that it names and no others; pauses and resumes. For admins.',
    args: { input: t.arg({ type: UpdateInput, required: true, description: 'The change.' }) },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<Webhook>(async (commit) =>
        services.webhooks.hooks.update(
          commit,
          caller,
          idOf('webhook', input.id),
          validate(webhookUpdate, given(input)),
        ),
      ),
  }),
  webhookDelete: t.field({
    type: deletedType('WebhookDelete'),
    description: 'Deletes a webhook and what it has not been sent. For admins.',
    args: { input: t.arg({ type: which('WebhookDeleteInput'), required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<Webhook>(async (commit) => services.webhooks.hooks.remove(commit, caller, idOf('webhook', input.id))),
  }),
  webhookSecretRotate: t.field({
    type: secretPayload('WebhookSecretRotate'),
    description: 'Makes a new secret. For 24 hours events are signed with both. For admins.',
    args: { input: t.arg({ type: which('WebhookSecretRotateInput'), required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<NewSecret>(async (commit) =>
        services.webhooks.hooks.rotateSecret(commit, caller, idOf('webhook', input.id)),
      ),
  }),
  webhookTest: t.field({
    type: payloadType<Webhook>('WebhookTest', { name: 'webhook', type: WebhookRef }),
    description: 'Sends the event `webhook.tested` to this webhook alone, whatever events it asked for. For admins.',
    args: { input: t.arg({ type: which('WebhookTestInput'), required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<Webhook>(async (commit) => services.webhooks.hooks.test(commit, caller, idOf('webhook', input.id))),
  }),
  webhookReplay: t.field({
    type: replayPayload(),
    description: 'Sends dead letters again, each with 24 hours anew. For admins.',
    args: { input: t.arg({ type: ReplayInput, required: true, description: 'What is sent again.' }) },
    resolve: (_root, { input }, { caller, services, changes }) =>
      changes.run<Replayed>(async (commit) => {
        const webhook = idOf('webhook', input.webhookId);
        const delivery = input.deliveryId ?? undefined;
        const id = delivery === undefined ? undefined : idOf('webhook_delivery', delivery);
        return services.webhooks.deliveries.replay(commit, caller, webhook, id);
      }),
  }),
}));

function replayPayload() {
  const payload = payloadType<Replayed>('WebhookReplay', {
    name: 'webhook',
    type: WebhookRef,
    of: (replayed) => replayed.webhook,
  });
  builder.objectField(payload, 'replayedCount', (t) =>
    t.int({
      nullable: true,
      description: 'How many are sent again.',
      resolve: ({ value }: Payload<Replayed>) => value?.count ?? null,
    }),
  );
  return payload;
}
