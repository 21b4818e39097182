import type { Caller } from '../../core/kernel/caller.ts';
import type { MutationRunner } from '../graphql-server/mutation-runner.ts';
import type { OperationTurns } from '../graphql-server/turns.ts';
import type { DeskPresence } from './desk-presence.ts';
import type { Loaders } from './loaders.ts';
import type { GraphqlServices } from './services.ts';

export interface Context {
  readonly caller: Caller;
  readonly services: GraphqlServices;
  /** Caches lookups for one request; a subscription replaces it for every event. */
  load: Loaders;
  readonly mutations: MutationRunner;
  readonly turns: OperationTurns;
  /** Returns the public address of the service, without a slash at the end. */
  getBaseUrl(): string;
  /** Returns a signal that is aborted when the client disconnects, for work that takes long. */
  readonly getDisconnectSignal?: () => AbortSignal;
  /** The presence of the viewer's desk; undefined for requests over HTTP. */
  readonly desk?: DeskPresence | undefined;
}
