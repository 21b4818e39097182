import type { LiveService } from '../../core/availability/live-service.ts';
import type { SkillAvailabilities } from '../../core/availability/skill-availability.ts';
import type { Caller } from '../../core/caller.ts';
import type { Statistics } from '../../core/conversations/statistics.ts';
import type { TreeService } from '../../core/directory/tree-service.ts';
import type { WebsiteService } from '../../core/directory/website-service.ts';
import type { EventLog } from '../../core/event-log.ts';
import type { Accounts } from '../../core/identity/accounts.ts';
import type { ApiKeys } from '../../core/identity/api-keys.ts';
import type { RestUsage } from '../../core/identity/rest-usage.ts';
import type { OperatorImport } from '../../core/operators/operator-import.ts';
import type { OperatorService } from '../../core/operators/operator-service.ts';
import type { Profiles } from '../../core/operators/profile.ts';
import type { Loaders } from './loaders.ts';
import type { Changes } from './mutation.ts';

/** The services of the core that resolvers call. */
export interface GraphqlServices {
  readonly operators: OperatorService;
  readonly imports: OperatorImport;
  readonly profiles: Profiles;
  readonly live: LiveService;
  readonly skillAvailabilities: SkillAvailabilities;
  readonly statistics: Statistics;
  readonly websites: WebsiteService;
  readonly groups: TreeService;
  readonly skills: TreeService;
  readonly accounts: Accounts;
  readonly apiKeys: ApiKeys;
  readonly restUsage: RestUsage;
  readonly events: EventLog;
}

/** What every resolver gets: who asks, what there is, and look-ups that are shared within one request. */
export interface Context {
  readonly caller: Caller;
  readonly services: GraphqlServices;
  /** A subscription replaces them with every event. */
  load: Loaders;
  /** How the mutations of the request are carried out. */
  readonly changes: Changes;
}
