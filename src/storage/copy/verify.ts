import { type CopyEnd, rowsOf } from './copy-end.ts';
import type { TableShape } from './installation-tables.ts';
import { RowSum } from './row-sum.ts';

export interface Comparison {
  readonly table: string;
  readonly source: RowSum;
  readonly target: RowSum;
  readonly same: boolean;
}

/** Reads a table from both ends, each row from what is stored, and compares. */
export async function compareTable(
  ends: { readonly source: CopyEnd; readonly target: CopyEnd },
  table: TableShape,
  onRows: (rows: number) => void,
): Promise<Comparison> {
  const [source, target] = await Promise.all([
    sumOf(ends.source, table, onRows),
    sumOf(ends.target, table, () => undefined),
  ]);
  const same = source.count === target.count && source.checksum === target.checksum;
  return { table: table.name, source, target, same };
}

export async function sumOf(
  end: CopyEnd,
  table: TableShape,
  onRows: (rows: number) => void = () => undefined,
): Promise<RowSum> {
  const sum = new RowSum();
  for await (const rows of rowsOf(end, table)) {
    sum.add(rows);
    onRows(rows.length);
  }
  return sum;
}
