import type { CopyListener } from '../storage/copy/copy-installation.ts';
import type { TerminalOutput } from './terminal.ts';

const LINE_INTERVAL_MS = 10_000;
const REPAINT_INTERVAL_MS = 200;

export const formatCount = (count: number) => count.toLocaleString('en-US');
export const formatSeconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;
export const formatRate = (rows: number, milliseconds: number) =>
  `${formatCount(Math.round((rows / Math.max(milliseconds, 1)) * 1000))} rows/s`;

/** Rates are not shown before this. */
const MIN_RATE_MS = 1000;

/**
 * Shows progress: on a terminal one line that is repainted, elsewhere a line every few seconds. With `showEachTable`,
 * every finished table keeps its line.
 */
export class CopyProgress implements CopyListener {
  readonly #output: TerminalOutput;
  readonly #total: number;
  readonly #signal: AbortSignal;
  readonly #showEachTable: boolean;
  readonly #startedAt = performance.now();
  #renderedAt = this.#startedAt;
  #done = 0;
  #skipped = 0;
  #table = { name: '', total: 0, done: 0 };

  constructor(
    output: TerminalOutput,
    total: number,
    signal: AbortSignal,
    { showEachTable }: { readonly showEachTable: boolean },
  ) {
    this.#output = output;
    this.#total = total;
    this.#showEachTable = showEachTable;
    this.#signal = signal;
  }

  get tableName(): string {
    return this.#table.name;
  }

  get rowsDone(): number {
    return this.#done;
  }

  get elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  onTable(name: string, total: number, copiedRows: number): void {
    this.#signal.throwIfAborted();
    this.#endTable();
    this.#table = { name, total, done: copiedRows };
    this.#skipped += copiedRows;
  }

  onRows(count: number): void {
    this.#table.done += count;
    this.#done += count;
    if (performance.now() - this.#renderedAt > (this.#output.isTTY ? REPAINT_INTERVAL_MS : LINE_INTERVAL_MS))
      this.#render();
    this.#signal.throwIfAborted();
  }

  end(): void {
    this.#endTable();
    this.#table = { name: '', total: 0, done: 0 };
    if (this.#output.isTTY) this.#output.write('\r\u001b[K');
  }

  #endTable(): void {
    if (this.#table.total === 0 || !this.#showEachTable) return;
    this.#render();
    if (this.#output.isTTY) this.#output.write('\n');
  }

  #render(): void {
    this.#renderedAt = performance.now();
    const line = this.#buildLine();
    this.#output.write(this.#output.isTTY ? `\r${line}\u001b[K` : `${line}\n`);
  }

  #buildLine(): string {
    const { name, total, done } = this.#table;
    const rows = `${formatCount(done)} of ${formatCount(total)}`;
    const progress = `${name.padEnd(20)} ${rows.padStart(24)}`;
    if (this.elapsedMs < MIN_RATE_MS) return progress;
    const remainingRows = this.#total - this.#skipped - this.#done;
    const remainingMs = (remainingRows / Math.max(this.#done, 1)) * this.elapsedMs;
    return `${progress}  ${formatRate(this.#done, this.elapsedMs).padStart(16)}  ${formatSeconds(remainingMs)} left`;
  }
}
