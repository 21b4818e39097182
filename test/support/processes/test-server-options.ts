import { fileURLToPath } from 'node:url';
import type { SocketTimeouts } from '../../../src/api/graphql-server/sockets.ts';

export const TEST_SERVER_VARIABLE = 'TEST_SERVER_OPTIONS';

export interface TestServerOptions {
  /** Freezes the database's clock, so that no time window ends, however slow the machine is. */
  readonly clockAt?: number;
  /** Moves the database's clock ahead, instead of waiting. */
  readonly clockAheadMs?: number;
  readonly socketTimeouts?: SocketTimeouts;
}

/** Options to start a service process with test settings; SIGUSR2 blocks its event loop for three seconds. */
export function testServerOptions(options: TestServerOptions = {}): {
  readonly main: string;
  readonly env: Record<string, string>;
} {
  return {
    main: fileURLToPath(new URL('./test-server.ts', import.meta.url)),
    env: { [TEST_SERVER_VARIABLE]: JSON.stringify(options) },
  };
}
