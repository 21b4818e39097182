/** Runs after everything that a request does without waiting: handlers continue in microtasks. */
export function afterMicrotasks(work: () => void): void {
  queueMicrotask(() => process.nextTick(work));
}
