import type { Caller } from '../../../core/kernel/caller.ts';
import { builder, wordsEnum } from '../builder.ts';

type Actor = Caller['actor'];

export const ActorTypeEnum = wordsEnum<Actor['type']>('ActorType', 'What kind of somebody did something.', {
  operator: 'An operator, logged in.',
  api_key: 'An integration, by a key.',
  visitor: 'A visitor.',
  command_line: 'Whoever runs the installation, on its command line.',
  system: 'The service itself, for example because a time has ended.',
});

export const ActorRef = builder.objectRef<Pick<Actor, 'type' | 'id'>>('Actor').implement({
  description: 'Who did something.',
  fields: (t) => ({
    type: t.expose('type', { type: ActorTypeEnum, description: 'What kind of somebody.' }),
    id: t.exposeID('id', { nullable: true, description: 'Which one, where that is known.' }),
    name: t.string({
      nullable: true,
      description: 'The pseudonym of an operator who is still there.',
      resolve: async ({ type, id }, _args, { load }) =>
        type === 'operator' && id !== null ? ((await load.operator.load(id))?.pseudo ?? null) : null,
    }),
  }),
});

/** Who did what a row was kept of. */
export function actorOf({ actorType, actorId }: { readonly actorType: string; readonly actorId: number | null }) {
  return { type: actorType as Actor['type'], id: actorId };
}
