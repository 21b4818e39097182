import type { Delivery, DeliveryState } from '../../../core/webhooks/delivery.ts';
import { type Webhook, webhookSchema } from '../../../core/webhooks/webhook.ts';
import { readId } from '../../graphql-server/ids.ts';
import { builder, connectionField, connectionType, wordsEnum } from '../builder.ts';

export const WebhookStateEnum = wordsEnum<Webhook['state']>('WebhookState', 'Whether a webhook is at work.', {
  active: 'Events are sent.',
  paused: 'Nothing is sent; events wait until it is resumed.',
});

const DeliveryStateEnum = wordsEnum<DeliveryState>(
  'WebhookDeliveryState',
  'What became of an event on its way to a webhook.',
  {
    pending: 'It waits, is on its way, or will be tried again.',
    delivered: 'The receiver has it.',
    dead: 'It was given up: a dead letter, which can be sent again.',
  },
);

/** The meaning of a field, from the one place where it is said. */
export function meaningOf(name: keyof typeof webhookSchema.shape): string {
  return webhookSchema.shape[name].meta()?.description ?? '';
}

export const WebhookRef = builder.objectRef<Webhook>('Webhook').implement({
  description: 'An address to which events are sent. Its secret is shown once, when it is made.',
  fields: (t) => ({
    id: t.exposeID('id', { description: meaningOf('id') }),
    name: t.exposeString('name', { description: meaningOf('name') }),
    url: t.exposeString('url', { description: meaningOf('url') }),
    eventTypes: t.exposeStringList('eventTypes', { description: meaningOf('eventTypes') }),
    state: t.expose('state', { type: WebhookStateEnum, description: meaningOf('state') }),
    pausedBecause: t.exposeString('pausedBecause', { nullable: true, description: meaningOf('pausedBecause') }),
    failingSince: t.expose('failingSince', {
      type: 'DateTime',
      nullable: true,
      description: meaningOf('failingSince'),
    }),
    previousSecretUntil: t.expose('previousSecretUntil', {
      type: 'DateTime',
      nullable: true,
      description: meaningOf('previousSecretUntil'),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: meaningOf('createdAt') }),
  }),
});

const DeliveryRef = builder.objectRef<Delivery>('WebhookDelivery').implement({
  description: 'An event on its way to a webhook.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier, sent as `X-Switchboard-Delivery`.' }),
    eventId: t.exposeString('eventId', { description: 'The event, sent as `X-Switchboard-Event-Id`.' }),
    type: t.exposeString('type', { description: 'Type of the event.' }),
    subjectType: t.exposeString('subjectType', { description: 'What the event is about.' }),
    subjectId: t.exposeID('subjectId', { description: 'Which one it is about.' }),
    body: t.exposeString('body', { description: 'The JSON text that is posted.' }),
    state: t.expose('state', { type: DeliveryStateEnum, description: 'What became of it.' }),
    attempts: t.exposeInt('attempts', { description: 'How often it was sent.' }),
    nextAt: t.expose('nextAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it is sent next; null while an earlier event of its subject is on the way, and at the end.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made ready to be sent.' }),
    endedAt: t.expose('endedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was delivered or given up.',
    }),
    lastStatus: t.exposeInt('lastStatus', { nullable: true, description: 'The last HTTP status of the receiver.' }),
    lastError: t.exposeString('lastError', { nullable: true, description: 'Why the last try had no answer.' }),
  }),
});

const DeliveryConnection = connectionType('WebhookDelivery', DeliveryRef);

builder.queryFields((t) => ({
  webhooks: t.field({
    type: [WebhookRef],
    nullable: true,
    description: 'The webhooks of the account. For admins.',
    resolve: (_root, _args, { caller, services }) => services.webhooks.hooks.list(caller),
  }),
  webhook: t.field({
    type: WebhookRef,
    nullable: true,
    description: 'A webhook by its identifier. For admins.',
    args: { id: t.arg.id({ required: true, description: 'Identifier.' }) },
    resolve: async (_root, { id }, { caller, services }) =>
      (await services.webhooks.hooks.find(caller, readId(id) ?? 0)) ?? null,
  }),
  webhookDeliveries: connectionField(t, {
    type: DeliveryConnection,
    nullable: true,
    description: 'What was and will be sent to a webhook; null when there is no such webhook. For admins.',
    args: {
      webhookId: t.arg.id({ required: true, description: 'The webhook.' }),
      state: t.arg({
        type: DeliveryStateEnum,
        description: 'Only those in this state: `DEAD` lists the dead letters.',
      }),
    },
    list: (_root, { webhookId, state }, { caller, services: { webhooks } }) => {
      const id = readId(webhookId) ?? 0;
      return {
        slice: (slice) => webhooks.deliveries.slice(caller, id, state ?? undefined, slice),
        count: () => webhooks.deliveries.count(caller, id, state ?? undefined),
      };
    },
  }),
}));
