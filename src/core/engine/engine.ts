import type { Database } from '../../storage/database.ts';
import type { EventLog } from '../events/event-log.ts';
import { LiveHistoryReader } from '../live/live-history-reader.ts';
import { SkillAvailabilities } from '../live/skill-availability.ts';
import type { Signals } from '../signals/signals.ts';
import { ConversationQuery } from './conversations/conversation-query.ts';
import { ConversationService } from './conversations/conversation-service.ts';
import { EstimatedWaits } from './conversations/estimated-wait.ts';
import { MessageQuery } from './conversations/message-query.ts';
import { NoteQuery } from './conversations/note-query.ts';
import { QueueWatch } from './conversations/queue-watch.ts';
import { ReadMarkerService } from './conversations/read-markers.ts';
import { SatisfactionQuery } from './conversations/satisfaction-query.ts';
import { TypingService } from './conversations/typing.ts';
import { LiveService } from './presence/live-service.ts';
import { VisitorPresence } from './presence/visitor-presence.ts';
import { RoutingExplainer } from './routing/explain.ts';
import { TransferTargets } from './routing/transfer-targets.ts';
import { Scheduler } from './scheduler/scheduler.ts';

/** Presence, routing and conversations, and the queries on them. */
export type Engine = ReturnType<typeof createEngine>;

export function createEngine(database: Database, signals: Signals, log: EventLog) {
  const liveHistory = new LiveHistoryReader(database);
  const visitorPresence = new VisitorPresence(database);
  visitorPresence.onChange(({ isPresent, conversations }) => {
    for (const conversation of conversations.filter(({ state }) => state !== 'offered'))
      signals.publish(conversation, { kind: isPresent ? 'visitor_back' : 'visitor_left', author: 'visitor' });
  });
  return {
    live: new LiveService(database),
    liveHistory,
    visitorPresence,
    skillAvailabilities: new SkillAvailabilities(database),
    routingExplainer: new RoutingExplainer(database, liveHistory),
    transferTargets: new TransferTargets(database),
    conversations: new ConversationService(database),
    conversationQuery: new ConversationQuery(database),
    queueWatch: new QueueWatch(database, log, signals),
    messageQuery: new MessageQuery(database),
    noteQuery: new NoteQuery(database),
    readMarkers: new ReadMarkerService(database, signals),
    typing: new TypingService(database, signals),
    satisfactionQuery: new SatisfactionQuery(database),
    estimatedWaits: new EstimatedWaits(database),
    scheduler: new Scheduler(database, visitorPresence),
  };
}
