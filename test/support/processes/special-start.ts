import { fileURLToPath } from 'node:url';
import type { Patience } from '../../../src/api/graphql-server/sockets.ts';

export const VARIABLE = 'SPECIAL_START';

export interface SpecialOptions {
  /** The database's clock stands still at this moment: however slow a machine is, no window of time ends. */
  readonly clockAt?: number;
  /** The database's clock is ahead by so much, instead of a wait. */
  readonly clockAheadMs?: number;
  readonly patience?: Patience;
}

/** How to start a service in a process that is special in some way; SIGUSR2 blocks it for three seconds. */
export function specialStart(options: SpecialOptions = {}): {
  readonly main: string;
  readonly env: Record<string, string>;
} {
  return {
    main: fileURLToPath(new URL('./special-server.ts', import.meta.url)),
    env: { [VARIABLE]: JSON.stringify(options) },
  };
}
