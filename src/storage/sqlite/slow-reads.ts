import { Worker } from 'node:worker_threads';
import { ReadTooSlow } from '../errors.ts';
import type { RunningClock } from '../running-clock.ts';

export interface SlowRead {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** What SQL sees as the time. */
  readonly now: number;
  /** How long it may take from here on. */
  readonly milliseconds: number;
}

export type SlowReadAnswer = { rows: unknown[] } | { tooSlow: true } | { failed: string };

interface Waiting {
  readonly read: SlowRead;
  readonly queuedAt: number;
  resolve(rows: unknown[]): void;
  reject(error: Error): void;
}

const WORKERS = 2;
const MAX_WAITING = 64;

/**
 * Reads that may take long, in read-only worker threads: SQLite runs in the thread of its caller and would hold up
 * every other request. A worker looks at the clock every few hundred rows and gives up at the deadline. What counts is the time in
 * which this process ran.
 */
export class SlowReads {
  readonly #file: string;
  readonly #idle: Worker[] = [];
  readonly #all = new Set<Worker>();
  readonly #waiting: Waiting[] = [];
  readonly #clock: RunningClock;

  constructor(file: string, clock: RunningClock) {
    this.#file = file;
    this.#clock = clock;
  }

  run(query: Pick<SlowRead, 'sql' | 'parameters' | 'now'>, milliseconds: number): Promise<unknown[]> {
    if (this.#waiting.length >= MAX_WAITING) return Promise.reject(new ReadTooSlow());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ read: { ...query, milliseconds }, queuedAt: this.#clock.now(), resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    for (const { reject } of this.#waiting.splice(0)) reject(new ReadTooSlow());
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
  }

  #next(): void {
    if (this.#waiting.length === 0) return;
    const worker = this.#idle.pop() ?? (this.#all.size < WORKERS ? this.#start() : undefined);
    if (!worker) return;
    const { read, queuedAt, resolve, reject } = this.#waiting.shift() as Waiting;
    const settle = (answer: SlowReadAnswer) => {
      worker.off('error', fail).off('message', settle);
      this.#idle.push(worker);
      if ('rows' in answer) resolve(answer.rows);
      else reject('failed' in answer ? new Error(answer.failed) : new ReadTooSlow());
      this.#next();
    };
    const fail = (error: Error & { code?: string }) => {
      this.#all.delete(worker);
      reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new ReadTooSlow() : error);
      this.#next();
    };
    worker.once('message', settle).once('error', fail);
    worker.postMessage({ ...read, milliseconds: read.milliseconds - (this.#clock.now() - queuedAt) });
  }

  #start(): Worker {
    const worker = new Worker(new URL('./slow-reads-worker.ts', import.meta.url), {
      workerData: this.#file,
      // It holds a few rows at a time; left alone it would take several times this before it collects.
      resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 256 },
    });
    worker.unref();
    this.#all.add(worker);
    return worker;
  }
}
