import { hash } from 'node:crypto';
import type { Row, Value } from './copy-endpoint.ts';

/**
 * A checksum that does not depend on row order, because the databases sort text differently. Adds up the hashes of all
 * rows. Keys are unique, so identical rows cannot cancel each other out.
 */
export class RowChecksum {
  #count = 0;
  readonly #lanes = new Uint32Array(4);

  add(rows: readonly Row[]): void {
    for (const row of rows) {
      const digest = hash('sha256', JSON.stringify(row.map(toComparable)), 'buffer');
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

/** The drivers return bytes as different classes, which JSON renders differently. */
function toComparable(value: Value): Value {
  return value instanceof Uint8Array ? hash('sha256', value, 'base64') : value;
}
