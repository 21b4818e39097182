import type { Accounts } from '../../core/access/accounts.ts';
import type { ApiKeys } from '../../core/access/api-keys.ts';
import type { OperatorImport } from '../../core/administration/operator-import.ts';
import type { OperatorService } from '../../core/administration/operator-service.ts';
import type { Profiles } from '../../core/administration/profile.ts';
import type { TagService } from '../../core/administration/tag-service.ts';
import type { TreeService } from '../../core/administration/tree-service.ts';
import type { WebsiteService } from '../../core/administration/website-service.ts';
import type { ConversationQuery } from '../../core/engine/conversations/conversation-query.ts';
import type { ConversationService } from '../../core/engine/conversations/conversation-service.ts';
import type { MessageQuery } from '../../core/engine/conversations/message-query.ts';
import type { SatisfactionQuery } from '../../core/engine/conversations/satisfaction-query.ts';
import type { LiveService } from '../../core/engine/presence/live-service.ts';
import type { RoutingExplained } from '../../core/engine/routing/explain.ts';
import type { Audit } from '../../core/events/audit.ts';
import type { EventLog } from '../../core/events/event-log.ts';
import type { Caller } from '../../core/kernel/caller.ts';
import type { LivePast } from '../../core/live/live-past.ts';
import type { SkillAvailabilities } from '../../core/live/skill-availability.ts';
import type { OperatorQuery } from '../../core/operators/operator-query.ts';
import type { ConnectedTime } from '../../core/reports/connected-time.ts';
import type { RestUsage } from '../../core/reports/rest-usage.ts';
import type { Statistics } from '../../core/reports/statistics.ts';
import type { VisitorErasure } from '../../core/visitors/erase.ts';
import type { VisitorQuery } from '../../core/visitors/visitor-query.ts';
import type { Deliveries } from '../../core/webhooks/deliveries.ts';
import type { WebhookService } from '../../core/webhooks/webhook-service.ts';
import type { Changes } from '../graphql-server/changes.ts';
import type { DeskPresence } from './desk-presence.ts';
import type { Loaders } from './loaders.ts';

/** The services of the core that resolvers call. */
export interface GraphqlServices {
  readonly operators: OperatorService;
  readonly operatorQuery: OperatorQuery;
  readonly imports: OperatorImport;
  readonly profiles: Profiles;
  readonly live: LiveService;
  readonly livePast: LivePast;
  readonly routingExplained: RoutingExplained;
  readonly skillAvailabilities: SkillAvailabilities;
  readonly statistics: Statistics;
  readonly connectedTime: ConnectedTime;
  readonly conversations: ConversationService;
  readonly conversationQuery: ConversationQuery;
  readonly messageQuery: MessageQuery;
  readonly visitorQuery: VisitorQuery;
  readonly visitorErasure: VisitorErasure;
  readonly satisfactionQuery: SatisfactionQuery;
  readonly tags: TagService;
  readonly websites: WebsiteService;
  readonly groups: TreeService;
  readonly skills: TreeService;
  readonly accounts: Accounts;
  readonly apiKeys: ApiKeys;
  readonly restUsage: RestUsage;
  readonly events: EventLog;
  readonly audit: Audit;
  readonly webhooks: WebhookService;
  readonly deliveries: Deliveries;
}

/** What every resolver gets: who asks, what there is, and look-ups that are shared within one request. */
export interface Context {
  readonly caller: Caller;
  readonly services: GraphqlServices;
  /** A subscription replaces them with every event. */
  load: Loaders;
  /** How the mutations of the request are carried out. */
  readonly changes: Changes;
  /** The presence of the viewer's desk; there is none without a realtime connection. */
  readonly desk?: DeskPresence | undefined;
}
