import { hash } from 'node:crypto';
import type { Row } from './copy-end.ts';

/**
 * A checksum over rows in any order: the databases sort text differently. Each row counts by a hash of its values, and the hashes
 * are added up. A key is there once, so that no two rows cancel each other out.
 */
export class RowSum {
  #count = 0;
  readonly #lanes = new Uint32Array(4);

  add(rows: readonly Row[]): void {
    for (const row of rows) {
      const digest = hash('sha256', JSON.stringify(row), 'buffer');
      for (let lane = 0; lane < 4; lane += 1) {
        this.#lanes[lane] = (this.#lanes[lane] as number) + digest.readUInt32LE(lane * 4);
      }
    }
    this.#count += rows.length;
  }

  get count(): number {
    return this.#count;
  }

  get checksum(): string {
    return [...this.#lanes].map((lane) => lane.toString(16).padStart(8, '0')).join('');
  }
}
