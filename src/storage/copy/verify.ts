import { type CopyEndpoint, readBatches } from './copy-endpoint.ts';
import type { TableShape } from './installation-tables.ts';
import { RowChecksum } from './row-checksum.ts';

export interface Comparison {
  readonly table: string;
  readonly source: RowChecksum;
  readonly target: RowChecksum;
  readonly isSame: boolean;
}

/** Reads all rows of a table from source and target, and compares their checksums. */
export async function compareTable(
  endpoints: { readonly source: CopyEndpoint; readonly target: CopyEndpoint },
  table: TableShape,
  onRows: (rows: number) => void,
): Promise<Comparison> {
  const [source, target] = await Promise.all([
    computeChecksum(endpoints.source, table, onRows),
    computeChecksum(endpoints.target, table, () => undefined),
  ]);
  const isSame = source.count === target.count && source.checksum === target.checksum;
  return { table: table.name, source, target, isSame };
}

export async function computeChecksum(
  endpoint: CopyEndpoint,
  table: TableShape,
  onRows: (rows: number) => void = () => undefined,
): Promise<RowChecksum> {
  const checksum = new RowChecksum();
  for await (const rows of readBatches(endpoint, table)) {
    checksum.add(rows);
    onRows(rows.length);
  }
  return checksum;
}
