import { hash } from 'node:crypto';
import type { CopyEnd } from './copy-end.ts';
import type { TableShape } from './installation-tables.ts';
import { sumOf } from './verify.ts';

/** By what a source is known again when a copy goes on. */
export interface SourceMark {
  /** The same for as long as the installation has the same accounts. */
  readonly installation: string;
  /** Another one after a change: the accounts keep the position of their event log, the counters the last identifier. */
  readonly state: string;
}

export async function markOf(
  source: CopyEnd,
  tables: readonly TableShape[],
  counts: ReadonlyMap<string, number>,
): Promise<SourceMark> {
  const accounts = await source.query({ text: 'select id, created_at from accounts order by id' });
  const telling = tables.filter(({ name }) => name === 'accounts' || name === 'counters');
  const sums = await Promise.all(telling.map(async (table) => (await sumOf(source, table)).checksum));
  return { installation: short([accounts]), state: short([...counts, ...sums]) };
}

function short(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, 32);
}
