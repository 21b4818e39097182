import { type FarDatabase, startFarDatabase } from '../../test/support/databases/far-database.ts';
import { type RatioCase, type Request, record } from '../cases.ts';
import { type Server, startNode } from '../processes.ts';
import { progress } from '../progress.ts';
import { adminToken } from '../ratio.ts';
import { SIZE } from './cases.ts';

/** How often a request waits for the database. */

const LEAST_BEFORE = 8;
const TRIES = 5;

/** By the titles of the cases. */
export async function countRoundTrips(
  cases: readonly RatioCase[],
  address: string,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, number>> {
  const far = await startFarDatabase(address);
  const node = await startNode(far.url, folder, { env });
  const token = await adminToken(node);
  const trips = new Map<string, number>();
  for (const { title, requests } of cases) {
    progress(`round trips: ${title}`);
    trips.set(title, await leastOf(node, requests(SIZE, token), far));
  }
  await node.stop();
  await far.close();
  return trips;
}

/** The least of several tries: timers of the node and others on the machine only add to it. */
async function leastOf({ port }: Server, requests: readonly Request[], far: FarDatabase): Promise<number> {
  let sent = 0;
  const next = () => record(port, requests[sent++ % requests.length] as Request);
  // As under load: every request has been made before, and statements are prepared.
  for (let number = 0; number < Math.max(LEAST_BEFORE, requests.length); number++) await next();
  let least = Number.POSITIVE_INFINITY;
  for (let number = 0; number < TRIES; number++) {
    await next(); // who asks is known for a moment then
    far.beginCount();
    await next();
    least = Math.min(least, far.endCount());
  }
  return least;
}
