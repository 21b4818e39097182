import { readFileSync } from 'node:fs';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** The Prometheus metrics of one node. */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests = new Histogram({
    name: 'switchboard_http_request_seconds',
    help: 'Time from the end of the request headers to the end of the response.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [this.registry],
  });
  readonly #logins = new Counter({
    name: 'switchboard_logins_total',
    help: 'Login attempts by outcome.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  readonly #limitHits = new Counter({
    name: 'switchboard_limits_hit_total',
    help: 'Requests rejected because of a limit, by limit.',
    labelNames: ['limit'],
    registers: [this.registry],
  });
  readonly #deliveries = new Counter({
    name: 'switchboard_webhook_deliveries_total',
    help: 'Webhook delivery attempts by outcome.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  readonly #rounds = new Counter({
    name: 'switchboard_clockwork_rounds_total',
    help: 'Scheduler rounds of this node, which process expired offers and leases, by outcome.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  readonly #conversationsFoundBySweep = new Counter({
    name: 'switchboard_sweep_found_total',
    help: 'Queued conversations that only the periodic sweep of this node could route: routing missed them earlier.',
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    this.#publishVersion();
    for (const outcome of ['granted', 'refused'] as const) this.#logins.inc({ outcome }, 0);
    for (const outcome of ['delivered', 'retried', 'dead'] as const) this.#deliveries.inc({ outcome }, 0);
    for (const outcome of ['done', 'failed'] as const) this.#rounds.inc({ outcome }, 0);
    for (const limit of ['login', 'operations', ...Object.values(LIMIT_NAMES)]) this.#limitHits.inc({ limit }, 0);
  }

  /** Returns a function that records the responses of a route. It looks up the histogram of each status once. */
  createRouteObserver(method: string, route: string): (status: number, seconds: number) => void {
    const byStatus = new Map<number, { observe(seconds: number): void }>();
    return (status, seconds) => {
      let observer = byStatus.get(status);
      if (!observer) {
        observer = this.#requests.labels(method, route, String(status));
        byStatus.set(status, observer);
      }
      observer.observe(seconds);
    };
  }

  countLogin(outcome: 'granted' | 'refused' | 'code_required' | 'limited'): void {
    this.#logins.inc({ outcome });
    if (outcome === 'limited') this.#limitHits.inc({ limit: 'login' });
  }

  countDelivery(outcome: 'delivered' | 'retried' | 'dead' | 'late'): void {
    this.#deliveries.inc({ outcome });
  }

  countSchedulerRound(outcome: 'done' | 'failed'): void {
    this.#rounds.inc({ outcome });
  }

  countFoundBySweep(conversations: number): void {
    this.#conversationsFoundBySweep.inc(conversations);
  }

  /** Ignores statuses that no limit causes. */
  countLimitHit(status: number): void {
    const limit = LIMIT_NAMES[status];
    if (limit !== undefined) this.#limitHits.inc({ limit });
  }

  countRefusedOperation(): void {
    this.#limitHits.inc({ limit: 'operations' });
  }

  /** Lets dashboards show which versions run during a rolling upgrade. */
  #publishVersion(): void {
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
    new Gauge({
      name: 'switchboard_info',
      help: 'Always 1; the label is the version of this node.',
      labelNames: ['version'],
      registers: [this.registry],
    }).set({ version }, 1);
  }
}

const LIMIT_NAMES: Readonly<Record<number, string>> = {
  408: 'time',
  413: 'body',
  414: 'address',
  431: 'headers',
  503: 'load',
};
