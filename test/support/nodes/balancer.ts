import { findHaproxy, startHaproxy } from './haproxy.ts';
import { startOwnBalancer } from './own-balancer.ts';

/**
 * A load balancer in front of nodes: it asks each for `/_ready`, and gives a request that may be repeated to another node when
 * one does not answer it or answers 503. Repeated may be GET, HEAD, PUT and DELETE, and a POST with an `Idempotency-Key`.
 */
export interface Balancer {
  readonly kind: BalancerKind;
  readonly url: string;
  /** How often a request went to another node. */
  retries(): Promise<number>;
  /** Whether it gives requests to the node at this place. */
  isUp(index: number): Promise<boolean>;
  stop(): Promise<void>;
}

export type BalancerKind = 'haproxy' | 'own';

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
