import type { Balancer, BalancerKind } from './balancer.ts';
import { findHaproxy, startHaproxy } from './haproxy.ts';
import { startOwnBalancer } from './own-balancer.ts';

/** Those that a suite runs with: both in full, else one. `BALANCER` names the one to use. */
export function balancersToTry(full: boolean): BalancerKind[] {
  const { BALANCER: forced } = process.env;
  if (forced === 'haproxy' || forced === 'own') return [forced];
  const all: BalancerKind[] = findHaproxy() === undefined ? ['own'] : ['haproxy', 'own'];
  return full ? all : all.slice(0, 1);
}

export function startBalancer(kind: BalancerKind, nodes: readonly string[]): Promise<Balancer> {
  return kind === 'haproxy' ? startHaproxy(nodes) : startOwnBalancer(nodes);
}
