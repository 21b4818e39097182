import { Counter, Gauge, type Registry } from 'prom-client';
import { REQUEST_CLASSES, type RequestClass } from './request-class.ts';

export interface OverloadMetricsSource {
  readonly refusalCounts: Readonly<Record<RequestClass, number>>;
  readonly waitingCount: number;
}

export function registerOverloadMetrics(registry: Registry, source: OverloadMetricsSource): void {
  new Counter({
    name: 'switchboard_overload_refusals_total',
    help: 'Requests that this node refused because of an overload, by class.',
    labelNames: ['class'],
    registers: [registry],
    collect() {
      this.reset();
      for (const name of REQUEST_CLASSES) this.inc({ class: name }, source.refusalCounts[name]);
    },
  });
  new Gauge({
    name: 'switchboard_requests_waiting',
    help: 'Requests that wait until this node serves them.',
    registers: [registry],
    collect() {
      this.set(source.waitingCount);
    },
  });
}
