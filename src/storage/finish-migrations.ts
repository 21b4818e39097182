import { setTimeout } from 'node:timers/promises';
import type { Database } from './database.ts';
import { LockNotAvailable } from './errors.ts';
import { fillBatch } from './fill-batch.ts';
import { migrations } from './migrate.ts';
import { listUnfinishedWork, saveWork, type WorkRow } from './migration-work.ts';
import type { Fill, Migration } from './migrations/migration.ts';

const MAX_BATCH_ROWS = 1000;
/** On a busy server every batch takes long, however small: without a minimum a fill would hardly advance. */
const MIN_BATCH_ROWS = 250;
/** Requests can wait for a batch, so a slow server gets smaller ones. */
const TARGET_BATCH_MS = 100;
/** A batch is followed by a pause of the same length, but no longer than this. */
const MAX_PAUSE_MS = 250;

export interface FinishOptions {
  readonly available?: readonly Migration[];
  readonly signal?: AbortSignal;
  /** Called after each step, and before an index is built, which can take long. */
  onProgress?(what: 'started' | 'filled' | 'finished', work: WorkRow): void;
}

/**
 * Builds the indexes and fills the rows that the applied migrations left to the background, on one node at a time. The
 * second pass of a fill, and what another node is doing, is left for later: see `readWorkState`.
 */
export async function finishMigrations(database: Database, options: FinishOptions = {}): Promise<void> {
  const { available = migrations, signal } = options;
  await database.runExclusively(async ({ createIndex, lost }) => {
    const stop = signal ? AbortSignal.any([signal, lost]) : lost;
    const indexes = new Map(available.flatMap((migration) => migration.indexes ?? []).map((item) => [item.name, item]));
    const fills = new Map(available.flatMap((migration) => migration.fills ?? []).map((item) => [item.name, item]));
    // Work of a newer version is left to its nodes.
    for (const work of await listUnfinishedWork(database.read)) {
      if (stop.aborted) return;
      const index = work.kind === 'index' ? indexes.get(work.name) : undefined;
      const fill = work.kind === 'fill' ? fills.get(work.name) : undefined;
      if (index) await finishIndex(database, work, () => createIndex(index), options);
      if (fill) await runPass(database, fill, stop, options);
    }
  }, signal);
}

async function finishIndex(
  database: Database,
  work: WorkRow,
  build: () => Promise<void>,
  { onProgress }: FinishOptions,
): Promise<void> {
  onProgress?.('started', work);
  await build();
  const finished = await database.transaction(async (tx) => {
    await saveWork(tx, work.name, { finishedAt: tx.now });
    return { ...work, finishedAt: tx.now };
  });
  onProgress?.('finished', finished);
}

async function runPass(
  database: Database,
  fill: Fill,
  signal: AbortSignal,
  { onProgress }: FinishOptions,
): Promise<void> {
  let size = MAX_BATCH_ROWS;
  while (!signal.aborted) {
    const startedAt = performance.now();
    const work = await fillBatch(database, fill, size).catch((error) => {
      if (error instanceof LockNotAvailable) return 'locked' as const;
      throw error;
    });
    if (work === undefined) return;
    const elapsedMs = performance.now() - startedAt;
    if (work !== 'locked') {
      if (work.afterKey === null) return onProgress?.('finished', work);
      onProgress?.('filled', work);
    }
    const factor = work === 'locked' || elapsedMs > 2 * TARGET_BATCH_MS ? 0.5 : elapsedMs < TARGET_BATCH_MS ? 2 : 1;
    size = Math.min(MAX_BATCH_ROWS, Math.max(MIN_BATCH_ROWS, Math.floor(size * factor)));
    await setTimeout(Math.min(elapsedMs, MAX_PAUSE_MS), undefined, { signal }).catch(() => undefined);
  }
}
