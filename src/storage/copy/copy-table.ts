import { progressed, type TableProgress } from './begun-copy.ts';
import { type CopySource, type CopyTarget, keyOf, type Row, rowsOf } from './copy-end.ts';
import type { TableShape } from './installation-tables.ts';

/** Copies what is missing of a table. A piece is written, with a note of how far it went, while the next one is read. */
export async function copyTable(
  ends: { readonly source: CopySource; readonly target: CopyTarget },
  table: TableShape,
  begun: TableProgress | undefined,
  onRows: (rows: number) => void,
): Promise<void> {
  let rows = begun?.rows ?? 0;
  let writing = Promise.resolve();
  try {
    for await (const piece of rowsOf(ends.source, table, begun?.after)) {
      await writing;
      rows += piece.length;
      const after = keyOf(table, piece.at(-1) as Row);
      writing = ends.target.change([progressed(table, { after, rows })], { table, rows: piece });
      writing.catch(() => undefined); // told below
      onRows(piece.length);
    }
  } finally {
    await writing; // also after Ctrl+C: the piece that is on its way is finished
  }
}
