/** Longer than any page is busy: it may never be idle. */
const MAX_WAIT_MS = 2000;
/** Some browsers do not tell: there it is soon enough after what the page does now. */
const FALLBACK_MS = 200;

/** Resolves when the page has nothing else to do. */
export function untilIdle(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof requestIdleCallback === 'function') requestIdleCallback(() => resolve(), { timeout: MAX_WAIT_MS });
    else setTimeout(resolve, FALLBACK_MS);
  });
}
