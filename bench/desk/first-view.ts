import { setTimeout as wait } from 'node:timers/promises';
import type { BrowserContext } from 'playwright-core';
import { median } from '../ratio.ts';
import { readNotes, watchDesk } from './in-page.ts';

/** What the browser loads, and how long it takes until the desk can be used, each time with an empty cache. */
export interface FirstView {
  readonly views: number;
  /** As transferred, compressed and with headers. */
  readonly bytes: number;
  readonly bytesWithoutFont: number;
  readonly medianMs: number;
  readonly mostMs: number;
  /** What was transferred most of, by path, in one of the views. */
  readonly largest: readonly (readonly [path: string, bytes: number])[];
}

const LARGEST = 6;

const TIMEOUT_MS = 30_000;
/** For what is loaded after the desk can be used. */
const SETTLE_MS = 1000;

export async function measureFirstView(
  context: () => Promise<BrowserContext>,
  address: string,
  views: number,
): Promise<FirstView> {
  const found = [];
  for (let view = 0; view <= views; view++) {
    const result = await loadOnce(await context(), address);
    if (view > 0) found.push(result); // the first one warms up the service
  }
  const times = found.map(({ usableAt }) => usableAt);
  return {
    views,
    bytes: median(found.map(({ bytes }) => bytes)),
    bytesWithoutFont: median(found.map(({ bytes, ofFont }) => bytes - ofFont)),
    medianMs: median(times),
    mostMs: Math.max(...times),
    largest: found[0]?.sizes.toSorted((first, second) => second[1] - first[1]).slice(0, LARGEST) ?? [],
  };
}

async function loadOnce(context: BrowserContext, address: string) {
  const page = await context.newPage();
  await page.addInitScript(watchDesk);
  const session = await context.newCDPSession(page);
  const fonts = new Set<string>();
  const loading = new Map<string, string>();
  const sizes: [string, number][] = [];
  let [bytes, ofFont] = [0, 0];
  session.on('Network.responseReceived', ({ requestId, type }) => type === 'Font' && fonts.add(requestId));
  session.on('Network.requestWillBeSent', ({ requestId, request }) => loading.set(requestId, request.url));
  session.on('Network.loadingFailed', ({ requestId }) => loading.delete(requestId));
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    sizes.push([new URL(loading.get(requestId) ?? address).pathname, encodedDataLength]);
    loading.delete(requestId);
    bytes += encodedDataLength;
    if (fonts.has(requestId)) ofFont += encodedDataLength;
  });
  await session.send('Network.enable');
  await page.goto(address);
  let usableAt: number | null = null;
  for (const end = performance.now() + TIMEOUT_MS; usableAt === null; await wait(50)) {
    usableAt = (await page.evaluate(readNotes)).usableAt;
    if (performance.now() > end) throw new Error(`The desk is not shown at ${page.url()}.`);
  }
  await wait(SETTLE_MS);
  // A response whose body the page does not read never ends for the browser.
  const list = () => [...loading.values()].filter((url) => !url.endsWith('/_health'));
  for (const end = performance.now() + TIMEOUT_MS; list().length > 0; await wait(50))
    if (performance.now() > end) throw new Error(`The desk still loads ${list().join(', ')}.`);
  await context.close();
  return { bytes, ofFont, usableAt, sizes };
}
