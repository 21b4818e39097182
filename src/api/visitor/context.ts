import type { TreeService } from '../../core/administration/tree-service.ts';
import type { ConversationQuery } from '../../core/engine/conversations/conversation-query.ts';
import type { ConversationService } from '../../core/engine/conversations/conversation-service.ts';
import type { MessageQuery } from '../../core/engine/conversations/message-query.ts';
import type { SatisfactionQuery } from '../../core/engine/conversations/satisfaction-query.ts';
import type { EventLog } from '../../core/events/event-log.ts';
import type { VisitorCaller } from '../../core/kernel/caller.ts';
import type { OperatorQuery } from '../../core/operators/operator-query.ts';
import type { OwnConversations } from '../../core/visitors/own-conversations.ts';
import type { VisitorLimits } from '../../core/visitors/visitor-limits.ts';
import type { VisitorService } from '../../core/visitors/visitor-service.ts';
import type { WebsiteAvailability } from '../../core/visitors/website-availability.ts';
import type { Changes } from '../graphql-server/changes.ts';
import { createLoaders, type VisitorLoaders } from './loaders.ts';

/** The services of the core that visitors reach. */
export interface VisitorServices {
  readonly conversations: ConversationService;
  readonly conversationQuery: ConversationQuery;
  readonly ownConversations: OwnConversations;
  readonly messageQuery: MessageQuery;
  readonly satisfactionQuery: SatisfactionQuery;
  readonly operatorQuery: OperatorQuery;
  readonly skills: TreeService;
  readonly websiteAvailability: WebsiteAvailability;
  readonly visitors: VisitorService;
  readonly visitorLimits: VisitorLimits;
  readonly events: EventLog;
}

/** What every resolver gets. There is no operator in it, and no way to one. */
export interface VisitorContext {
  readonly visitor: VisitorCaller;
  /** From where the request came. */
  readonly address: string;
  readonly services: VisitorServices;
  /** A subscription replaces them with every event. */
  load: VisitorLoaders;
  readonly changes: Changes;
  /**
   * How far the event log had come before anything of this request was read: whoever follows it from there misses nothing
   * of what happened since.
   */
  position(): Promise<number>;
}

/** The context of one operation. After a change nothing that was looked up before is true any more. */
export function visitorContext(
  asking: { readonly visitor: VisitorCaller; readonly address: string },
  services: VisitorServices,
  changes: Changes,
): VisitorContext {
  let position: Promise<number> | undefined;
  const context: VisitorContext = {
    ...asking,
    services,
    load: createLoaders(asking.visitor, services),
    changes: {
      run: async (work) => {
        const payload = await changes.run(work);
        context.load = createLoaders(asking.visitor, services);
        return payload;
      },
    },
    position: () => {
      position ??= services.events.position(asking.visitor.accountId);
      return position;
    },
  };
  return context;
}
