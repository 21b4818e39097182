import { Gauge, type Registry } from 'prom-client';
import { type InstallationMetrics, MAX_COUNT } from '../../core/upkeep/installation-metrics.ts';

const INSTALLATION_WIDE =
  'Covers the whole installation: every node reports the same value, so aggregate with max, not sum.';
const COUNT_LIMIT = `Counting stops at ${MAX_COUNT}.`;

const GAUGES: Readonly<Record<string, { readonly help: string; read(metrics: InstallationMetrics): number }>> = {
  switchboard_queue_conversations: {
    help: `Conversations waiting in the queue. ${COUNT_LIMIT}`,
    read: ({ queued }) => queued,
  },
  switchboard_queue_oldest_seconds: {
    help: 'Age of the oldest conversation in the queue, not counting conversations requeued at the head.',
    read: ({ oldestWaitMs }) => oldestWaitMs / 1000,
  },
  switchboard_offers_open: {
    help: `Offers that are neither accepted nor declined yet. ${COUNT_LIMIT}`,
    read: ({ offersOpen }) => offersOpen,
  },
  switchboard_operators_connected: {
    help: `Operators with a current lease. ${COUNT_LIMIT}`,
    read: ({ operatorsConnected }) => operatorsConnected,
  },
  switchboard_clockwork_behind_seconds: {
    help: 'How long the oldest expired offer or lease has been waiting to be processed. Up to 30 is normal after a start or a database outage.',
    read: ({ schedulerLagMs }) => schedulerLagMs / 1000,
  },
  switchboard_webhook_deliveries_pending: {
    help: `Webhook deliveries that are queued or in flight. ${COUNT_LIMIT}`,
    read: ({ deliveriesPending }) => deliveriesPending,
  },
  switchboard_webhook_overdue_seconds: {
    help: 'How long the oldest delivery of active webhooks has been overdue, ignoring receivers that sent Retry-After.',
    read: ({ deliveryOverdueMs }) => deliveryOverdueMs / 1000,
  },
  switchboard_webhook_dead_letters: {
    help: `Dead deliveries of the last 30 days. ${COUNT_LIMIT}`,
    read: ({ deadLetters }) => deadLetters,
  },
  switchboard_webhook_events_behind: {
    help: 'Events that active webhooks have not processed yet.',
    read: ({ webhookEventsBehind }) => webhookEventsBehind,
  },
  switchboard_event_positions: {
    help: 'Total events written; its rate is the rate of changes.',
    read: ({ eventPositions }) => eventPositions,
  },
};

/** Reads all values in one query per scrape. While the database is unavailable, the last values remain. */
export function registerInstallationMetrics(registry: Registry, readMetrics: () => Promise<InstallationMetrics>): void {
  for (const [name, { help, read }] of Object.entries(GAUGES)) {
    new Gauge({
      name,
      help: `${help} ${INSTALLATION_WIDE}`,
      registers: [registry],
      async collect() {
        const metrics = await readMetrics().catch(() => undefined);
        if (metrics) this.set(read(metrics));
      },
    });
  }
}
