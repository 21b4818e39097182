import type { Database } from '../../storage/database.ts';
import { type ClaimedDelivery, Claims } from './claims.ts';
import { toEventId } from './delivery.ts';
import { DeliveryQueue } from './delivery-queue.ts';
import type { Sender } from './http-sender.ts';
import { type Lane, Lanes } from './lanes.ts';
import { type DeliveryResult, Outcomes } from './outcomes.ts';
import { buildSignatureHeader } from './signature.ts';
import type { WebhookService } from './webhook-service.ts';
import { findAccountsWithWebhooks } from './webhook-store.ts';

export interface DispatcherOptions {
  readonly database: Database;
  readonly webhooks: Pick<WebhookService, 'getSigningSecrets'>;
  readonly sender: Sender;
  readonly lanes?: Lanes;
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
 * commits of other processes, due retries, and lanes that slow receivers no longer hold.
 */
export class WebhookDispatcher {
  readonly #options: DispatcherOptions;
  readonly #queue: DeliveryQueue;
  readonly #claims: Claims;
  readonly #outcomes: Outcomes;
  readonly #lanes: Lanes;
  readonly #inFlight = new Set<Promise<void>>();
  #currentTick: Promise<void> | undefined;
  #tickAgain = false;
  #savePositions = true;
  #wakeTimer: NodeJS.Timeout | undefined;
  #pollTimer: NodeJS.Timeout | undefined;
  #unsubscribe: (() => void) | undefined;
  #isStopped = false;
  /** The accounts with active webhooks when they were last polled: commits of others do not wake. */
  #accountIds: ReadonlySet<number> | undefined;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#queue = new DeliveryQueue(options.database);
    this.#claims = new Claims(options.database);
    this.#outcomes = new Outcomes(options.database, options.random);
    this.#lanes = options.lanes ?? new Lanes();
  }

  start(): void {
    this.#unsubscribe = this.#options.database.onEvents((accountId) => {
      if (this.#accountIds?.has(accountId) ?? true) this.#wake(DEBOUNCE_MS);
    });
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
    const isPoll = this.#savePositions;
    this.#savePositions = false;
    this.#currentTick = (isPoll ? this.#poll() : this.tick({ savePositions: false }))
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

  async #poll(): Promise<boolean> {
    this.#accountIds = await findAccountsWithWebhooks(this.#options.database);
    return this.tick();
  }

  async #sendDue(): Promise<number> {
    if (this.#isStopped) return 0;
    const lanes = this.#lanes.allocate(await this.#claims.findDueWebhooks());
    const unusedLanes = new Set(lanes);
    try {
      // One transaction per account, so that nodes do not block each other.
      for (const [accountId, accountLanes] of Map.groupBy(lanes, ({ webhook }) => webhook.accountId)) {
        const lanesByWebhook = Map.groupBy(accountLanes, ({ webhook }) => webhook.webhookId);
        const limits = [...lanesByWebhook].map(([webhookId, { length }]) => ({ webhookId, limit: length }));
        for (const delivery of await this.#claims.claim(accountId, limits)) {
          const lane = lanesByWebhook.get(delivery.webhookId)?.pop() as Lane;
          unusedLanes.delete(lane);
          this.#startSending(delivery, lane);
        }
      }
    } finally {
      for (const lane of unusedLanes) this.#lanes.release(lane);
    }
    return lanes.length - unusedLanes.size;
  }

  #startSending(claimed: ClaimedDelivery, lane: Lane): void {
    const sending = this.#send(claimed, lane)
      .catch((error) => this.#options.onError?.(error)) // the claim expires and the delivery is retried
      .finally(() => {
        this.#inFlight.delete(sending);
        this.#lanes.release(lane);
        this.#wake(0);
      });
    this.#inFlight.add(sending);
  }

  async #send(claimed: ClaimedDelivery, lane: Lane): Promise<void> {
    const secrets = this.#options.webhooks.getSigningSecrets(claimed, claimed.now);
    if (secrets.length === 0) return await this.#outcomes.pause(claimed, UNREADABLE_SECRET);
    this.#lanes.start(lane);
    const outcome = await this.#options.sender.send({
      url: claimed.url,
      headers: buildHeaders(claimed, secrets),
      body: claimed.body,
    });
    if (outcome === 'abandoned') return;
    this.#lanes.recordAnswer(lane);
    const result = await this.#outcomes.record(claimed, outcome);
    this.#options.onResult?.(result);
  }
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
