import type { Database } from '../../storage/database.ts';
import { Audit } from './audit.ts';
import { EventLog } from './event-log.ts';

export type Events = ReturnType<typeof createEvents>;

export function createEvents(database: Database) {
  const log = new EventLog(database);
  return { log, audit: new Audit(database, log) };
}
