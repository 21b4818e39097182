import type { VisitorCaller } from '../../core/kernel/caller.ts';
import type { Changes } from '../graphql-server/changes.ts';
import { createLoaders, type VisitorLoaders } from './loaders.ts';
import type { VisitorServices } from './services.ts';

/** What every resolver gets. There is no operator in it, and no way to one. */
export interface VisitorContext {
  readonly visitor: VisitorCaller;
  /** From where the request came. */
  readonly address: string;
  readonly services: VisitorServices;
  /** A subscription replaces them with every event. */
  load: VisitorLoaders;
  readonly changes: Changes;
  /**
   * How far the event log had come before anything of this request was read: whoever follows it from there misses nothing
   * of what happened since.
   */
  position(): Promise<number>;
}

/** The context of one operation. After a change nothing that was looked up before is true any more. */
export function visitorContext(
  asking: { readonly visitor: VisitorCaller; readonly address: string },
  services: VisitorServices,
  changes: Changes,
): VisitorContext {
  let position: Promise<number> | undefined;
  const context: VisitorContext = {
    ...asking,
    services,
    load: createLoaders(asking.visitor, services),
    changes: {
      run: async (work) => {
        const payload = await changes.run(work);
        context.load = createLoaders(asking.visitor, services);
        return payload;
      },
    },
    position: () => {
      position ??= services.events.log.position(asking.visitor.accountId);
      return position;
    },
  };
  return context;
}
