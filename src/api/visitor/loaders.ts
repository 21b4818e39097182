import type { VisitorCaller } from '../../core/kernel/caller.ts';
import { createConversationLoaders } from '../graphql-server/conversation-loaders.ts';
import { createLoaderFactory } from '../graphql-server/loaders.ts';
import type { OperationTurns } from '../graphql-server/turns.ts';
import type { VisitorServices } from './services.ts';

/** The part of an operator that visitors see. */
export interface PublicOperator {
  readonly id: number;
  readonly pseudo: string;
}

export type VisitorLoaders = ReturnType<typeof createLoaders>;

/** Creates the loaders of one request: lookups of the same kind become one statement. */
export function createLoaders(
  { accountId }: VisitorCaller,
  { administration, attachments, engine }: VisitorServices,
  turns: OperationTurns,
) {
  const { createIdLoader } = createLoaderFactory(turns);
  return {
    ...createConversationLoaders(accountId, 'visitor', engine, attachments, turns),
    operator: createIdLoader<PublicOperator>(async (ids) => {
      const operators = await administration.operatorQuery.load(accountId, ids);
      return operators.map(({ id, pseudo }) => ({ id, pseudo }));
    }),
  };
}
