import type { Database } from '../../storage/database.ts';
import { type Claimed, Claims } from './claims.ts';
import { eventIdOf } from './delivery.ts';
import { DeliveryQueue } from './delivery-queue.ts';
import type { Sender } from './http-sender.ts';
import { Lanes } from './lanes.ts';
import { Outcomes, type Result } from './outcomes.ts';
import { signatures } from './signature.ts';
import type { WebhookService } from './webhook-service.ts';

export interface DispatcherParts {
  readonly database: Database;
  readonly webhooks: Pick<WebhookService, 'signingSecrets'>;
  readonly sender: Sender;
  /** For the jitter of waits. */
  readonly random?: () => number;
  /** Hears of every outcome, for the numbers. */
  readonly onResult?: (result: Result) => void;
  /** Hears of what went wrong here; it is tried again. */
  readonly onError?: (error: unknown) => void;
}

const POLL_MS = 1000;
/** Commits that come together are looked at together. */
const GATHER_MS = 10;
const UNREADABLE = 'its secret cannot be read: the secret of the installation is another one; rotate it and resume';

/**
 * Sends events to webhooks, after the commits that they tell of and apart from the requests that made them. A commit wakes it, and
 * a look every second finds what other processes did and what is due again.
 */
export class WebhookDispatcher {
  readonly #parts: DispatcherParts;
  readonly #queue: DeliveryQueue;
  readonly #claims: Claims;
  readonly #outcomes: Outcomes;
  readonly #lanes = new Lanes();
  readonly #onTheWay = new Set<Promise<void>>();
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #keepPlaces = true;
  #wakeUp: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  #unsubscribe: (() => void) | undefined;
  #turn = 0;
  #isStopped = false;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    this.#queue = new DeliveryQueue(parts.database);
    this.#claims = new Claims(parts.database);
    this.#outcomes = new Outcomes(parts.database, parts.random);
  }

  start(): void {
    this.#unsubscribe = this.#parts.database.onEvents(() => this.#wake(GATHER_MS));
    this.#poll = setInterval(() => {
      this.#keepPlaces = true;
      this.#look();
    }, POLL_MS).unref();
    this.#look();
  }

  /** Sends what is on its way to its end, but not longer than this; the rest is sent again after the next start. */
  async stop(milliseconds: number): Promise<void> {
    this.#isStopped = true;
    this.#unsubscribe?.();
    clearInterval(this.#poll);
    clearTimeout(this.#wakeUp);
    const giveUp = setTimeout(() => this.#parts.sender.close(), milliseconds);
    await this.#looking;
    await Promise.all(this.#onTheWay);
    clearTimeout(giveUp);
    this.#parts.sender.close();
  }

  /** One look: the log becomes deliveries, and what is due is on its way. Answers whether there is more to look at. */
  async tick({ keepPlaces = true } = {}): Promise<boolean> {
    const more = await this.#queue.fill({ keepPlaces });
    return (await this.#sendDue()) > 0 || more;
  }

  /** Ticks until nothing is due and nothing is on its way. */
  async settle(): Promise<void> {
    while ((await this.tick()) || this.#onTheWay.size > 0) await Promise.all(this.#onTheWay);
  }

  #wake(milliseconds: number): void {
    if (this.#isStopped || !this.#poll) return;
    this.#wakeUp ??= setTimeout(() => {
      this.#wakeUp = undefined;
      this.#look();
    }, milliseconds).unref();
  }

  /** One look at a time. Who comes meanwhile is not forgotten. */
  #look(): void {
    if (this.#isStopped) return;
    if (this.#looking) {
      this.#lookAgain = true;
      return;
    }
    const keepPlaces = this.#keepPlaces;
    this.#keepPlaces = false;
    this.#looking = this.tick({ keepPlaces })
      .then(
        (more) => {
          this.#lookAgain ||= more;
        },
        (error) => this.#parts.onError?.(error),
      )
      .finally(() => {
        this.#looking = undefined;
        if (!this.#lookAgain) return;
        this.#lookAgain = false;
        this.#wake(0);
      });
  }

  async #sendDue(): Promise<number> {
    if (this.#isStopped) return 0;
    const due = await this.#claims.dueHooks();
    // Each time another hook is the first to get what room there is.
    this.#turn += 1;
    const shift = this.#turn % Math.max(due.length, 1);
    const hooks = [...due.slice(shift), ...due.slice(0, shift)]
      .map((hook) => ({ ...hook, room: this.#lanes.take(laneOf(hook), hook.isFailing) }))
      .filter(({ room }) => room > 0);
    if (hooks.length === 0) return 0;
    let claimed: Claimed[] = [];
    try {
      claimed = await this.#claims.take(hooks);
    } finally {
      for (const hook of hooks) {
        const used = claimed.filter(({ accountId, webhookId }) => laneOf({ accountId, webhookId }) === laneOf(hook));
        this.#lanes.giveBack(laneOf(hook), hook.room - used.length);
      }
    }
    for (const each of claimed) this.#begin(each);
    return claimed.length;
  }

  #begin(claimed: Claimed): void {
    const sending = this.#send(claimed)
      .catch((error) => this.#parts.onError?.(error)) // the claim ends by itself, and it is sent again
      .finally(() => {
        this.#onTheWay.delete(sending);
        this.#wake(0);
      });
    this.#onTheWay.add(sending);
  }

  async #send(claimed: Claimed): Promise<void> {
    const started = performance.now();
    try {
      const secrets = this.#parts.webhooks.signingSecrets(claimed, claimed.now);
      if (secrets.length === 0) return await this.#outcomes.pause(claimed, UNREADABLE);
      const outcome = await this.#parts.sender.send({
        url: claimed.url,
        headers: headersOf(claimed, secrets),
        body: claimed.body,
      });
      if (outcome === 'abandoned') return;
      const result = await this.#outcomes.record(claimed, outcome);
      this.#parts.onResult?.(result);
    } finally {
      this.#lanes.leave(laneOf(claimed), performance.now() - started);
    }
  }
}

function laneOf({ accountId, webhookId }: { accountId: number; webhookId: number }): string {
  return `${accountId} ${webhookId}`;
}

function headersOf(claimed: Claimed, secrets: readonly string[]): Record<string, string> {
  const timestamp = Math.floor(claimed.now / 1000);
  return {
    'Content-Type': 'application/json; charset=utf-8',
    'User-Agent': 'Switchboard',
    'X-Switchboard-Delivery': String(claimed.id),
    'X-Switchboard-Event-Id': eventIdOf(claimed),
    'X-Switchboard-Timestamp': String(timestamp),
    'X-Switchboard-Signature': signatures(secrets, timestamp, claimed.body),
  };
}
