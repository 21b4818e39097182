import type { QueueView } from '../../../core/engine/conversations/queue-views.ts';
import { createAbortableStream } from '../../graphql-server/streams.ts';
import { builder } from '../builder.ts';
import type { Context } from '../context.ts';
import { createLoaders } from '../loaders.ts';
import { ConversationRef } from './conversation.ts';

const QueueSnapshotRef = builder.objectRef<QueueView>('QueueSnapshot').implement({
  description: 'The queued conversations that the viewer can see.',
  fields: (t) => ({
    totalCount: t.exposeInt('totalCount', { description: 'How many they are.' }),
    conversations: t.field({
      type: [ConversationRef],
      description:
        'The first 100 of them, the oldest first. Those that lost their operator come before all others, those whose visitor left after them.',
      resolve: ({ conversations }) => [...conversations],
    }),
  }),
});

builder.subscriptionField('queue', (t) =>
  t.field({
    type: QueueSnapshotRef,
    description:
      'The queued conversations that the viewer can see: now, and again after changes, at most once per second. Admins see all, managers those of their groups. With `Account.operatorsMayTake`, operators and managers see those that they could serve; without it, operators get an empty list until it is turned on, as experts always do. Does not connect the viewer.',
    subscribe: (_root, _args, context) => createAbortableStream((signal) => streamQueue(context, signal)),
    resolve: (view) => view,
  }),
);

async function* streamQueue(context: Context, signal: AbortSignal): AsyncGenerator<QueueView> {
  const { caller, services, turns } = context;
  for await (const view of services.engine.queueWatch.watch(caller, signal)) {
    context.load = createLoaders(caller, services, turns); // cached rows may be outdated
    for (const row of view.conversations) context.load.conversations.byId.prime(row.id, row);
    yield view;
  }
}
