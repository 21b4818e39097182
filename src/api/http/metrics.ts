import { readFileSync } from 'node:fs';
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
  readonly #rounds = new Counter({
    name: 'switchboard_clockwork_rounds_total',
    help: 'Rounds in which this node looked for offers and leases that are over, by their outcome.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  readonly #sweepFound = new Counter({
    name: 'switchboard_sweep_found_total',
    help: 'Conversations that only the sweep of this node gave out; routing should have done it before.',
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    this.#sayVersion();
    for (const outcome of ['granted', 'refused'] as const) this.#logins.inc({ outcome }, 0);
    for (const outcome of ['delivered', 'retried', 'dead'] as const) this.#webhooks.inc({ outcome }, 0);
    for (const outcome of ['done', 'failed'] as const) this.#rounds.inc({ outcome }, 0);
    for (const limit of ['login', ...Object.values(LIMITS)]) this.#limits.inc({ limit }, 0);
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

  /** A round of the clockwork, and what its sweep found that routing had missed. */
  clockworkRound(outcome: 'done' | 'failed'): void {
    this.#rounds.inc({ outcome });
  }

  sweepFound(conversations: number): void {
    this.#sweepFound.inc(conversations);
  }

  /** An answer that says "too much": of what, its status tells. */
  limitHit(status: number): void {
    const limit = LIMITS[status];
    if (limit !== undefined) this.#limits.inc({ limit });
  }

  /** While an upgrade rolls, two versions are seen side by side. */
  #sayVersion(): void {
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
    new Gauge({
      name: 'switchboard_info',
      help: 'The version of this node; always 1.',
      labelNames: ['version'],
      registers: [this.registry],
    }).set({ version }, 1);
  }
}

const LIMITS: Readonly<Record<number, string>> = {
  408: 'time',
  413: 'body',
  414: 'address',
  431: 'headers',
  503: 'load',
};
