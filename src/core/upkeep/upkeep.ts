import type { Database } from '../../storage/database.ts';
import { InstallationMetricsReader } from './installation-metrics.ts';
import { Retention, type RetentionDays } from './retention.ts';

/** Retention and metrics of an installation. */
export type Upkeep = ReturnType<typeof createUpkeep>;

export function createUpkeep(database: Database, days: RetentionDays) {
  return { retention: new Retention(database, days), metrics: new InstallationMetricsReader(database) };
}
