import { setTimeout as wait } from 'node:timers/promises';
import { ADMIN_EMAIL, buildOperator, LOGIN_IDS } from '../data.ts';
import type { Server } from '../processes.ts';
import { formatMs } from '../tables.ts';
import { timeHealth } from './health.ts';
import { openSession } from './log-in.ts';
import type { OverloadCase, OverloadRow } from './overload-case.ts';
import { OPERATOR_COUNT, withService } from './service.ts';

/** The event loop is busy no longer than the slowest `/_health` that was sent meanwhile. */
const MAX_HOLD_MS = 50;
const REPEATS = 30;

const CHANNEL = '{enabled available busy slotNumber slotMaxNumber routable blockedBy}';
const ALL_FIELDS = `id name firstName pseudo email externalId role roles chatEnabled callEnabled videoEnabled
  chatMaxNumber chatAndCall chatToVideo chatPriority callPriority videoPriority languageList languageAdmin ssoKey
  callConfig{type askPhoneNumberAtEveryConnection phoneNumber} group{id name createdAt} websites{id label url}
  skills{id name order} profile{status description facebook twitter city country}
  statistics{conversationNumber answeredNumber firstAnswerSeconds satisfactionRate experience connectedSeconds}
  live{connected chat${CHANNEL} call${CHANNEL} video${CHANNEL}}`;

const DOCUMENTS: Readonly<Record<string, string>> = {
  '100 operators, all fields': `{operators(first:100){nodes{${ALL_FIELDS}}}}`,
  '100 skills, 20 operators each': `{skills(first:100){nodes{id name operators(first:20){nodes{id pseudo
    live{connected chat${CHANNEL} call{busy} video{busy}}}}}}}`,
  '14 times 100 operators, all fields': `{${Array.from({ length: 14 }, (_, n) => `a${n}:operators(first:100){nodes{...All}}`).join(' ')}}
    fragment All on Operator{${ALL_FIELDS}}`,
};

export const documents: OverloadCase = {
  title: `one large document at a time, ${REPEATS} times each`,
  run: () => withService({}, measure),
};

async function measure(service: Server): Promise<readonly OverloadRow[]> {
  const { port } = service;
  const url = `http://127.0.0.1:${port}`;
  const tokens = {
    admin: await openSession(service, ADMIN_EMAIL),
    // Most fields are errors.
    operator: await openSession(service, buildOperator(OPERATOR_COUNT, LOGIN_IDS[0] as number).email),
  };
  const quietMs = await timeHealthDuring(port, () => wait(2000));
  const rows: OverloadRow[] = [];
  for (const [who, token] of Object.entries(tokens)) {
    for (const [name, query] of Object.entries(DOCUMENTS)) {
      const post = () => postDocument(`${url}/graphql`, token, query);
      const code = await post(); // the first use is slower, as everywhere
      const loadedMs = await timeHealthDuring(port, async () => {
        for (let n = 0; n < REPEATS; n += 1) await post();
      });
      rows.push({
        what: `${name}, ${who}${code === '' ? '' : ` (${code})`}: /_health, slowest, ms`,
        quiet: formatMs(quietMs),
        loaded: formatMs(loadedMs),
        expected: `at most ${formatMs(MAX_HOLD_MS + quietMs)}`,
        holds: loadedMs <= MAX_HOLD_MS + quietMs,
      });
    }
  }
  return rows;
}

/** Returns the slowest of many requests to `/_health` while the work runs. */
async function timeHealthDuring(port: number, work: () => Promise<unknown>): Promise<number> {
  let isDone = false;
  const finished = work().finally(() => {
    isDone = true;
  });
  let slowestMs = 0;
  while (!isDone) {
    slowestMs = Math.max(slowestMs, await timeHealth(port));
    await wait(1);
  }
  await finished;
  return slowestMs;
}

/** Returns the code of the error that rejected the document, or an empty text. */
async function postDocument(url: string, token: string, query: string): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query }),
  });
  const text = await response.text();
  return text.includes('"data"') ? '' : (/"code":"(\w+)"/.exec(text)?.[1] ?? String(response.status));
}
