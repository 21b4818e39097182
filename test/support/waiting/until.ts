import { setTimeout } from 'node:timers/promises';

/** Long enough for the slowest machine: it only ends what would never come. */
export const PATIENCE_MS = 60_000;
const BETWEEN_LOOKS_MS = 20;

/** Answers when the condition holds; says what was waited for when it never does. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; !(await holds()); ) {
    if (performance.now() > end) throw new Error(`This never happened: ${what}`);
    await setTimeout(BETWEEN_LOOKS_MS);
  }
}

/** Answers as the promise does; says what was waited for when it never does. */
export async function patiently<T>(what: string, promise: Promise<T>): Promise<T> {
  let late: NodeJS.Timeout | undefined;
  const never = new Promise<never>((_resolve, reject) => {
    late = globalThis.setTimeout(() => reject(new Error(`This never happened: ${what}`)), PATIENCE_MS);
  });
  return Promise.race([promise, never]).finally(() => clearTimeout(late));
}
