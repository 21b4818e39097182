import type { Fact } from '../prepared-statement.ts';

/** What the changes of a transaction have written so far: whether a read that was sent ahead still holds. */
export class WrittenFacts {
  #writes = 0;
  #lastUnknownWrite = 0;
  readonly #lastWrites = new Map<Fact, number>();

  /** How many writes of facts were sent until now. */
  get position(): number {
    return this.#writes;
  }

  /** Called for each write; without facts it may have changed all. */
  add(facts: readonly Fact[] | undefined): void {
    if (facts?.length === 0) return;
    this.#writes += 1;
    if (!facts) this.#lastUnknownWrite = this.#writes;
    else for (const fact of facts) this.#lastWrites.set(fact, this.#writes);
  }

  holdSince(position: number, facts: readonly Fact[]): boolean {
    return this.#lastUnknownWrite <= position && facts.every((fact) => (this.#lastWrites.get(fact) ?? 0) <= position);
  }
}
