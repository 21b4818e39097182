import type { Clock, Database } from '../../storage/database.ts';
import { ConnectedTime } from './connected-time.ts';
import { RestUsage } from './rest-usage.ts';
import { SimultaneousConversations } from './simultaneous-conversations.ts';
import { Statistics } from './statistics.ts';

/** Statistics, connected time and usage of the REST interface. */
export type Reports = ReturnType<typeof createReports>;

export function createReports(database: Database, clock: Clock = Date.now) {
  return {
    statistics: new Statistics(database),
    connectedTime: new ConnectedTime(database),
    simultaneousConversations: new SimultaneousConversations(database),
    restUsage: new RestUsage(database, clock),
  };
}
