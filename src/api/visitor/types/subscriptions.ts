import type { Conversation } from '../../../core/engine/records/conversation.ts';
import type { LoggedEvent } from '../../../core/events/event-log.ts';
import { graphqlError } from '../../graphql-server/errors.ts';
import { readId, readPosition } from '../../graphql-server/ids.ts';
import { endable } from '../../graphql-server/streams.ts';
import { builder } from '../builder.ts';
import type { VisitorContext } from '../context.ts';
import { createLoaders } from '../loaders.ts';
import { ConversationRef } from './conversation.ts';
import { MessageRef } from './message.ts';

interface ConversationEvent extends LoggedEvent {
  /** As it was when the event was handed over. */
  readonly conversation: Conversation;
}

const ConversationEventRef = builder.objectRef<ConversationEvent>('ConversationEvent').implement({
  description: 'Something that happened in a conversation.',
  fields: (t) => ({
    position: t.exposeID('position', { description: 'Its place in the log: give it as `after` to go on from here.' }),
    type: t.exposeString('type', {
      description:
        '`conversation.queued`, `.offered`, `.started`, `.transferred`, `.closed`, `.updated` (it became a video), `message.created` or `satisfaction.answered`. More may come: leave out what you do not know.',
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When it happened.' }),
    conversation: t.expose('conversation', {
      type: ConversationRef,
      description: 'The conversation as it is now, which may be further than the event.',
    }),
    message: t.field({
      type: MessageRef,
      nullable: true,
      description: 'The new message, for `message.created`.',
      resolve: async ({ type, subjectId, changes }, _args, { load }) => {
        const { sequence } = changes.values;
        if (type !== 'message.created' || typeof sequence !== 'number') return null;
        return (await load.message.load({ conversationId: subjectId, sequence })) ?? null;
      },
    }),
  }),
});

builder.subscriptionField('conversationEvents', (t) =>
  t.field({
    type: ConversationEventRef,
    description:
      'All that happens in a conversation of the visitor, in order: nothing is missed and nothing comes twice for whoever gives the last `position` that they have seen.',
    args: {
      id: t.arg.id({ required: true, description: 'The conversation.' }),
      after: t.arg.id({
        description:
          'Only what happened after this position; from now on if nothing is said. One that is too old is refused: then read the conversation again and go on from `eventPosition`.',
      }),
    },
    subscribe: (_root, { id, after }, context) => endable((signal) => eventsOf(context, { id, after }, signal)),
    resolve: (event) => event,
  }),
);

async function* eventsOf(
  context: VisitorContext,
  { id: text, after }: { readonly id: string; readonly after?: string | null | undefined },
  signal: AbortSignal,
): AsyncGenerator<ConversationEvent> {
  const { visitor, services } = context;
  const start = readPosition('after', after) ?? (await services.events.log.position(visitor.accountId));
  const id = readId(text);
  const own = async () => {
    const found = id === undefined ? undefined : await services.visitors.ownConversations.find(visitor, id);
    if (!found) throw graphqlError('BAD_REQUEST', `Unknown 'conversation' with 'id' ${text}.`);
    return found;
  };
  await own();
  for await (const events of services.events.log.follow(visitor.accountId, start, signal, [`conversation:${id}`])) {
    const meant = events.filter(isForVisitors);
    if (meant.length === 0) continue;
    // What is known of earlier events is over.
    context.load = createLoaders(visitor, services);
    const conversation = await own();
    for (const event of meant) yield { ...event, conversation };
  }
}

/** What operators note for themselves is not the visitor's: of other changes only that a video began. */
function isForVisitors({ type, changes }: LoggedEvent): boolean {
  return type !== 'conversation.updated' || changes.fields.includes('escalatedTo');
}
