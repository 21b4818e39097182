/** Refusing this many takes about as long as the slice of a turn in which requests are served. */
const RESUMED_PER_TURN = 30;

/**
 * Connections whose last request was refused. They are read again in rotation, some in each turn of the event loop.
 * If the event loop chose, it would read from thousands of them before it accepts a new connection, and before it reads
 * from the clients that are served.
 */
export class RefusedConnections {
  readonly #paused: (() => void)[] = [];
  #isResuming = false;

  /** Calls `resume` when the connection's turn has come. */
  add(resume: () => void): void {
    this.#paused.push(resume);
    this.#resumeInNextTurn();
  }

  #resumeInNextTurn(): void {
    if (this.#isResuming) return;
    this.#isResuming = true;
    setImmediate(() => {
      this.#isResuming = false;
      for (const resume of this.#paused.splice(0, RESUMED_PER_TURN)) resume();
      if (this.#paused.length > 0) this.#resumeInNextTurn();
    });
  }
}
