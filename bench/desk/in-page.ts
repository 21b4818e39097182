/**
 * Runs in the desk before its own scripts, and notes what happens: it uses nothing but the browser. Times of arrival are
 * epoch milliseconds, which the page shares with the process that sends.
 */

// biome-ignore-start lint/suspicious/noExplicitAny: the types of the DOM are not those of the service
declare const document: any;
declare const requestAnimationFrame: (callback: () => void) => void;
declare const window: any;
declare const MutationObserver: any;
// biome-ignore-end lint/suspicious/noExplicitAny: see above

/** What the page has noted, in milliseconds. */
export interface Notes {
  /** From the navigation until the rail is shown and the presence is known. */
  usableAt: number | null;
  /** Tasks of more than 50 ms. */
  longTasks: number[];
  /** From each key to the first frame after it. */
  keys: number[];
  /** When each marked text was in the document, by its mark. */
  arrivals: Record<string, number>;
}

export function watchDesk(): void {
  const notes: Notes = { usableAt: null, longTasks: [], keys: [], arrivals: {} };
  window.benchNotes = notes;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) notes.longTasks.push(duration);
  }).observe({ type: 'longtask' as 'mark' });
  document.addEventListener(
    'keydown',
    (event: { timeStamp: number }) =>
      // A message that is posted in a frame is delivered after the frame.
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => {
          notes.keys.push(performance.now() - event.timeStamp);
          port1.close();
        };
        port2.postMessage(null);
      }),
    { capture: true },
  );
  new MutationObserver(() => {
    if (notes.usableAt === null && document.querySelector('nav.rail') && document.querySelector('.bar .state'))
      notes.usableAt = performance.now();
    const text = document.querySelector('[role=log]')?.textContent ?? '';
    for (const [mark] of text.matchAll(/<mark \w+>/g)) notes.arrivals[mark] ??= Date.now();
  }).observe(document, { childList: true, subtree: true, characterData: true });
}

export function readNotes(): Notes {
  return window.benchNotes as Notes;
}

export function forgetNotes(): void {
  Object.assign(window.benchNotes, { longTasks: [], keys: [], arrivals: {} });
}
