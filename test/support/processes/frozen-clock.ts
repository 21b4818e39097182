import { openInstallation } from '../../../src/app/installation.ts';
import { readConfig } from '../../../src/config.ts';
import type { Access } from '../../../src/core/access/access.ts';
import { TEST_OPEN_OPTIONS } from './open-options.ts';
import { type StartOptions, type Switchboard, testEnvironment } from './switchboard.ts';

const FROZEN_AT = Date.now();

/** Freezes the clock, for tests of limits per minute: no request ever leaves the window. */
export function withFrozenClock(options: StartOptions = {}): StartOptions {
  return { ...options, clock: () => FROZEN_AT };
}

type Limits = Access['limits'];

/** Counts login attempts as another process on the same database would, without hashing a password for each. */
export async function recordLoginAttempts(
  { folder }: Switchboard,
  times: number,
  recordAttempt: (limits: Limits, index: number) => Promise<void>,
) {
  const { access, database } = await openInstallation(readConfig(testEnvironment(folder)), {
    ...TEST_OPEN_OPTIONS,
    clock: () => FROZEN_AT,
  });
  await Promise.all(Array.from({ length: times }, (_, index) => recordAttempt(access.limits, index)));
  await database.close();
}
