import type { Caller } from '../../../core/kernel/caller.ts';
import { builder, createEnum } from '../builder.ts';

type Actor = Caller['actor'];

export const ActorTypeEnum = createEnum<Actor['type']>('ActorType', 'The kind of actor.', {
  operator: 'A logged-in operator.',
  api_key: 'An integration with an API key.',
  visitor: 'A visitor.',
  command_line: 'An administrator on the command line of the installation.',
  system: 'The service itself, for example when a timeout expires.',
});

export const ActorRef = builder.objectRef<Pick<Actor, 'type' | 'id'>>('Actor').implement({
  description: 'Who made a change.',
  fields: (t) => ({
    type: t.expose('type', { type: ActorTypeEnum, description: 'The kind of actor.' }),
    id: t.exposeID('id', { nullable: true, description: 'The identifier of the actor, if known.' }),
    name: t.string({
      nullable: true,
      description: 'The pseudonym, if the actor is an operator who still exists.',
      resolve: async ({ type, id }, _args, { load }) =>
        type === 'operator' && id !== null ? ((await load.operator.load(id))?.pseudo ?? null) : null,
    }),
  }),
});

export function toActor({ actorType, actorId }: { readonly actorType: string; readonly actorId: number | null }) {
  return { type: actorType as Actor['type'], id: actorId };
}
