import { AlreadyProcessed, type IdempotencyKeys, type KeyedRequest } from '../../core/access/idempotency.ts';
import type { Commit, Transact } from '../../core/kernel/caller.ts';
import { findUserErrors, type UserError } from './errors.ts';

/** The result of a mutation: the changed object, or errors that the caller can fix. */
export interface Payload<T> {
  readonly value: T | null;
  readonly userErrors: readonly UserError[];
}

/** Runs the mutations of one request. */
export interface MutationRunner {
  run<T>(work: (commit: Commit<T>) => Promise<T>): Promise<Payload<T>>;
}

/** Runs each mutation in a separate transaction. */
export function createMutationRunner(transact: Transact): MutationRunner {
  return { run: (work) => toPayload(() => work(transact)) };
}

/** Runs the only mutation of a request with an idempotency key. Stores the payload with the change, without secrets. */
export function createIdempotentMutationRunner(keys: IdempotencyKeys, request: KeyedRequest): MutationRunner {
  return {
    run: <T>(work: (commit: Commit<T>) => Promise<T>): Promise<Payload<T>> =>
      keys.runExclusively(request, async () => {
        const storedResponse = await keys.findResponse(request);
        if (storedResponse) return JSON.parse(storedResponse.body);
        try {
          let isStored = false;
          const payload = await toPayload(() =>
            work(async (change) => {
              const value = await keys.commit(request, (value: T) => toStoredResponse({ value, userErrors: [] }))(
                change,
              );
              isStored = true;
              return value;
            }),
          );
          if (!isStored) await keys.storeResponse(request, toStoredResponse(payload)); // nothing was committed
          return payload;
        } catch (error) {
          if (error instanceof AlreadyProcessed) return JSON.parse(error.response.body);
          throw error;
        }
      }),
  };
}

/** Values that are shown once, in the response to the first request. */
const SECRET_NAMES: ReadonlySet<string> = new Set(['secret', 'recoveryCodes']);

function toStoredResponse(payload: Payload<unknown>) {
  const body = JSON.stringify(payload, (name, value) => (SECRET_NAMES.has(name) ? null : value));
  return { status: 200, location: null, body };
}

/** Returns errors that the caller can fix as `userErrors`; rethrows all others. */
async function toPayload<T>(work: () => Promise<T>): Promise<Payload<T>> {
  try {
    return { value: await work(), userErrors: [] };
  } catch (error) {
    const userErrors = findUserErrors(error);
    if (!userErrors) throw error;
    return { value: null, userErrors };
  }
}
