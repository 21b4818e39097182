import { useCallback, useSyncExternalStore } from 'react';

/** What shows a time is drawn again together: one timer for each step, however many rows a list has. */
interface Ticker {
  now: number;
  timer: ReturnType<typeof setInterval> | undefined;
  readonly listeners: Set<() => void>;
}

const tickers = new Map<number, Ticker>();

/** The time of this computer in milliseconds, again after every `everyMs`. */
export function useNow(everyMs: number): number {
  const subscribe = useCallback((listener: () => void) => listen(findTicker(everyMs), everyMs, listener), [everyMs]);
  return useSyncExternalStore(subscribe, () => readTicker(findTicker(everyMs), everyMs));
}

function findTicker(everyMs: number): Ticker {
  const known = tickers.get(everyMs);
  if (known) return known;
  const ticker: Ticker = { now: Date.now(), timer: undefined, listeners: new Set() };
  tickers.set(everyMs, ticker);
  return ticker;
}

function listen(ticker: Ticker, everyMs: number, listener: () => void): () => void {
  ticker.listeners.add(listener);
  ticker.timer ??= setInterval(() => {
    ticker.now = Date.now();
    for (const each of ticker.listeners) each();
  }, everyMs);
  return () => {
    ticker.listeners.delete(listener);
    if (ticker.listeners.size > 0) return;
    clearInterval(ticker.timer);
    ticker.timer = undefined;
  };
}

/** Between two steps it stays the same. A ticker that no one listened to may be far behind. */
function readTicker(ticker: Ticker, everyMs: number): number {
  if (ticker.timer === undefined && Math.abs(Date.now() - ticker.now) >= everyMs) ticker.now = Date.now();
  return ticker.now;
}
