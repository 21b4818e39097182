import type { Watcher } from '../storage/copy/copy-installation.ts';
import type { TerminalOutput } from './terminal.ts';

const LINE_EVERY_MS = 10_000;
const REPAINT_EVERY_MS = 200;

export const grouped = (count: number) => count.toLocaleString('en-US');
export const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`;
export const rate = (rows: number, milliseconds: number) =>
  `${grouped(Math.round((rows / Math.max(milliseconds, 1)) * 1000))} rows/s`;

/** Before this a rate says nothing. */
const MEANINGFUL_MS = 1000;

/** Shows how far it has come: one line that changes on a terminal; elsewhere a line now and then, and one for each table if wanted. */
export class CopyProgress implements Watcher {
  readonly #output: TerminalOutput;
  readonly #total: number;
  readonly #signal: AbortSignal;
  readonly #eachTable: boolean;
  readonly #startedAt = performance.now();
  #shownAt = this.#startedAt;
  #done = 0;
  #skipped = 0;
  #table = { name: '', total: 0, done: 0 };

  constructor(
    output: TerminalOutput,
    total: number,
    signal: AbortSignal,
    { eachTable }: { readonly eachTable: boolean },
  ) {
    this.#output = output;
    this.#total = total;
    this.#eachTable = eachTable;
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

  table(name: string, total: number, already: number): void {
    this.#signal.throwIfAborted();
    this.#endTable();
    this.#table = { name, total, done: already };
    this.#skipped += already;
  }

  rows(count: number): void {
    this.#table.done += count;
    this.#done += count;
    if (performance.now() - this.#shownAt > (this.#output.isTTY ? REPAINT_EVERY_MS : LINE_EVERY_MS)) this.#show();
    this.#signal.throwIfAborted();
  }

  end(): void {
    this.#endTable();
    this.#table = { name: '', total: 0, done: 0 };
    if (this.#output.isTTY) this.#output.write('\r\u001b[K');
  }

  #endTable(): void {
    if (this.#table.total === 0 || !this.#eachTable) return;
    this.#show();
    if (this.#output.isTTY) this.#output.write('\n');
  }

  #show(): void {
    this.#shownAt = performance.now();
    const line = this.#line();
    this.#output.write(this.#output.isTTY ? `\r${line}\u001b[K` : `${line}\n`);
  }

  #line(): string {
    const { name, total, done } = this.#table;
    const rows = `${grouped(done)} of ${grouped(total)}`;
    const shown = `${name.padEnd(20)} ${rows.padStart(24)}`;
    if (this.elapsedMs < MEANINGFUL_MS) return shown;
    const left = this.#total - this.#skipped - this.#done;
    const leftMs = (left / Math.max(this.#done, 1)) * this.elapsedMs;
    return `${shown}  ${rate(this.#done, this.elapsedMs).padStart(16)}  ${seconds(leftMs)} left`;
  }
}
