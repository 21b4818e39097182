import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Metrics } from '../api/http/metrics.ts';
import { WebhookDispatcher } from '../core/webhooks/dispatcher.ts';
import { HttpSender } from '../core/webhooks/http-sender.ts';
import type { Installation } from './installation.ts';

const EXPIRY_INTERVAL_MS = 60_000;
const USAGE_INTERVAL_MS = 10_000;
const RETENTION_INTERVAL_MS = 600_000;
const TICK_INTERVAL_MS = 500;
const SWEEP_INTERVAL_MS = 10_000;
/** How soon another node takes over, and a second pass starts when its time has come. */
const MIGRATION_INTERVAL_MS = 15_000;
const MIGRATION_REPORT_INTERVAL_MS = 10_000;
const VISITOR_INTERVAL_MS = 2000;

interface JobOptions {
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export function startWebhookDispatcher(
  { database, webhooks }: Installation,
  { logger, metrics, allowPrivateHosts }: JobOptions & { readonly allowPrivateHosts: boolean },
): WebhookDispatcher {
  const dispatcher = new WebhookDispatcher({
    database,
    webhooks: webhooks.service,
    sender: new HttpSender({ allowPrivateHosts }),
    onResult: (result) => metrics.countDelivery(result),
    onError: (error) => logger.warn({ err: error }, 'sending webhooks failed; will retry'),
  });
  dispatcher.start();
  return dispatcher;
}

/** Runs scheduler rounds one after another; a failed round is logged. Returns a stop function. */
export function startScheduler(
  { engine: { scheduler } }: Installation,
  { logger, metrics }: JobOptions,
): () => Promise<void> {
  let running: Promise<void> | undefined;
  let nextVisitorCheck = 0;
  let nextSweep = performance.now() + SWEEP_INTERVAL_MS;
  const runRound = async () => {
    await scheduler.tick();
    if (performance.now() >= nextVisitorCheck) {
      nextVisitorCheck = performance.now() + VISITOR_INTERVAL_MS;
      await scheduler.watchVisitors();
    }
    if (performance.now() < nextSweep) return;
    nextSweep = performance.now() + SWEEP_INTERVAL_MS;
    await scheduler.watchIdleChats();
    const found = await scheduler.sweep();
    metrics.countFoundBySweep(found);
    if (found > 0) logger.warn({ found }, 'the sweep found queued conversations that could have been offered before');
  };
  scheduler.holdLeases();
  const startRound = () => {
    running ??= runRound()
      .then(
        () => metrics.countSchedulerRound('done'),
        (error) => {
          metrics.countSchedulerRound('failed');
          logger.warn({ err: error }, 'a scheduler round failed; will retry');
        },
      )
      .finally(() => {
        running = undefined;
      });
  };
  startRound(); // immediately, because the hold of the leases starts with the first round
  const timer = setInterval(startRound, TICK_INTERVAL_MS).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}

/**
 * Builds the indexes and fills the rows that migrations left to the background, until nothing is left. Returns a stop
 * function.
 */
export function startFinishingMigrations({ finishMigrations }: Installation, logger: Logger): () => Promise<void> {
  const shutdown = new AbortController();
  let nextReport = 0;
  const finish = () =>
    finishMigrations({
      signal: shutdown.signal,
      onProgress: (step, { kind, name, pass, changedRows }) => {
        if (step === 'filled' && performance.now() < nextReport) return;
        nextReport = performance.now() + MIGRATION_REPORT_INTERVAL_MS;
        logger.info(
          { kind, name, ...(kind === 'fill' && { pass, changedRows }) },
          `migration in the background: ${step}`,
        );
      },
    }).catch((error) => {
      if (!shutdown.signal.aborted) logger.warn({ err: error }, 'finishing the migrations failed; will retry');
      return true;
    });
  const run = async () => {
    while (!shutdown.signal.aborted && (await finish()))
      await setTimeout(MIGRATION_INTERVAL_MS, undefined, { signal: shutdown.signal, ref: false }).catch(
        () => undefined,
      );
  };
  const running = run();
  return async () => {
    shutdown.abort();
    await running;
  };
}

/** Deletes expired rows and records the use of keys, tokens and REST. Returns a stop function. */
export function startHousekeeping(installation: Installation, logger: Logger): () => Promise<void> {
  const { access, administration, attachments, reports, visitors, webhooks, upkeep } = installation;
  const attempt = (description: string, work: () => Promise<void>) =>
    work().catch((error) => logger.warn({ err: error }, `${description} failed; will retry`));
  const recordUse = async () => {
    await attempt('recording API key usage', () => access.apiKeys.recordUse());
    await attempt('recording token usage', () => access.tokens.recordUse());
    await attempt('recording REST usage', () => reports.restUsage.flush());
  };
  const usageTimer = setInterval(recordUse, USAGE_INTERVAL_MS);
  const expiryTimer = setInterval(() => {
    for (const store of [
      access.tokens,
      access.singleSignOn,
      access.twoFactor,
      administration.passwordLinks,
      access.failedLogins,
      visitors.sessions,
      access.limits,
      access.idempotency,
      webhooks.deliveries,
      attachments,
    ]) {
      attempt('deleting expired rows', () => store.deleteExpired());
    }
  }, EXPIRY_INTERVAL_MS);
  const shutdown = new AbortController();
  let retentionRun: Promise<void> | undefined;
  const retentionTimer = setInterval(() => {
    retentionRun ??= attempt('applying retention', () => upkeep.retention.deleteExpired(shutdown.signal)).finally(
      () => {
        retentionRun = undefined;
      },
    );
  }, RETENTION_INTERVAL_MS);
  for (const timer of [usageTimer, expiryTimer, retentionTimer]) timer.unref();
  return async () => {
    for (const timer of [usageTimer, expiryTimer, retentionTimer]) clearInterval(timer);
    shutdown.abort();
    await retentionRun;
    await recordUse();
  };
}
