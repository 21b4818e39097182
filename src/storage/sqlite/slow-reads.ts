import { Worker } from 'node:worker_threads';
import { ReadTooSlow } from '../errors.ts';
import type { RunningClock } from '../running-clock.ts';

export interface SlowRead {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** The time for `now_ms()`. */
  readonly now: number;
  /** Time limit. */
  readonly milliseconds: number;
}

export type SlowReadResult = { rows: unknown[] } | { tooSlow: true } | { failed: string };

interface QueuedRead {
  readonly read: SlowRead;
  readonly queuedAt: number;
  resolve(rows: unknown[]): void;
  reject(error: Error): void;
}

const MAX_WORKERS = 2;
const MAX_QUEUED_READS = 64;

/**
 * Runs long reads in read-only worker threads, because SQLite runs in the calling thread and would block all other
 * requests. A worker checks the deadline every few hundred rows. Stalls of the process do not count.
 */
export class SlowReads {
  readonly #file: string;
  readonly #idleWorkers: Worker[] = [];
  readonly #workers = new Set<Worker>();
  readonly #queue: QueuedRead[] = [];
  readonly #clock: RunningClock;

  constructor(file: string, clock: RunningClock) {
    this.#file = file;
    this.#clock = clock;
  }

  run(query: Pick<SlowRead, 'sql' | 'parameters' | 'now'>, milliseconds: number): Promise<unknown[]> {
    if (this.#queue.length >= MAX_QUEUED_READS) return Promise.reject(new ReadTooSlow());
    return new Promise((resolve, reject) => {
      this.#queue.push({ read: { ...query, milliseconds }, queuedAt: this.#clock.now(), resolve, reject });
      this.#startNext();
    });
  }

  async close(): Promise<void> {
    for (const { reject } of this.#queue.splice(0)) reject(new ReadTooSlow());
    await Promise.all([...this.#workers].map((worker) => worker.terminate()));
  }

  #startNext(): void {
    if (this.#queue.length === 0) return;
    const worker = this.#idleWorkers.pop() ?? (this.#workers.size < MAX_WORKERS ? this.#startWorker() : undefined);
    if (!worker) return;
    const { read, queuedAt, resolve, reject } = this.#queue.shift() as QueuedRead;
    const settle = (result: SlowReadResult) => {
      worker.off('error', fail).off('message', settle);
      this.#idleWorkers.push(worker);
      if ('rows' in result) resolve(result.rows);
      else reject('failed' in result ? new Error(result.failed) : new ReadTooSlow());
      this.#startNext();
    };
    const fail = (error: Error & { code?: string }) => {
      this.#workers.delete(worker);
      reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new ReadTooSlow() : error);
      this.#startNext();
    };
    worker.once('message', settle).once('error', fail);
    worker.postMessage({ ...read, milliseconds: read.milliseconds - (this.#clock.now() - queuedAt) });
  }

  #startWorker(): Worker {
    const worker = new Worker(new URL('./slow-reads-worker.ts', import.meta.url), {
      workerData: this.#file,
      // A worker holds few rows at a time, but its heap would grow far larger before garbage collection.
      resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 256 },
    });
    worker.unref();
    this.#workers.add(worker);
    return worker;
  }
}
