import { setTimeout as wait } from 'node:timers/promises';
import { buildOperator, LOGIN_IDS } from '../data.ts';
import type { Server } from '../processes.ts';
import { formatInteger, formatMs } from '../tables.ts';
import { logIn, TRUST_LOCAL_PROXY } from './log-in.ts';
import type { OverloadCase, OverloadRow } from './overload-case.ts';
import { OPERATOR_COUNT, withService } from './service.ts';

const LOGIN_COUNT = 200;
const ROUNDS = 3;
const MAX_MS = 2000;

export const logins: OverloadCase = {
  title: `${LOGIN_COUNT} logins at once, and then a login from another address`,
  run: () => withService(TRUST_LOCAL_PROXY, measure),
};

async function measure(service: Server): Promise<readonly OverloadRow[]> {
  const quiet = await repeat(() => logInOnce(service));
  const few = await repeat(() => logInDuringFlood(service, 11));
  const many = await repeat(() => logInDuringFlood(service, LOGIN_COUNT));
  return [toRow('the 200 come from 11 addresses', quiet, few), toRow('from 200 addresses', quiet, many)];
}

interface Outcome {
  readonly succeeded: number;
  readonly slowestMs: number;
}

async function repeat(attempt: () => Promise<{ status: number; ms: number }>): Promise<Outcome> {
  let outcome: Outcome = { succeeded: 0, slowestMs: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const { status, ms } = await attempt();
    outcome = {
      succeeded: outcome.succeeded + (status === 200 ? 1 : 0),
      slowestMs: Math.max(outcome.slowestMs, ms),
    };
  }
  return outcome;
}

function toRow(what: string, quiet: Outcome, loaded: Outcome): OverloadRow {
  const format = ({ succeeded, slowestMs }: Outcome) => `${succeeded} of ${ROUNDS}, slowest ${formatMs(slowestMs)}`;
  return {
    what: `login succeeds, ms: ${what}`,
    quiet: format(quiet),
    loaded: format(loaded),
    expected: `all, within ${formatInteger(MAX_MS)}`,
    holds: loaded.succeeded === ROUNDS && loaded.slowestMs <= MAX_MS,
  };
}

let honestCount = 0;

/** From an address that is new to the service, and as another user each time, within the limit per user. */
function logInOnce(service: Server): Promise<{ status: number; ms: number }> {
  honestCount += 1;
  const id = LOGIN_IDS[honestCount % LOGIN_IDS.length] as number;
  return logIn(service, { email: buildOperator(OPERATOR_COUNT, id).email, address: `192.0.2.${honestCount}` });
}

let floodCount = 0;

async function logInDuringFlood(service: Server, addressCount: number): Promise<{ status: number; ms: number }> {
  const flood = Array.from({ length: LOGIN_COUNT }, (_, index) => {
    floodCount += 1;
    const address = `198.51.${addressCount % 256}.${index % addressCount}`;
    return logIn(service, { email: `unknown-${floodCount}@example.com`, address, password: 'wrong' });
  });
  await wait(300); // until most of them are in the queue
  const outcome = await logInOnce(service);
  await Promise.all(flood);
  return outcome;
}
