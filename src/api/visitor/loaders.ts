import type { VisitorCaller } from '../../core/kernel/caller.ts';
import { conversationLoaders } from '../graphql-server/conversation-loaders.ts';
import { loadById } from '../graphql-server/loaders.ts';
import type { VisitorServices } from './services.ts';

/** What a visitor sees of an operator. */
export interface SeenOperator {
  readonly id: number;
  readonly pseudo: string;
}

export type VisitorLoaders = ReturnType<typeof createLoaders>;

/** Look-ups of one request: all that are asked for in the same moment become one statement. */
export function createLoaders({ accountId }: VisitorCaller, { administration, engine }: VisitorServices) {
  return {
    ...conversationLoaders(accountId, engine),
    operator: loadById<SeenOperator>(async (ids) => {
      const operators = await administration.operatorQuery.load(accountId, ids);
      return operators.map(({ id, pseudo }) => ({ id, pseudo }));
    }),
  };
}
