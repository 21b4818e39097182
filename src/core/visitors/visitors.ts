import type { Database } from '../../storage/database.ts';
import { RateLimits } from '../access/rate-limits.ts';
import type { InstallationSecrets } from '../access/secrets.ts';
import type { EventLog } from '../events/event-log.ts';
import type { SkillAvailabilities } from '../live/skill-availability.ts';
import { VisitorErasure } from './erase.ts';
import { ErasureWatch } from './erasure-watch.ts';
import { MessagesLeft } from './messages-left.ts';
import { OwnConversations } from './own-conversations.ts';
import { VisitorContexts } from './visitor-contexts.ts';
import { VisitorDetails } from './visitor-details.ts';
import { VisitorIdentities } from './visitor-identities.ts';
import { VisitorLimits, type VisitorRates } from './visitor-limits.ts';
import { VisitorPositions } from './visitor-positions.ts';
import { VisitorQuery } from './visitor-query.ts';
import { VisitorService } from './visitor-service.ts';
import { VisitorSessions } from './visitor-sessions.ts';
import { VisitorWebsites } from './visitor-websites.ts';
import { WebsiteAvailability } from './website-availability.ts';
import { WidgetViews } from './widget-views.ts';

/** Sessions, profiles and erasure of visitors. */
export type Visitors = ReturnType<typeof createVisitors>;

interface VisitorDependencies {
  readonly database: Database;
  readonly secrets: InstallationSecrets;
  readonly log: EventLog;
  readonly skillAvailabilities: SkillAvailabilities;
  readonly limits: VisitorRates;
  readonly maxAttachmentBytes: number;
}

export function createVisitors({ database, secrets, log, skillAvailabilities, ...options }: VisitorDependencies) {
  const sessions = new VisitorSessions(database, secrets);
  const websites = new VisitorWebsites(database);
  const visitorLimits = new VisitorLimits(new RateLimits(database), options.limits);
  return {
    sessions,
    websites,
    widgets: new WidgetViews(database, options.maxAttachmentBytes),
    limits: visitorLimits,
    contexts: new VisitorContexts(database, visitorLimits),
    identities: new VisitorIdentities({ secrets, websites, sessions, limits: visitorLimits }),
    messagesLeft: new MessagesLeft(database, visitorLimits),
    query: new VisitorQuery(database),
    profiles: new VisitorService(database),
    details: new VisitorDetails(database),
    ownConversations: new OwnConversations(database),
    positions: new VisitorPositions(secrets),
    availability: new WebsiteAvailability(skillAvailabilities, log),
    erasure: new VisitorErasure(sessions),
    erasureWatch: new ErasureWatch(database, log, sessions),
  };
}
