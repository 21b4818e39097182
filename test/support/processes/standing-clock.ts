import { openInstallation } from '../../../src/app/installation.ts';
import { readConfig } from '../../../src/config.ts';
import type { Access } from '../../../src/core/access/access.ts';
import { environment, FOR_TESTS, type StartOptions, type Switchboard } from './switchboard.ts';

const AT = Date.now();

/** Starts the service with a clock that stands still, for limits per minute: nothing ever leaves their window. */
export function withStandingClock(options: StartOptions = {}): StartOptions {
  return { ...options, clock: () => AT };
}

type Limits = Access['limits'];

/** Counts tries to log in as another process on the same database would: without the cost of a hash for each. */
export async function useUpLogins(
  { folder }: Switchboard,
  times: number,
  admit: (limits: Limits, index: number) => Promise<void>,
) {
  const { access, database } = await openInstallation(readConfig(environment(folder)), {
    ...FOR_TESTS,
    clock: () => AT,
  });
  await Promise.all(Array.from({ length: times }, (_, index) => admit(access.limits, index)));
  await database.close();
}
