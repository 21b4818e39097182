import { setTimeout } from 'node:timers/promises';

/** Long enough for the slowest machine; only a wait that would never end reaches it. */
export const WAIT_TIMEOUT_MS = 60_000;
const POLL_INTERVAL_MS = 20;
const MAX_POLL_INTERVAL_MS = 250;

/** Resolves once the condition is met; on timeout the error says what was awaited. */
export async function waitUntil(what: string, isMet: () => boolean | Promise<boolean>): Promise<void> {
  for (const start = performance.now(); !(await isMet()); ) {
    const elapsed = performance.now() - start;
    if (elapsed > WAIT_TIMEOUT_MS) throw new Error(`Timed out waiting until: ${what}`);
    // Asking often in a long wait would take the processor from what is awaited.
    await setTimeout(Math.min(Math.max(elapsed / 10, POLL_INTERVAL_MS), MAX_POLL_INTERVAL_MS));
  }
}

/** Settles like the promise; on timeout the error says what was awaited. */
export async function withTimeout<T>(what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = globalThis.setTimeout(() => reject(new Error(`Timed out waiting until: ${what}`)), WAIT_TIMEOUT_MS);
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}
