import type { VisitorCaller } from '../../core/kernel/caller.ts';
import type { MutationRunner } from '../graphql-server/mutation-runner.ts';
import type { OperationTurns } from '../graphql-server/turns.ts';
import { createLoaders, type VisitorLoaders } from './loaders.ts';
import type { VisitorServices } from './services.ts';

/** The context of every resolver. It gives no access to operator data. */
export interface VisitorContext {
  readonly visitor: VisitorCaller;
  /** The client's IP address. */
  readonly address: string;
  readonly services: VisitorServices;
  /** Caches lookups for one request; a subscription replaces it for every event. */
  load: VisitorLoaders;
  readonly mutations: MutationRunner;
  readonly turns: OperationTurns;
  /** The position of the event log before this request read anything. A subscription from there misses no event. */
  eventPosition(): Promise<number>;
}

/** Creates the context of one operation. Each mutation resets the loaders, because cached rows may be outdated. */
export function createVisitorContext(
  request: { readonly visitor: VisitorCaller; readonly address: string },
  services: VisitorServices,
  mutations: MutationRunner,
  turns: OperationTurns,
): VisitorContext {
  let eventPosition: Promise<number> | undefined;
  const context: VisitorContext = {
    ...request,
    services,
    turns,
    load: createLoaders(request.visitor, services, turns),
    mutations: {
      run: async (work) => {
        const payload = await mutations.run(work);
        context.load = createLoaders(request.visitor, services, turns);
        return payload;
      },
    },
    eventPosition: () => {
      eventPosition ??= services.events.log.readPosition(request.visitor.accountId);
      return eventPosition;
    },
  };
  return context;
}
