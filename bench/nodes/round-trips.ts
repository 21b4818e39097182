import { type RoundTripCounter, startRoundTripCounter } from '../../test/support/databases/round-trip-counter.ts';
import { type RatioCase, type Request, recordResponse } from '../cases.ts';
import { type Server, startNode } from '../processes.ts';
import { showProgress } from '../progress.ts';
import { logInAsAdmin } from '../ratio.ts';
import { OPERATORS_PER_ACCOUNT } from './cases.ts';

/** How often a request waits for the database. */

const MIN_WARM_UP_REQUESTS = 8;
const ATTEMPTS = 5;

/** Returns the round trips by case title. */
export async function countRoundTrips(
  cases: readonly RatioCase[],
  address: string,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, number>> {
  const far = await startRoundTripCounter(address);
  const node = await startNode(far.url, folder, { env });
  const token = await logInAsAdmin(node);
  const trips = new Map<string, number>();
  for (const { title, requests } of cases) {
    showProgress(`round trips: ${title}`);
    const distinct = [...new Set(requests(OPERATORS_PER_ACCOUNT, token))];
    trips.set(title, await minRoundTrips(node, distinct, far));
  }
  await node.stop();
  await far.close();
  return trips;
}

/** The minimum of several attempts: timers of the node and other processes only add to it. */
async function minRoundTrips({ port }: Server, requests: readonly Request[], far: RoundTripCounter): Promise<number> {
  let sent = 0;
  const sendNext = () => recordResponse(port, requests[sent++ % requests.length] as Request);
  // As under load: every request was sent before, and statements are prepared.
  for (let number = 0; number < Math.max(MIN_WARM_UP_REQUESTS, requests.length); number++) await sendNext();
  let min = Number.POSITIVE_INFINITY;
  for (let number = 0; number < ATTEMPTS; number++) {
    await sendNext(); // so that the caller is cached
    far.startCounting();
    await sendNext();
    min = Math.min(min, far.stopCounting());
  }
  return min;
}
