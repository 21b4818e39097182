import type { Database, Transaction } from '../../storage/database.ts';
import { systemContext } from '../kernel/caller.ts';
import type { Claimed } from './claims.ts';
import { KEEPS_FAILING, type Outcome, quietUntil, RETRY_MS, verdictOn, waitAfter } from './delivery.ts';
import { bringForward, recordTry, releaseNext } from './delivery-store.ts';
import {
  HEALTHY,
  type HookName,
  type LockedWebhook,
  lockWebhook,
  readRow,
  updateWebhook,
  webhookOf,
  writeChanges,
} from './webhook-store.ts';

/** What an outcome came to. Late: another node, or another try, has decided already. */
export type Result = 'delivered' | 'retried' | 'dead' | 'late';

type Answer = Exclude<Outcome, 'abandoned'>;

/** Writes down what came of sending, and what follows from it for the subject and for the hook. */
export class Outcomes {
  readonly #database: Database;
  readonly #random: () => number;

  constructor(database: Database, random: () => number = Math.random) {
    this.#database = database;
    this.#random = random;
  }

  record(claimed: Claimed, outcome: Answer): Promise<Result> {
    return this.#database.transaction(async (tx) => {
      const hook = await lockWebhook(tx, claimed);
      if (!hook) return 'late';
      const verdict = verdictOn(outcome);
      if (verdict === 'delivered') return delivered(tx, hook, claimed, outcome);
      const isOver = verdict === 'dead' || tx.now >= claimed.triedAt + RETRY_MS;
      const next = isOver ? ended(tx, 'dead') : { nextAt: this.#nextTry(tx, claimed, outcome) };
      const written = await recordTry(tx, claimed, { ...shown(outcome), ...next });
      if (!written) return 'late';
      const since = Math.min(hook.failingSince ?? claimed.now, claimed.now);
      await failed(tx, hook, since, { isDead: isOver, waitUntil: quietUntil(outcome, tx.now) });
      if (isOver) await releaseNext(tx, claimed);
      return isOver ? 'dead' : 'retried';
    }, claimed.accountId);
  }

  /** For a hook that cannot be served at all. */
  pause(name: HookName, reason: string): Promise<void> {
    return this.#database.transaction((tx) => pause(tx, name, reason), name.accountId);
  }

  /** The last try is at the end of the 24 hours, not at some time before it. */
  #nextTry(tx: Transaction, claimed: Claimed, outcome: Answer): number {
    const wait = Math.min(tx.now + waitAfter(claimed.attempts, this.#random), claimed.triedAt + RETRY_MS);
    return Math.max(wait, quietUntil(outcome, tx.now) ?? 0);
  }
}

async function delivered(tx: Transaction, hook: LockedWebhook, claimed: Claimed, outcome: Answer): Promise<Result> {
  if (!(await recordTry(tx, claimed, { ...shown(outcome), ...ended(tx, 'delivered') }))) return 'late';
  if (hook.failingSince !== null) {
    await updateWebhook(tx, hook, HEALTHY);
    await bringForward(tx, hook, hook.failingSince);
  }
  await releaseNext(tx, claimed);
  return 'delivered';
}

function ended(tx: Transaction, state: 'delivered' | 'dead') {
  return { state, nextAt: null, endedAt: tx.now };
}

function shown(outcome: Answer): { lastStatus: number | null; lastError: string | null } {
  if ('error' in outcome) return { lastStatus: null, lastError: outcome.error };
  const { status } = outcome;
  const isRedirect = status >= 300 && status < 400;
  return { lastStatus: status, lastError: isRedirect ? 'redirects are not followed' : null };
}

/** Counts a failure of the hook, and pauses one that keeps failing. */
async function failed(
  tx: Transaction,
  hook: LockedWebhook,
  failingSince: number,
  { isDead, waitUntil }: { isDead: boolean; waitUntil: number | undefined },
): Promise<void> {
  const failedInRow = hook.failedInRow + 1;
  const deadInRow = hook.deadInRow + (isDead ? 1 : 0);
  await updateWebhook(tx, hook, {
    failingSince,
    failedInRow,
    deadInRow,
    ...(waitUntil === undefined ? {} : { waitUntil }),
  });
  if (failedInRow >= KEEPS_FAILING.tries && tx.now - failingSince >= KEEPS_FAILING.milliseconds) {
    await pause(tx, hook, 'nothing could be delivered for 24 hours');
  } else if (deadInRow >= KEEPS_FAILING.deadLetters) {
    await pause(tx, hook, `${deadInRow} events in a row could not be delivered`);
  }
}

async function pause(tx: Transaction, { accountId, webhookId }: HookName, reason: string): Promise<void> {
  const row = await readRow(tx.db, accountId, webhookId);
  if (row?.state !== 'active') return;
  const webhook = webhookOf(row);
  const caller = systemContext(accountId);
  await writeChanges(tx, caller, webhook, { ...webhook, state: 'paused', pausedBecause: reason });
}
