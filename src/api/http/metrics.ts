import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What the service tells Prometheus. */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests = new Histogram({
    name: 'switchboard_http_request_seconds',
    help: 'Time from the end of the request headers to the end of the answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [this.registry],
  });
  readonly #logins = new Counter({
    name: 'switchboard_logins_total',
    help: 'Tries to log in by their outcome.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  readonly #limits = new Counter({
    name: 'switchboard_limits_hit_total',
    help: 'Requests refused because of a limit, by limit.',
    labelNames: ['limit'],
    registers: [this.registry],
  });
  readonly #webhooks = new Counter({
    name: 'switchboard_webhook_deliveries_total',
    help: 'Sends to webhooks by their outcome.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    for (const outcome of ['granted', 'refused'] as const) this.#logins.inc({ outcome }, 0);
    for (const outcome of ['delivered', 'retried', 'dead'] as const) this.#webhooks.inc({ outcome }, 0);
  }

  /** An observer of one route; the numbers of each status are looked up once. */
  route(method: string, route: string): (status: number, seconds: number) => void {
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

  login(outcome: 'granted' | 'refused' | 'limited'): void {
    this.#logins.inc({ outcome });
    if (outcome === 'limited') this.#limits.inc({ limit: 'login' });
  }

  webhookSent(outcome: 'delivered' | 'retried' | 'dead' | 'late'): void {
    this.#webhooks.inc({ outcome });
  }

  /** How many deliveries wait is counted when somebody asks; while the database is away, the last number stays. */
  countPendingDeliveries(pendingNumber: () => Promise<number>): void {
    new Gauge({
      name: 'switchboard_webhook_deliveries_pending',
      help: 'Deliveries to webhooks that wait, or are on their way.',
      registers: [this.registry],
      async collect() {
        const number = await pendingNumber().catch(() => undefined);
        if (number !== undefined) this.set(number);
      },
    });
  }

  /** An answer that says "too much": of what, its status tells. */
  limitHit(status: number): void {
    const limit = LIMITS[status];
    if (limit !== undefined) this.#limits.inc({ limit });
  }
}

const LIMITS: Readonly<Record<number, string>> = {
  408: 'time',
  413: 'body',
  414: 'address',
  431: 'headers',
  503: 'load',
};
