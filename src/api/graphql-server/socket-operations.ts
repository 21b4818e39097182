import { type ExecutionArgs, type ExecutionResult, execute, GraphQLError, getOperationAST, subscribe } from 'graphql';
import { toClientError } from './errors.ts';
import type { OperationQueue } from './operation-queue.ts';
import { callAfterEnd } from './streams.ts';

const ADMISSION = Symbol('admission');

/** The arguments of an operation that has entered the queue. */
type AdmittedArgs = ExecutionArgs & {
  readonly [ADMISSION]: { leave(): void; closeSubscription(): void };
};

/** Runs the operations of all connections within the limits of their callers. */
export class SocketOperations {
  readonly #queue: OperationQueue;
  readonly #logError: (error: unknown) => void;
  /** The errors of the queue are always the same. */
  readonly #refusals = new Map<unknown, GraphQLError>();

  constructor(queue: OperationQueue, logError: (error: unknown) => void) {
    this.#queue = queue;
    this.#logError = logError;
  }

  /** Waits until the caller's operation may run, and prepares it. Returns the errors if it is rejected. */
  async admit(
    caller: string,
    countRefusal: () => void,
    prepare: () => Promise<ExecutionArgs | GraphQLError[]>,
  ): Promise<ExecutionArgs | GraphQLError[]> {
    let leave: () => void;
    try {
      leave = await this.#queue.enter(caller);
    } catch (error) {
      countRefusal();
      return [this.#toRefusal(error)];
    }
    let isAdmitted = false;
    try {
      const args = await prepare();
      if (Array.isArray(args)) return args;
      const admitted = this.#openIfSubscription(args, caller, leave);
      isAdmitted = !Array.isArray(admitted);
      return admitted;
    } finally {
      if (!isAdmitted) leave();
    }
  }

  readonly execute = async (args: ExecutionArgs): Promise<ExecutionResult> => {
    try {
      return await execute(args);
    } finally {
      (args as AdmittedArgs)[ADMISSION].leave();
    }
  };

  /** Opening a subscription is an operation; an open one no longer counts as running. */
  readonly subscribe = async (args: ExecutionArgs): Promise<AsyncGenerator<ExecutionResult> | ExecutionResult> => {
    const { leave, closeSubscription } = (args as AdmittedArgs)[ADMISSION];
    let isOpen = false;
    try {
      const result = await subscribe(args);
      isOpen = Symbol.asyncIterator in result;
      return isOpen ? callAfterEnd(result as AsyncGenerator<ExecutionResult>, closeSubscription) : result;
    } finally {
      leave();
      if (!isOpen) closeSubscription();
    }
  };

  #openIfSubscription(args: ExecutionArgs, caller: string, leave: () => void): AdmittedArgs | GraphQLError[] {
    const operation = getOperationAST(args.document, args.operationName)?.operation;
    // Otherwise the protocol rejects the operation without running it.
    if (operation === undefined) return [new GraphQLError('Unable to identify operation')];
    try {
      const closeSubscription = operation === 'subscription' ? this.#queue.openSubscription(caller) : () => undefined;
      return { ...args, [ADMISSION]: { leave, closeSubscription } };
    } catch (error) {
      return [this.#toRefusal(error)];
    }
  }

  #toRefusal(error: unknown): GraphQLError {
    const known = this.#refusals.get(error);
    if (known) return known;
    const originalError = error as Error;
    const refusal = toClientError(new GraphQLError(originalError.message, { originalError }), this.#logError);
    this.#refusals.set(error, refusal);
    return refusal;
  }
}
