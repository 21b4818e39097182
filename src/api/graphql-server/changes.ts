import { AlreadyDone, type IdempotencyKeys, type KeyedRequest } from '../../core/access/idempotency.ts';
import type { Commit, Transact } from '../../core/kernel/caller.ts';
import { type UserError, userErrorsOf } from './errors.ts';

/** What a mutation answers with: the changed object, or what the caller can mend. */
export interface Payload<T> {
  readonly value: T | null;
  readonly userErrors: readonly UserError[];
}

/** How the mutations of one request are carried out. */
export interface Changes {
  run<T>(work: (commit: Commit<T>) => Promise<T>): Promise<Payload<T>>;
}

/** Each mutation in a transaction of its own. */
export function plainChanges(transact: Transact): Changes {
  return { run: (work) => outcomeOf(() => work(transact)) };
}

/** The one mutation of a request with an idempotency key: its outcome is kept with the change, without secrets. */
export function keyedChanges(keys: IdempotencyKeys, request: KeyedRequest): Changes {
  return {
    run: <T>(work: (commit: Commit<T>) => Promise<T>): Promise<Payload<T>> =>
      keys.alone(request, async () => {
        const earlier = await keys.earlierAnswer(request);
        if (earlier) return JSON.parse(earlier.body);
        try {
          let isKept = false;
          const payload = await outcomeOf(() =>
            work(async (change) => {
              const value = await keys.commit(request, (value: T) => kept({ value, userErrors: [] }))(change);
              isKept = true;
              return value;
            }),
          );
          if (!isKept) await keys.keep(request, kept(payload)); // nothing was changed
          return payload;
        } catch (error) {
          if (error instanceof AlreadyDone) return JSON.parse(error.answer.body);
          throw error;
        }
      }),
  };
}

function kept(payload: Payload<unknown>) {
  const body = JSON.stringify(payload, (name, value) => (name === 'secret' ? null : value));
  return { status: 200, location: null, body };
}

/** Mistakes of the caller come back as `userErrors`; everything else is thrown. */
async function outcomeOf<T>(work: () => Promise<T>): Promise<Payload<T>> {
  try {
    return { value: await work(), userErrors: [] };
  } catch (error) {
    const userErrors = userErrorsOf(error);
    if (!userErrors) throw error;
    return { value: null, userErrors };
  }
}
