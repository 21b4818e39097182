import type { Database } from '../../storage/database.ts';
import { LivePast } from '../live/live-past.ts';
import { SkillAvailabilities } from '../live/skill-availability.ts';
import { ConversationQuery } from './conversations/conversation-query.ts';
import { ConversationService } from './conversations/conversation-service.ts';
import { MessageQuery } from './conversations/message-query.ts';
import { SatisfactionQuery } from './conversations/satisfaction-query.ts';
import { LiveService } from './presence/live-service.ts';
import { RoutingExplained } from './routing/explain.ts';
import { Scheduler } from './scheduler/scheduler.ts';

/** All that moves the live numbers, and what is read of it. */
export type Engine = ReturnType<typeof createEngine>;

export function createEngine(database: Database) {
  const livePast = new LivePast(database);
  return {
    live: new LiveService(database),
    livePast,
    skillAvailabilities: new SkillAvailabilities(database),
    routingExplained: new RoutingExplained(database, livePast),
    conversations: new ConversationService(database),
    conversationQuery: new ConversationQuery(database),
    messageQuery: new MessageQuery(database),
    satisfactionQuery: new SatisfactionQuery(database),
    scheduler: new Scheduler(database),
  };
}
