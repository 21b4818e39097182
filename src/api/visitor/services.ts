import type { Administration } from '../../core/administration/administration.ts';
import type { Engine } from '../../core/engine/engine.ts';
import type { Events } from '../../core/events/events.ts';
import type { Visitors } from '../../core/visitors/visitors.ts';

export interface VisitorServices {
  readonly visitors: Visitors;
  readonly engine: Pick<
    Engine,
    | 'conversations'
    | 'conversationQuery'
    | 'messageQuery'
    | 'readMarkers'
    | 'satisfactionQuery'
    | 'visitorPresence'
    | 'estimatedWaits'
  >;
  readonly administration: Pick<Administration, 'operatorQuery' | 'skills'>;
  readonly events: Pick<Events, 'log'>;
}
