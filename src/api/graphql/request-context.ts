import { type Caller, requireWrite } from '../../core/kernel/caller.ts';
import type { MutationRunner } from '../graphql-server/mutation-runner.ts';
import type { OperationTurns } from '../graphql-server/turns.ts';
import type { Context } from './context.ts';
import { createLoaders } from './loaders.ts';
import type { GraphqlServices } from './services.ts';

/** Creates the context of one operation. Each mutation resets the loaders, because cached rows may be outdated. */
export function createRequestContext(
  caller: Caller,
  services: GraphqlServices,
  mutations: MutationRunner,
  turns: OperationTurns,
  connection: Pick<Context, 'getBaseUrl' | 'getDisconnectSignal' | 'desk'>,
): Context {
  const context: Context = {
    ...connection,
    caller,
    services,
    turns,
    load: createLoaders(caller, services, turns),
    mutations: {
      run: async (work) => {
        requireWrite(caller);
        const payload = await mutations.run(work);
        context.load = createLoaders(caller, services, turns);
        return payload;
      },
    },
  };
  return context;
}
