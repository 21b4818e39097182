import { setTimeout as wait } from 'node:timers/promises';
import type { BrowserContext } from '../../test/support/browser/chromium.ts';
import { median } from '../ratio.ts';
import { readNotes, watchDesk } from './in-page.ts';

/** What the browser loads, and how long it takes until the desk can be used, each time with an empty cache. */
export interface FirstView {
  readonly views: number;
  /** As transferred, compressed and with headers: everything but the scripts that are asked for later. */
  readonly bytes: number;
  readonly bytesWithoutFont: number;
  /** Scripts that the desk asks for after it can be used, when it is idle. */
  readonly laterBytes: number;
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
    laterBytes: median(found.map(({ laterBytes }) => laterBytes)),
    medianMs: median(times),
    mostMs: Math.max(...times),
    largest: found[0]?.sizes.toSorted((first, second) => second[1] - first[1]).slice(0, LARGEST) ?? [],
  };
}

async function loadOnce(context: BrowserContext, address: string) {
  const page = await context.newPage();
  await page.addInitScript(watchDesk);
  const session = await context.newCDPSession(page);
  const types = new Map<string, string>();
  const loading = new Map<string, { readonly path: string; readonly askedAt: number }>();
  const files: {
    readonly path: string;
    readonly askedAt: number;
    readonly bytes: number;
    readonly type: string | undefined;
  }[] = [];
  session.on('Network.responseReceived', ({ requestId, type }) => types.set(requestId, type));
  session.on('Network.requestWillBeSent', ({ requestId, request, wallTime }) =>
    loading.set(requestId, { path: new URL(request.url).pathname, askedAt: wallTime * 1000 }),
  );
  session.on('Network.loadingFailed', ({ requestId }) => loading.delete(requestId));
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const file = loading.get(requestId);
    loading.delete(requestId);
    if (file) files.push({ ...file, bytes: encodedDataLength, type: types.get(requestId) });
  });
  await session.send('Network.enable');
  await page.goto(address);
  let usableAt: number | null = null;
  for (const end = performance.now() + TIMEOUT_MS; usableAt === null; await wait(50)) {
    usableAt = (await page.evaluate(readNotes)).usableAt;
    if (performance.now() > end) throw new Error(`The desk is not shown at ${page.url()}.`);
  }
  await wait(SETTLE_MS);
  for (const end = performance.now() + TIMEOUT_MS; loading.size > 0; await wait(50))
    if (performance.now() > end)
      throw new Error(`The desk still loads ${[...loading.values()].map(({ path }) => path).join(', ')}.`);
  const shownAt = (await page.evaluate(() => performance.timeOrigin)) + usableAt;
  await context.close();
  const first = files.filter(({ askedAt, type }) => askedAt <= shownAt || type !== 'Script');
  return {
    bytes: sum(first),
    ofFont: sum(first.filter(({ type }) => type === 'Font')),
    laterBytes: sum(files) - sum(first),
    sizes: first.map(({ path, bytes }) => [path, bytes] as const),
    usableAt,
  };
}

function sum(files: readonly { readonly bytes: number }[]): number {
  return files.reduce((total, { bytes }) => total + bytes, 0);
}
