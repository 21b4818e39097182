import type { Database } from '../../storage/database.ts';
import { InstallationFigures } from './figures.ts';
import { type KeptDays, Retention } from './retention.ts';

/** What keeps an installation small and shows how it is. */
export type Upkeep = ReturnType<typeof createUpkeep>;

export function createUpkeep(database: Database, days: KeptDays) {
  return { retention: new Retention(database, days), figures: new InstallationFigures(database) };
}
