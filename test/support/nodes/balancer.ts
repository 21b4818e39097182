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
