import { randomBytes } from 'node:crypto';

const NODE_ID = randomBytes(4).toString('hex');
let requestCount = 0;

/** Short, and unique within this process; the random prefix tells processes apart. */
export function nextRequestId(): string {
  requestCount += 1;
  return `${NODE_ID}-${requestCount.toString(36)}`;
}
