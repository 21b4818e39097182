/**
 * A load balancer: it polls `/_ready` of each node, and retries a repeatable request on another node if one does not
 * respond or responds with 503. Repeatable are GET, HEAD and PUT, and every request with an `Idempotency-Key`.
 */
export interface Balancer {
  readonly kind: BalancerKind;
  readonly url: string;
  /** Number of requests retried on another node. */
  retries(): Promise<number>;
  /** Whether it routes requests to the node with this index. */
  isUp(index: number): Promise<boolean>;
  stop(): Promise<void>;
}

export type BalancerKind = 'haproxy' | 'own';
