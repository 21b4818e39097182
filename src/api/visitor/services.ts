import type { Administration } from '../../core/administration/administration.ts';
import type { Attachments } from '../../core/attachments/attachments.ts';
import type { Engine } from '../../core/engine/engine.ts';
import type { Events } from '../../core/events/events.ts';
import type { Signals } from '../../core/signals/signals.ts';
import type { Visitors } from '../../core/visitors/visitors.ts';

export interface VisitorServices {
  readonly attachments: Attachments;
  readonly visitors: Visitors;
  readonly engine: Pick<
    Engine,
    | 'conversations'
    | 'conversationQuery'
    | 'messageQuery'
    | 'readMarkers'
    | 'satisfactionQuery'
    | 'typing'
    | 'visitorPresence'
    | 'estimatedWaits'
  >;
  readonly administration: Pick<Administration, 'operatorQuery' | 'skills'>;
  readonly signals: Signals;
  readonly events: Pick<Events, 'log'>;
}
