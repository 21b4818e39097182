import type { Database } from '../../storage/database.ts';
import { type ClaimedDelivery, Claims } from './claims.ts';
import { toEventId } from './delivery.ts';
import { DeliveryQueue } from './delivery-queue.ts';
import type { Sender } from './http-sender.ts';
import { Lanes } from './lanes.ts';
import { type DeliveryResult, Outcomes } from './outcomes.ts';
import { buildSignatureHeader } from './signature.ts';
import type { WebhookService } from './webhook-service.ts';

export interface DispatcherOptions {
  readonly database: Database;
  readonly webhooks: Pick<WebhookService, 'getSigningSecrets'>;
  readonly sender: Sender;
  /** For backoff jitter. */
  readonly random?: () => number;
  /** Called with every outcome, for metrics. */
  readonly onResult?: (result: DeliveryResult) => void;
  /** Called with internal errors; the work is retried. */
  readonly onError?: (error: unknown) => void;
}

const POLL_INTERVAL_MS = 1000;
/** Groups commits that arrive together into one tick. */
const DEBOUNCE_MS = 10;
const UNREADABLE_SECRET =
  'its secret cannot be read: the secret of the installation is another one; rotate it and resume';

/**
 * Sends events to webhooks after their commit, outside the request. A commit wakes it; a poll every second finds
 * commits of other processes and due retries.
 */
export class WebhookDispatcher {
  readonly #options: DispatcherOptions;
  readonly #queue: DeliveryQueue;
  readonly #claims: Claims;
  readonly #outcomes: Outcomes;
  readonly #lanes = new Lanes();
  readonly #inFlight = new Set<Promise<void>>();
  #currentTick: Promise<void> | undefined;
  #tickAgain = false;
  #savePositions = true;
  #wakeTimer: NodeJS.Timeout | undefined;
  #pollTimer: NodeJS.Timeout | undefined;
  #unsubscribe: (() => void) | undefined;
  #rotation = 0;
  #isStopped = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#queue = new DeliveryQueue(options.database);
    this.#claims = new Claims(options.database);
    this.#outcomes = new Outcomes(options.database, options.random);
  }

  start(): void {
    this.#unsubscribe = this.#options.database.onEvents(() => this.#wake(DEBOUNCE_MS));
    this.#pollTimer = setInterval(() => {
      this.#savePositions = true;
      this.#runTick();
    }, POLL_INTERVAL_MS).unref();
    this.#runTick();
  }

  /** Waits up to this long for deliveries in flight; the rest is sent again after the next start. */
  async stop(milliseconds: number): Promise<void> {
    this.#isStopped = true;
    this.#unsubscribe?.();
    clearInterval(this.#pollTimer);
    clearTimeout(this.#wakeTimer);
    const closeTimer = setTimeout(() => this.#options.sender.close(), milliseconds);
    await this.#currentTick;
    await Promise.all(this.#inFlight);
    clearTimeout(closeTimer);
    this.#options.sender.close();
  }

  /** Queues new events and starts sending due deliveries. Returns whether there is more to do. */
  async tick({ savePositions = true } = {}): Promise<boolean> {
    const hasMore = await this.#queue.fill({ savePositions });
    return (await this.#sendDue()) > 0 || hasMore;
  }

  /** Ticks until nothing is due or in flight. */
  async settle(): Promise<void> {
    while ((await this.tick()) || this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  #wake(milliseconds: number): void {
    if (this.#isStopped || !this.#pollTimer) return;
    this.#wakeTimer ??= setTimeout(() => {
      this.#wakeTimer = undefined;
      this.#runTick();
    }, milliseconds).unref();
  }

  /** Runs one tick at a time; a call during a tick schedules another one. */
  #runTick(): void {
    if (this.#isStopped) return;
    if (this.#currentTick) {
      this.#tickAgain = true;
      return;
    }
    const savePositions = this.#savePositions;
    this.#savePositions = false;
    this.#currentTick = this.tick({ savePositions })
      .then(
        (hasMore) => {
          this.#tickAgain ||= hasMore;
        },
        (error) => this.#options.onError?.(error),
      )
      .finally(() => {
        this.#currentTick = undefined;
        if (!this.#tickAgain) return;
        this.#tickAgain = false;
        this.#wake(0);
      });
  }

  async #sendDue(): Promise<number> {
    if (this.#isStopped) return 0;
    const due = await this.#claims.findDueWebhooks();
    // Rotates which webhook goes first when lanes are scarce.
    this.#rotation += 1;
    const shift = this.#rotation % Math.max(due.length, 1);
    const webhooks = [...due.slice(shift), ...due.slice(0, shift)]
      .map((webhook) => ({ ...webhook, laneCount: this.#lanes.acquire(toLaneKey(webhook), webhook.isFailing) }))
      .filter(({ laneCount }) => laneCount > 0);
    if (webhooks.length === 0) return 0;
    let claimed: ClaimedDelivery[] = [];
    try {
      claimed = await this.#claims.claim(webhooks);
    } finally {
      for (const webhook of webhooks) {
        const used = claimed.filter(
          ({ accountId, webhookId }) => toLaneKey({ accountId, webhookId }) === toLaneKey(webhook),
        );
        this.#lanes.release(toLaneKey(webhook), webhook.laneCount - used.length);
      }
    }
    for (const delivery of claimed) this.#startSending(delivery);
    return claimed.length;
  }

  #startSending(claimed: ClaimedDelivery): void {
    const sending = this.#send(claimed)
      .catch((error) => this.#options.onError?.(error)) // the claim expires and the delivery is retried
      .finally(() => {
        this.#inFlight.delete(sending);
        this.#wake(0);
      });
    this.#inFlight.add(sending);
  }

  async #send(claimed: ClaimedDelivery): Promise<void> {
    const started = performance.now();
    try {
      const secrets = this.#options.webhooks.getSigningSecrets(claimed, claimed.now);
      if (secrets.length === 0) return await this.#outcomes.pause(claimed, UNREADABLE_SECRET);
      const outcome = await this.#options.sender.send({
        url: claimed.url,
        headers: buildHeaders(claimed, secrets),
        body: claimed.body,
      });
      if (outcome === 'abandoned') return;
      const result = await this.#outcomes.record(claimed, outcome);
      this.#options.onResult?.(result);
    } finally {
      this.#lanes.finish(toLaneKey(claimed), performance.now() - started);
    }
  }
}

function toLaneKey({ accountId, webhookId }: { accountId: number; webhookId: number }): string {
  return `${accountId} ${webhookId}`;
}

function buildHeaders(claimed: ClaimedDelivery, secrets: readonly string[]): Record<string, string> {
  const timestamp = Math.floor(claimed.now / 1000);
  return {
    'Content-Type': 'application/json; charset=utf-8',
    'User-Agent': 'Switchboard',
    'X-Switchboard-Delivery': String(claimed.id),
    'X-Switchboard-Event-Id': toEventId(claimed),
    'X-Switchboard-Timestamp': String(timestamp),
    'X-Switchboard-Signature': buildSignatureHeader(secrets, timestamp, claimed.body),
  };
}
