import { DeadlineExceeded } from '../storage/deadline.ts';
import { DatabaseUnavailable } from '../storage/errors.ts';

const START_TIMEOUT_MS = 30_000;

/**
 * Requests time out quickly, but startup can wait: retries while the database is merely slow, for example because other
 * nodes start or migrate. Work that may have been committed is not repeated.
 */
export async function retryWhileStarting<T>(work: () => Promise<T>): Promise<T> {
  const end = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isTimeout(error) || performance.now() > end) throw error;
    }
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && !error.outcomeUnknown && error.cause instanceof DeadlineExceeded;
}
