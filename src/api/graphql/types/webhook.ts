import type { Delivery, DeliveryState } from '../../../core/webhooks/delivery.ts';
import { type Webhook, webhookSchema } from '../../../core/webhooks/webhook.ts';
import { parseIdArgument } from '../../graphql-server/ids.ts';
import { builder, connectionField, connectionType, createEnum } from '../builder.ts';

export const WebhookStateEnum = createEnum<Webhook['state']>('WebhookState', 'The state of a webhook.', {
  active: 'Events are sent.',
  paused: 'No events are sent. They are queued until the webhook is resumed.',
});

const DeliveryStateEnum = createEnum<DeliveryState>('WebhookDeliveryState', 'The state of a webhook delivery.', {
  pending: 'Waiting to be sent, being sent, or waiting for a retry.',
  delivered: 'Accepted by the receiver.',
  dead: 'Abandoned after its retries. A dead letter can be replayed.',
});

export function getDescription(name: keyof typeof webhookSchema.shape): string {
  return webhookSchema.shape[name].meta()?.description ?? '';
}

export const WebhookRef = builder.objectRef<Webhook>('Webhook').implement({
  description: 'A URL that receives events. Its secret is shown only once, when it is created.',
  fields: (t) => ({
    id: t.exposeID('id', { description: getDescription('id') }),
    name: t.exposeString('name', { description: getDescription('name') }),
    url: t.exposeString('url', { description: getDescription('url') }),
    eventTypes: t.exposeStringList('eventTypes', { description: getDescription('eventTypes') }),
    state: t.expose('state', { type: WebhookStateEnum, description: getDescription('state') }),
    pausedBecause: t.exposeString('pausedBecause', { nullable: true, description: getDescription('pausedBecause') }),
    failingSince: t.expose('failingSince', {
      type: 'DateTime',
      nullable: true,
      description: getDescription('failingSince'),
    }),
    previousSecretUntil: t.expose('previousSecretUntil', {
      type: 'DateTime',
      nullable: true,
      description: getDescription('previousSecretUntil'),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: getDescription('createdAt') }),
  }),
});

const DeliveryRef = builder.objectRef<Delivery>('WebhookDelivery').implement({
  description: 'The delivery of an event to a webhook.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The identifier of the delivery, sent as `X-Switchboard-Delivery`.' }),
    eventId: t.exposeString('eventId', {
      description: 'The identifier of the event, sent as `X-Switchboard-Event-Id`.',
    }),
    type: t.exposeString('type', { description: 'The type of the event.' }),
    subjectType: t.exposeString('subjectType', { description: 'The kind of object that the event is about.' }),
    subjectId: t.exposeID('subjectId', { description: 'The identifier of the object that the event is about.' }),
    body: t.exposeString('body', { description: 'The JSON body of the request.' }),
    state: t.expose('state', { type: DeliveryStateEnum, description: 'The state of the delivery.' }),
    attempts: t.exposeInt('attempts', { description: 'The number of attempts.' }),
    nextAt: t.expose('nextAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When the next attempt is made. Null while an earlier event of the same object is pending, and after the last attempt.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the delivery was created.' }),
    endedAt: t.expose('endedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the event was delivered or abandoned.',
    }),
    lastStatus: t.exposeInt('lastStatus', { nullable: true, description: 'The HTTP status of the last response.' }),
    lastError: t.exposeString('lastError', { nullable: true, description: 'Why the last attempt got no response.' }),
  }),
});

const DeliveryConnection = connectionType('WebhookDelivery', DeliveryRef);

builder.queryFields((t) => ({
  webhooks: t.field({
    type: [WebhookRef],
    nullable: true,
    description: 'The webhooks of the account. Admins only.',
    resolve: (_root, _args, { caller, services }) => services.webhooks.service.list(caller),
  }),
  webhook: t.field({
    type: WebhookRef,
    nullable: true,
    description: 'A webhook by its identifier. Admins only.',
    args: { id: t.arg.id({ required: true, description: 'The identifier of the webhook.' }) },
    resolve: async (_root, { id }, { caller, services }) =>
      (await services.webhooks.service.find(caller, parseIdArgument(id) ?? 0)) ?? null,
  }),
  webhookDeliveries: connectionField(t, {
    type: DeliveryConnection,
    nullable: true,
    description: 'The deliveries of a webhook. Null if the webhook does not exist. Admins only.',
    args: {
      webhookId: t.arg.id({ required: true, description: 'The webhook.' }),
      state: t.arg({
        type: DeliveryStateEnum,
        description: 'Only deliveries in this state. `DEAD` lists the dead letters.',
      }),
    },
    list: (_root, { webhookId, state }, { caller, services: { webhooks } }) => {
      const id = parseIdArgument(webhookId) ?? 0;
      return {
        slice: (slice) => webhooks.deliveries.slice(caller, id, state ?? undefined, slice),
        count: () => webhooks.deliveries.count(caller, id, state ?? undefined),
      };
    },
  }),
}));
