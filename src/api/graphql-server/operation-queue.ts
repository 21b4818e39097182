import { DomainError } from '../../core/kernel/errors.ts';
import { OperationTurns, type TurnScheduler } from './turns.ts';

/** What one caller can do at the same time, over HTTP and on all their connections together. */
export interface OperationLimits {
  /** Further operations wait. */
  readonly running: number;
  /** Further operations are refused. */
  readonly waiting: number;
  readonly subscriptions: number;
}

/** Visitors are anonymous, and their pages need few operations at a time. */
export const OPERATION_LIMITS = {
  operator: { running: 8, waiting: 100, subscriptions: 300 },
  visitor: { running: 2, waiting: 20, subscriptions: 30 },
} as const satisfies Record<string, OperationLimits>;

const RETRY_AFTER_SECONDS = 1;

interface CallerOperations {
  running: number;
  subscriptions: number;
  readonly waiting: (() => void)[];
}

/**
 * Bounds the operations of each operator, API key and visitor, whatever the number of their tokens and connections. A
 * refusal costs almost nothing: the document is not parsed.
 */
export class OperationQueue {
  readonly #limits: OperationLimits;
  readonly #scheduler: TurnScheduler;
  readonly #countRefusal: () => void;
  /** Created once: a flood gets thousands of them, and each stack trace takes time. */
  readonly #refusals: { readonly operation: DomainError; readonly subscription: DomainError };
  readonly #callers = new Map<string, CallerOperations>();

  constructor(limits: OperationLimits, scheduler: TurnScheduler, countRefusal: () => void) {
    this.#limits = limits;
    this.#scheduler = scheduler;
    this.#countRefusal = countRefusal;
    const { running, waiting, subscriptions } = limits;
    this.#refusals = {
      operation: createRefusal(`at most ${running + waiting} operations can run and wait`),
      subscription: createRefusal(`at most ${subscriptions} subscriptions can be open`),
    };
  }

  /** Waits until the caller has less than the maximum running. Returns a function to call when the operation ends. */
  async enter(caller: string): Promise<() => void> {
    const { running, waiting } = this.#limits;
    const operations = this.#find(caller);
    if (operations.running < running) operations.running += 1;
    else if (operations.waiting.length < waiting)
      await new Promise<void>((resolve) => operations.waiting.push(resolve));
    else throw this.#refuse('operation');
    await this.#scheduler.wait(caller);
    return () => this.#leave(caller, operations);
  }

  /** For the context of one operation. */
  createTurns(caller: string): OperationTurns {
    return new OperationTurns(this.#scheduler, caller);
  }

  /** Returns a function to call when the subscription ends. */
  openSubscription(caller: string): () => void {
    const operations = this.#find(caller);
    if (operations.subscriptions >= this.#limits.subscriptions) throw this.#refuse('subscription');
    operations.subscriptions += 1;
    return () => {
      operations.subscriptions -= 1;
      this.#forgetIfIdle(caller, operations);
    };
  }

  #find(caller: string): CallerOperations {
    const operations = this.#callers.get(caller) ?? { running: 0, subscriptions: 0, waiting: [] };
    this.#callers.set(caller, operations);
    return operations;
  }

  #leave(caller: string, operations: CallerOperations): void {
    const next = operations.waiting.shift();
    if (next) next();
    else {
      operations.running -= 1;
      this.#forgetIfIdle(caller, operations);
    }
  }

  #forgetIfIdle(caller: string, { running, subscriptions }: CallerOperations): void {
    if (running === 0 && subscriptions === 0) this.#callers.delete(caller);
  }

  #refuse(what: 'operation' | 'subscription'): DomainError {
    this.#countRefusal();
    return this.#refusals[what];
  }
}

function createRefusal(rule: string): DomainError {
  return new DomainError('limited', `Too many operations at the same time: ${rule}.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
