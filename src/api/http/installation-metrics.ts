import { Gauge, type Registry } from 'prom-client';
import { type Figures, MAX_COUNTED } from '../../core/upkeep/figures.ts';

const OF_ALL = 'Of the whole installation: every node shows the same, so take the maximum, not the sum.';
const COUNTED = `Counting stops at ${MAX_COUNTED}.`;

const GAUGES: Readonly<Record<string, { readonly help: string; value(figures: Figures): number }>> = {
  switchboard_queue_conversations: {
    help: `Conversations that wait for an operator. ${COUNTED}`,
    value: ({ queued }) => queued,
  },
  switchboard_queue_oldest_seconds: {
    help: 'How long the oldest conversation of the queue has waited; those put back at its head do not count.',
    value: ({ oldestWaitMs }) => oldestWaitMs / 1000,
  },
  switchboard_offers_open: {
    help: `Conversations offered to an operator who has not answered yet. ${COUNTED}`,
    value: ({ offersOpen }) => offersOpen,
  },
  switchboard_operators_connected: {
    help: `Operators with a lease that has not ended. ${COUNTED}`,
    value: ({ operatorsConnected }) => operatorsConnected,
  },
  switchboard_clockwork_behind_seconds: {
    help: 'How long the oldest offer or lease is over without having been ended. Up to 30 after a start or a database that was away.',
    value: ({ clockworkBehindMs }) => clockworkBehindMs / 1000,
  },
  switchboard_webhook_deliveries_pending: {
    help: `Deliveries to webhooks that wait, or are on their way. ${COUNTED}`,
    value: ({ deliveriesPending }) => deliveriesPending,
  },
  switchboard_webhook_overdue_seconds: {
    help: 'How long the oldest delivery is due, of active webhooks whose receiver did not ask for quiet.',
    value: ({ deliveryOverdueMs }) => deliveryOverdueMs / 1000,
  },
  switchboard_webhook_dead_letters: {
    help: `Deliveries that were given up, kept for 30 days. ${COUNTED}`,
    value: ({ deadLetters }) => deadLetters,
  },
  switchboard_webhook_events_behind: {
    help: 'Events that active webhooks have not looked at yet.',
    value: ({ webhookEventsBehind }) => webhookEventsBehind,
  },
  switchboard_event_positions: {
    help: 'Events ever written; its rate is the rate of changes.',
    value: ({ eventPositions }) => eventPositions,
  },
};

/** All are of one read, when somebody asks; while the database is away, the last numbers stay. */
export function showFigures(registry: Registry, latest: () => Promise<Figures>): void {
  for (const [name, { help, value }] of Object.entries(GAUGES)) {
    new Gauge({
      name,
      help: `${help} ${OF_ALL}`,
      registers: [registry],
      async collect() {
        const figures = await latest().catch(() => undefined);
        if (figures) this.set(value(figures));
      },
    });
  }
}
