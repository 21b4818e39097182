import { hash } from 'node:crypto';
import type { CopyEndpoint } from './copy-endpoint.ts';
import type { TableShape } from './installation-tables.ts';
import { computeChecksum } from './verify.ts';

/** Identifies a source when a copy resumes. */
export interface SourceFingerprint {
  /** Unchanged while the installation has the same accounts. */
  readonly installation: string;
  /** Differs after any change: accounts contain their event log position, counters the last identifiers. */
  readonly state: string;
}

export async function computeFingerprint(
  source: CopyEndpoint,
  tables: readonly TableShape[],
  counts: ReadonlyMap<string, number>,
): Promise<SourceFingerprint> {
  const accounts = await source.query({ text: 'select id, created_at from accounts order by id' });
  const stateTables = tables.filter(({ name }) => name === 'accounts' || name === 'counters');
  const checksums = await Promise.all(
    stateTables.map(async (table) => (await computeChecksum(source, table)).checksum),
  );
  return { installation: toShortHash([accounts]), state: toShortHash([...counts, ...checksums]) };
}

function toShortHash(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, 32);
}
