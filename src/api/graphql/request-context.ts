import type { Caller } from '../../core/kernel/caller.ts';
import type { Changes } from '../graphql-server/changes.ts';
import type { Context } from './context.ts';
import { createLoaders } from './loaders.ts';
import type { GraphqlServices } from './services.ts';

/** The context of one operation. After a change nothing that was looked up before is true any more. */
export function requestContext(
  caller: Caller,
  services: GraphqlServices,
  changes: Changes,
  realtime: Pick<Context, 'desk'> = {},
): Context {
  const context: Context = {
    ...realtime,
    caller,
    services,
    load: createLoaders(caller, services),
    changes: {
      run: async (work) => {
        const payload = await changes.run(work);
        context.load = createLoaders(caller, services);
        return payload;
      },
    },
  };
  return context;
}
