import type { Caller } from '../../core/kernel/caller.ts';
import type { Changes } from '../graphql-server/changes.ts';
import type { DeskPresence } from './desk-presence.ts';
import type { Loaders } from './loaders.ts';
import type { GraphqlServices } from './services.ts';

/** What every resolver gets: who asks, what there is, and look-ups that are shared within one request. */
export interface Context {
  readonly caller: Caller;
  readonly services: GraphqlServices;
  /** A subscription replaces them with every event. */
  load: Loaders;
  /** How the mutations of the request are carried out. */
  readonly changes: Changes;
  /** The presence of the viewer's desk; there is none without a realtime connection. */
  readonly desk?: DeskPresence | undefined;
}
