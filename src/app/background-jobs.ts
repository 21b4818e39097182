import type { Logger } from 'pino';
import type { Metrics } from '../api/http/metrics.ts';
import { WebhookDispatcher } from '../core/webhooks/dispatcher.ts';
import { HttpSender } from '../core/webhooks/http-sender.ts';
import type { Installation } from './installation.ts';

const HOUSEKEEPING_MS = 60_000;
const KEY_USE_MS = 10_000;
const RETENTION_MS = 600_000;
const TICK_MS = 500;
const SWEEP_MS = 10_000;

interface Parts {
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Sends what webhooks are owed. */
export function sendWebhooks(
  { database, webhooks }: Installation,
  { logger, metrics, allowPrivate }: Parts & { readonly allowPrivate: boolean },
): WebhookDispatcher {
  const dispatcher = new WebhookDispatcher({
    database,
    webhooks: webhooks.hooks,
    sender: new HttpSender({ allowPrivate }),
    onResult: (result) => metrics.webhookSent(result),
    onError: (error) => logger.warn({ err: error }, 'sending webhooks failed; it is tried again'),
  });
  dispatcher.start();
  return dispatcher;
}

/** Ends what is over by time, a round after the other; a failed round is logged and the next one comes. */
export function runScheduler({ engine: { scheduler } }: Installation, { logger, metrics }: Parts): () => Promise<void> {
  let running: Promise<void> | undefined;
  let nextSweep = performance.now() + SWEEP_MS;
  const round = async () => {
    await scheduler.tick();
    if (performance.now() < nextSweep) return;
    nextSweep = performance.now() + SWEEP_MS;
    const found = await scheduler.sweep();
    metrics.sweepFound(found);
    if (found > 0) logger.warn({ found }, 'the sweep found conversations that could have been given out before');
  };
  scheduler.hold();
  const start = () => {
    running ??= round()
      .then(
        () => metrics.clockworkRound('done'),
        (error) => {
          metrics.clockworkRound('failed');
          logger.warn({ err: error }, 'a round of the clockwork failed; it is tried again');
        },
      )
      .finally(() => {
        running = undefined;
      });
  };
  start(); // from here on it is known how long nobody looked
  const timer = setInterval(start, TICK_MS).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}

/** Forgets what has passed, and writes down when keys were used. */
export function keepHouse(installation: Installation, logger: Logger): () => Promise<void> {
  const { access, reports, visitors, webhooks, upkeep } = installation;
  const attempt = (what: string, work: () => Promise<void>) =>
    work().catch((error) => logger.warn({ err: error }, `${what} failed; it is tried again`));
  const recordUse = async () => {
    await attempt('recording the use of keys', () => access.apiKeys.recordUse());
    await attempt('recording the use of REST', () => reports.restUsage.record());
  };
  const use = setInterval(recordUse, KEY_USE_MS);
  const clean = setInterval(() => {
    for (const subject of [
      access.tokens,
      access.singleSignOn,
      visitors.sessions,
      access.limits,
      access.idempotency,
      webhooks.deliveries,
    ]) {
      attempt('cleaning up', () => subject.clean());
    }
  }, HOUSEKEEPING_MS);
  const ending = new AbortController();
  let forgetting: Promise<void> | undefined;
  const forget = setInterval(() => {
    forgetting ??= attempt('forgetting what is old', () => upkeep.retention.clean(ending.signal)).finally(() => {
      forgetting = undefined;
    });
  }, RETENTION_MS);
  for (const timer of [use, clean, forget]) timer.unref();
  return async () => {
    for (const timer of [use, clean, forget]) clearInterval(timer);
    ending.abort();
    await forgetting;
    await recordUse();
  };
}
