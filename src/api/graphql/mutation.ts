import type { OutputType } from '@pothos/core';
import type { Commit } from '../../core/caller.ts';
import { AlreadyDone, type IdempotencyKeys, type KeyedRequest } from '../../core/idempotency.ts';
import { builder } from './builder.ts';
import type { Context } from './context.ts';
import { type UserError, UserErrorRef, userErrorsOf } from './errors.ts';

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
export function plainChanges(transact: <T>(work: Parameters<Commit<T>>[0]) => Promise<T>): Changes {
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

type OutputTypeOf = OutputType<typeof builder.$inferSchemaTypes>;

/** The type of a mutation's answer: something of the outcome under a name, and the user errors. */
export function payloadType<T>(
  name: string,
  thing: { name: string; type: OutputTypeOf; description?: string; of?(value: T, context: Context): unknown },
) {
  return builder.objectRef<Payload<T>>(`${name}Payload`).implement({
    description: `Answer of the mutation ${name[0]?.toLowerCase()}${name.slice(1)}.`,
    fields: (t) => ({
      [thing.name]: t.field({
        type: thing.type,
        nullable: true,
        description: thing.description ?? 'The object as it is now; null when there are user errors.',
        resolve: ({ value }, _args, context) =>
          (value === null || !thing.of ? value : thing.of(value, context)) as never,
      }),
      userErrors: t.field({
        type: [UserErrorRef],
        description: 'What the caller can mend; empty when it worked.',
        resolve: (payload) => [...payload.userErrors],
      }),
    }),
  });
}

/** The answer of a delete: the identifier that is gone. */
export function deletedType(name: string) {
  return payloadType<{ id: number }>(name, {
    name: 'deletedId',
    type: 'ID',
    description: 'The identifier that is gone; null when there are user errors.',
    of: (value) => value.id,
  });
}
