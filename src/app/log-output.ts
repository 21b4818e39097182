import { writeSync } from 'node:fs';

const STANDARD_ERROR = 2;
const MAX_RETRIES = 100;
const RETRY_DELAY_MS = 10;

const sleepCell = new Int32Array(new SharedArrayBuffer(4));

/**
 * Writes whole lines to standard error synchronously. Waits up to a second for a slow reader, and ignores a closed one:
 * the service keeps running.
 */
export const logOutput = {
  write(line: string): void {
    const bytes = Buffer.from(line);
    for (let written = 0, tries = 0; written < bytes.length && tries < MAX_RETRIES; ) {
      try {
        written += writeSync(STANDARD_ERROR, bytes, written);
      } catch (error) {
        if ((error as { code?: string }).code !== 'EAGAIN') return;
        tries += 1;
        Atomics.wait(sleepCell, 0, 0, RETRY_DELAY_MS);
      }
    }
  },
};
