import { DeadlineExceeded } from '../storage/deadline.ts';
import { DatabaseUnavailable } from '../storage/errors.ts';

const MAX_MS = 30_000;

/**
 * Requests are given up soon, but a start has time: a database that is only slow, as it may be while other nodes start or
 * migrate, is asked again. What may have been stored is not tried twice.
 */
export async function retryWhileStarting<T>(work: () => Promise<T>): Promise<T> {
  const end = performance.now() + MAX_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isSlow(error) || performance.now() > end) throw error;
    }
  }
}

function isSlow(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && !error.outcomeUnknown && error.cause instanceof DeadlineExceeded;
}
