import { randomUUID } from 'node:crypto';
import type { LiveService } from '../../core/engine/presence/live-service.ts';
import type { LoggedEvent } from '../../core/events/event-log.ts';
import type { Caller } from '../../core/kernel/caller.ts';
import type { SocketConnection } from '../graphql-server/sockets.ts';

/**
 * The presence of one WebSocket connection: its operator is connected while the connection has a `deskEvents`
 * subscription and answers pings. All subscriptions of a connection share one lease.
 */
export class DeskPresence {
  readonly #live: LiveService;
  readonly #connection: Pick<SocketConnection, 'pongListeners'>;
  /** When the service stops, leases are not released: the desk may reconnect to another node before they expire. */
  readonly #isStopping: () => boolean;
  readonly #leaseId = randomUUID();
  readonly #onPong = () => this.#renewLease();
  #lease: ReturnType<LiveService['createDeskLease']> | undefined;
  #subscriberCount = 0;
  #hasLease = false;
  #isRenewing = false;
  #lastTask: Promise<unknown> = Promise.resolve();

  constructor(live: LiveService, connection: Pick<SocketConnection, 'pongListeners'>, isStopping: () => boolean) {
    this.#live = live;
    this.#connection = connection;
    this.#isStopping = isStopping;
  }

  /** Called when a subscription starts. Each call must be followed by `leave`, even if it fails. */
  async enter(caller: Caller, operatorId: number): Promise<void> {
    this.#subscriberCount += 1;
    if (this.#subscriberCount > 1) return;
    const lease = this.#live.createDeskLease(caller, operatorId, this.#leaseId);
    this.#lease = lease;
    this.#connection.pongListeners.add(this.#onPong);
    await this.#runInSequence(async () => {
      this.#hasLease = await lease.open();
    });
  }

  leave(): void {
    this.#subscriberCount -= 1;
    if (this.#subscriberCount > 0) return;
    this.#connection.pongListeners.delete(this.#onPong);
    if (this.#isStopping()) return;
    this.#runInBackground(async () => {
      if (this.#subscriberCount > 0 || !this.#hasLease) return;
      this.#hasLease = false;
      await this.#lease?.close();
    });
  }

  /** An operator who was signed off stays offline until they connect again, on any connection. */
  handleEvent({ type, subjectType, changes }: LoggedEvent): void {
    if (subjectType !== 'operator') return;
    if (type === 'operator.disconnected' && changes.values.reason !== 'lease_ended') {
      this.#runInBackground(async () => {
        this.#hasLease = false;
      });
    }
    if (type === 'operator.connected') {
      this.#runInBackground(async () => {
        if (this.#subscriberCount > 0 && !this.#hasLease && this.#lease) this.#hasLease = await this.#lease.open();
      });
    }
  }

  #renewLease(): void {
    if (this.#isRenewing) return; // the previous renewal is still running
    this.#isRenewing = true;
    this.#runInBackground(async () => {
      this.#isRenewing = false;
      if (this.#subscriberCount === 0 || !this.#hasLease || !this.#lease) return;
      this.#hasLease = (await this.#lease.renew()) || (await this.#lease.resume());
    });
  }

  /** Ignores failures: leases expire, and the next pong retries. */
  #runInBackground(task: () => Promise<void>): void {
    this.#runInSequence(task).catch(() => undefined);
  }

  /** Runs tasks one at a time, so that an earlier close cannot overtake a later open. */
  #runInSequence(task: () => Promise<void>): Promise<void> {
    const result = this.#lastTask.then(task);
    this.#lastTask = result.catch(() => undefined);
    return result;
  }
}
