import type { Database, Transaction } from '../../storage/database.ts';
import { systemContext } from '../kernel/caller.ts';
import type { ClaimedDelivery } from './claims.ts';
import {
  classifyOutcome,
  computeBackoff,
  type Outcome,
  PAUSE_THRESHOLDS,
  parseRetryAfter,
  RETRY_WINDOW_MS,
} from './delivery.ts';
import { recordAttempt, releaseNext, retryFailedNow } from './delivery-store.ts';
import {
  type LockedWebhook,
  lockWebhook,
  NO_FAILURES,
  readWebhookRow,
  toWebhook,
  updateWebhook,
  type WebhookKey,
  writeChanges,
} from './webhook-store.ts';

/** `late`: another node or attempt has already decided the delivery. */
export type DeliveryResult = 'delivered' | 'retried' | 'dead' | 'late';

type CompletedOutcome = Exclude<Outcome, 'abandoned'>;

/** Records delivery outcomes, and their consequences for the subject and the webhook. */
export class Outcomes {
  readonly #database: Database;
  readonly #random: () => number;

  constructor(database: Database, random: () => number = Math.random) {
    this.#database = database;
    this.#random = random;
  }

  record(claimed: ClaimedDelivery, outcome: CompletedOutcome): Promise<DeliveryResult> {
    return this.#database.transaction(async (tx) => {
      const webhook = await lockWebhook(tx, claimed);
      if (!webhook) return 'late';
      const verdict = classifyOutcome(outcome);
      if (verdict === 'delivered') return recordDelivered(tx, webhook, claimed, outcome);
      const isDead = verdict === 'dead' || tx.now >= claimed.triedAt + RETRY_WINDOW_MS;
      const next = isDead ? buildEndedColumns(tx, 'dead') : { nextAt: this.#computeNextAttempt(tx, claimed, outcome) };
      const written = await recordAttempt(tx, claimed, { ...buildOutcomeColumns(outcome), ...next });
      if (!written) return 'late';
      const failingSince = Math.min(webhook.failingSince ?? claimed.now, claimed.now);
      await recordFailure(tx, webhook, failingSince, { isDead, waitUntil: parseRetryAfter(outcome, tx.now) });
      if (isDead) await releaseNext(tx, claimed);
      return isDead ? 'dead' : 'retried';
    }, claimed.accountId);
  }

  /** Pauses a webhook to which nothing can be delivered. */
  pause(key: WebhookKey, reason: string): Promise<void> {
    return this.#database.transaction((tx) => pauseWebhook(tx, key, reason), key.accountId);
  }

  /** The last attempt is at the end of the retry window. */
  #computeNextAttempt(tx: Transaction, claimed: ClaimedDelivery, outcome: CompletedOutcome): number {
    const wait = Math.min(tx.now + computeBackoff(claimed.attempts, this.#random), claimed.triedAt + RETRY_WINDOW_MS);
    return Math.max(wait, parseRetryAfter(outcome, tx.now) ?? 0);
  }
}

async function recordDelivered(
  tx: Transaction,
  webhook: LockedWebhook,
  claimed: ClaimedDelivery,
  outcome: CompletedOutcome,
): Promise<DeliveryResult> {
  if (!(await recordAttempt(tx, claimed, { ...buildOutcomeColumns(outcome), ...buildEndedColumns(tx, 'delivered') })))
    return 'late';
  if (webhook.failingSince !== null) {
    await updateWebhook(tx, webhook, NO_FAILURES);
    await retryFailedNow(tx, webhook, webhook.failingSince);
  }
  await releaseNext(tx, claimed);
  return 'delivered';
}

function buildEndedColumns(tx: Transaction, state: 'delivered' | 'dead') {
  return { state, nextAt: null, endedAt: tx.now };
}

function buildOutcomeColumns(outcome: CompletedOutcome): { lastStatus: number | null; lastError: string | null } {
  if ('error' in outcome) return { lastStatus: null, lastError: outcome.error };
  const { status } = outcome;
  const isRedirect = status >= 300 && status < 400;
  return { lastStatus: status, lastError: isRedirect ? 'redirects are not followed' : null };
}

/** Counts a failure, and pauses a webhook that keeps failing. */
async function recordFailure(
  tx: Transaction,
  webhook: LockedWebhook,
  failingSince: number,
  { isDead, waitUntil }: { isDead: boolean; waitUntil: number | undefined },
): Promise<void> {
  const failedInRow = webhook.failedInRow + 1;
  const deadInRow = webhook.deadInRow + (isDead ? 1 : 0);
  await updateWebhook(tx, webhook, {
    failingSince,
    failedInRow,
    deadInRow,
    ...(waitUntil === undefined ? {} : { waitUntil }),
  });
  if (failedInRow >= PAUSE_THRESHOLDS.failures && tx.now - failingSince >= PAUSE_THRESHOLDS.durationMs) {
    await pauseWebhook(tx, webhook, 'nothing could be delivered for 24 hours');
  } else if (deadInRow >= PAUSE_THRESHOLDS.deadLetters) {
    await pauseWebhook(tx, webhook, `${deadInRow} events in a row could not be delivered`);
  }
}

async function pauseWebhook(tx: Transaction, { accountId, webhookId }: WebhookKey, reason: string): Promise<void> {
  const row = await readWebhookRow(tx.db, accountId, webhookId);
  if (row?.state !== 'active') return;
  const webhook = toWebhook(row);
  const caller = systemContext(accountId);
  await writeChanges(tx, caller, webhook, { ...webhook, state: 'paused', pausedBecause: reason });
}
