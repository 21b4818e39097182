import { randomUUID } from 'node:crypto';
import type { LiveService } from '../../core/engine/presence/live-service.ts';
import type { LoggedEvent } from '../../core/events/event-log.ts';
import type { Caller } from '../../core/kernel/caller.ts';
import type { SocketConnection } from '../graphql-server/sockets.ts';

/**
 * The presence of one realtime connection: while the desk's events are followed on it, and it answers pings, its operator is
 * connected. However often they are followed there, it is one lease.
 */
export class DeskPresence {
  readonly #live: LiveService;
  readonly #connection: SocketConnection;
  /** True when the service stops: then leases are left alone, as another node may take the desk over before they end. */
  readonly #isStopping: () => boolean;
  readonly #leaseId = randomUUID();
  readonly #renew = () => this.#answered();
  #desk: ReturnType<LiveService['desk']> | undefined;
  #followers = 0;
  #holds = false;
  #renewing = false;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(live: LiveService, connection: SocketConnection, isStopping: () => boolean) {
    this.#live = live;
    this.#connection = connection;
    this.#isStopping = isStopping;
  }

  /** Somebody begins to follow the desk's events. Each call is followed by one of `leave`, whatever becomes of it. */
  async enter(caller: Caller, operatorId: number): Promise<void> {
    this.#followers += 1;
    if (this.#followers > 1) return;
    const desk = this.#live.desk(caller, operatorId, this.#leaseId);
    this.#desk = desk;
    this.#connection.pongs.add(this.#renew);
    await this.#inTurn(async () => {
      this.#holds = await desk.open();
    });
  }

  leave(): void {
    this.#followers -= 1;
    if (this.#followers > 0) return;
    this.#connection.pongs.delete(this.#renew);
    if (this.#isStopping()) return;
    this.#quietly(async () => {
      if (this.#followers > 0 || !this.#holds) return;
      this.#holds = false;
      await this.#desk?.close();
    });
  }

  /** What happened to the operator since: whoever was signed off stays so until they connect, here or anywhere. */
  notice({ type, subjectType, changes }: LoggedEvent): void {
    if (subjectType !== 'operator') return;
    if (type === 'operator.disconnected' && changes.values.reason !== 'lease_ended') {
      this.#quietly(async () => {
        this.#holds = false;
      });
    }
    if (type === 'operator.connected') {
      this.#quietly(async () => {
        if (this.#followers > 0 && !this.#holds && this.#desk) this.#holds = await this.#desk.open();
      });
    }
  }

  #answered(): void {
    if (this.#renewing) return; // the database is slower than the pings
    this.#renewing = true;
    this.#quietly(async () => {
      this.#renewing = false;
      if (this.#followers === 0 || !this.#holds || !this.#desk) return;
      this.#holds = (await this.#desk.renew()) || (await this.#desk.resume());
    });
  }

  /** While the database is away nothing can be held or given back: leases end by themselves, and the next pong tries again. */
  #quietly(work: () => Promise<void>): void {
    this.#inTurn(work).catch(() => undefined);
  }

  /** One after the other: what is opened must not be overtaken by what was closed before. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}
