import { type CopySource, type CopyTarget, getKey, type Row, readBatches } from './copy-endpoint.ts';
import { buildProgressUpdate, type TableProgress } from './copy-progress.ts';
import type { TableShape } from './installation-tables.ts';

/** Copies the remaining rows of a table. Writes a batch with its progress while the next one is read. */
export async function copyTable(
  endpoints: { readonly source: CopySource; readonly target: CopyTarget },
  table: TableShape,
  progress: TableProgress | undefined,
  onRows: (rows: number) => void,
): Promise<void> {
  let rows = progress?.rows ?? 0;
  let pendingWrite = Promise.resolve();
  try {
    for await (const batch of readBatches(endpoints.source, table, progress?.after)) {
      await pendingWrite;
      rows += batch.length;
      const after = getKey(table, batch.at(-1) as Row);
      pendingWrite = endpoints.target.write([buildProgressUpdate(table, { after, rows })], { table, rows: batch });
      pendingWrite.catch(() => undefined); // reported below
      onRows(batch.length);
    }
  } finally {
    await pendingWrite; // also after Ctrl+C: finishes the current batch
  }
}
