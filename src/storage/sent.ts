/** Several statements at a time may outlive the failure of one of them: they must not get into somebody else's transaction. */
export class TransactionIsOver extends Error {
  constructor() {
    super('The transaction is over.');
    this.name = 'TransactionIsOver';
  }
}

/** A statement that nobody waits for may fail before anybody looks: that must not end the process. */
export function settled<T>(statement: Promise<T>): Promise<T> {
  statement.catch(() => undefined);
  return statement;
}

/** Why the first of them failed. Everything after it in the same transaction fails only because of it. */
export async function firstFailure(statements: readonly Promise<unknown>[]): Promise<unknown> {
  const outcomes = await Promise.allSettled(statements);
  return outcomes.find((outcome) => outcome.status === 'rejected')?.reason;
}

/** Why it failed; undefined if it did not. */
export function failureOf(statement: Promise<unknown>): Promise<unknown> {
  return statement.then(
    () => undefined,
    (reason) => reason,
  );
}
