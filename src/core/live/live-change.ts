import type { Actor } from '../../storage/database.ts';

/** Who changed a part of the live state, when and why. */
export interface LiveChangeRecord {
  readonly by: Pick<Actor, 'type' | 'id'>;
  readonly at: number;
  /** For example `missed_offers` or `taken_offline`. */
  readonly reason: string | null;
}

/** For the columns of the live row. */
export function formatLiveChange({ by, at, reason }: LiveChangeRecord): string {
  return JSON.stringify({ by: { type: by.type, id: by.id }, at, reason });
}

export function parseLiveChange(text: string | null): LiveChangeRecord | null {
  return text === null ? null : (JSON.parse(text) as LiveChangeRecord);
}
