import { writeSync } from 'node:fs';

const STANDARD_ERROR = 2;
const MAX_TRIES = 100;
const PAUSE_MS = 10;

const pause = new Int32Array(new SharedArrayBuffer(4));

/**
 * Writes lines to standard error, at once and whole. A reader who is slow is waited for, for a second at most; one who is gone is not:
 * the service goes on, and stops when it is told to.
 */
export const logOutput = {
  write(line: string): void {
    const bytes = Buffer.from(line);
    for (let written = 0, tries = 0; written < bytes.length && tries < MAX_TRIES; ) {
      try {
        written += writeSync(STANDARD_ERROR, bytes, written);
      } catch (error) {
        if ((error as { code?: string }).code !== 'EAGAIN') return;
        tries += 1;
        Atomics.wait(pause, 0, 0, PAUSE_MS);
      }
    }
  },
};
