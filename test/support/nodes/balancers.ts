import type { Balancer, BalancerKind } from './balancer.ts';
import { findHaproxy, startHaproxy } from './haproxy.ts';
import { startTestBalancer } from './test-balancer.ts';

/** A full run tests both, others test one. `BALANCER` selects a specific one. */
export function balancersToTest(full: boolean): BalancerKind[] {
  const { BALANCER: forced } = process.env;
  if (forced === 'haproxy' || forced === 'own') return [forced];
  const all: BalancerKind[] = findHaproxy() === undefined ? ['own'] : ['haproxy', 'own'];
  return full ? all : all.slice(0, 1);
}

export function startBalancer(kind: BalancerKind, nodes: readonly string[]): Promise<Balancer> {
  return kind === 'haproxy' ? startHaproxy(nodes) : startTestBalancer(nodes);
}
