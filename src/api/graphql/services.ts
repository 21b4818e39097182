import type { Access } from '../../core/access/access.ts';
import type { Administration } from '../../core/administration/administration.ts';
import type { Attachments } from '../../core/attachments/attachments.ts';
import type { Engine } from '../../core/engine/engine.ts';
import type { Events } from '../../core/events/events.ts';
import type { Reports } from '../../core/reports/reports.ts';
import type { Signals } from '../../core/signals/signals.ts';
import type { Visitors } from '../../core/visitors/visitors.ts';
import type { Webhooks } from '../../core/webhooks/webhooks.ts';

export interface GraphqlServices {
  readonly access: Access;
  readonly signals: Signals;
  readonly events: Events;
  readonly engine: Engine;
  readonly webhooks: Webhooks;
  readonly administration: Administration;
  readonly reports: Reports;
  readonly attachments: Attachments;
  readonly visitors: Visitors;
}
