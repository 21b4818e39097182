/** Prevents statements that are still queued when a transaction fails from running in the next transaction. */
export class TransactionEnded extends Error {
  constructor() {
    super('The transaction has ended.');
    this.name = 'TransactionEnded';
  }
}

/** A statement can fail before it is awaited. This prevents the unhandled rejection from ending the process. */
export function ignoreUnhandledRejection<T>(statement: Promise<T>): Promise<T> {
  statement.catch(() => undefined);
  return statement;
}

/** Returns the first error. Later statements of the same transaction fail only because of it. */
export async function findFirstFailure(statements: readonly Promise<unknown>[]): Promise<unknown> {
  const outcomes = await Promise.allSettled(statements);
  return outcomes.find((outcome) => outcome.status === 'rejected')?.reason;
}

/** Returns the error; undefined if the statement succeeded. */
export function findFailure(statement: Promise<unknown>): Promise<unknown> {
  return statement.then(
    () => undefined,
    (reason) => reason,
  );
}
