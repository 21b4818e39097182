import { setTimeout as wait } from 'node:timers/promises';
import { API_KEY, buildOperator, LOGIN_IDS, PASSWORD } from '../data.ts';
import type { Server } from '../processes.ts';
import { watchProcessorTime } from '../processor-time.ts';
import { formatInteger, formatMs } from '../tables.ts';
import { logIn, TRUST_LOCAL_PROXY } from './log-in.ts';
import type { OverloadCase, OverloadRow } from './overload-case.ts';
import { OPERATOR_COUNT, withService } from './service.ts';

const IMPORT_COUNT = 60;
const ROW_COUNT = 1000;
const LOGIN_COUNT = 8;
const MAX_MS = 2000;
const AFTER_SECONDS = 3;
const MAX_PROCESSOR_SECONDS = 1;

export const imports: OverloadCase = {
  title: `${IMPORT_COUNT} imports of ${formatInteger(ROW_COUNT)} operators with passwords at once; then the client disconnects`,
  run: () => withService(TRUST_LOCAL_PROXY, measure),
};

async function measure(service: Server): Promise<readonly OverloadRow[]> {
  const quiet = await logInRepeatedly(service);
  const quietSeconds = await measureProcessorSeconds(service);
  const client = new AbortController();
  let refused = 0;
  const running = Array.from({ length: IMPORT_COUNT }, async (_, index) => {
    const isRefused = await startImport(service, index, client.signal).catch(() => false);
    if (isRefused) refused += 1;
  });
  await wait(2000);
  const loaded = await logInRepeatedly(service);
  client.abort();
  await Promise.all(running);
  const secondsAfter = await measureProcessorSeconds(service);
  return [
    {
      what: 'login, slowest, ms',
      quiet: formatMs(quiet),
      loaded: formatMs(loaded),
      expected: `at most ${formatInteger(MAX_MS)}`,
      holds: loaded <= MAX_MS,
    },
    {
      what: 'imports refused with RATE_LIMITED',
      quiet: '-',
      loaded: formatInteger(refused),
      expected: 'some',
      holds: refused > 0,
    },
    {
      what: `processor time in the ${AFTER_SECONDS} s after the client disconnected, s`,
      quiet: quietSeconds.toFixed(1),
      loaded: secondsAfter.toFixed(1),
      expected: `at most ${MAX_PROCESSOR_SECONDS}`,
      holds: secondsAfter <= MAX_PROCESSOR_SECONDS,
    },
  ];
}

async function logInRepeatedly(service: Server): Promise<number> {
  let slowestMs = 0;
  for (let count = 0; count < LOGIN_COUNT; count++) {
    const { email } = buildOperator(OPERATOR_COUNT, LOGIN_IDS[count % LOGIN_IDS.length] as number);
    const { ms, status } = await logIn(service, { email, address: `192.0.2.${count}` });
    if (status !== 200) throw new Error(`A login was answered with ${status}.`);
    slowestMs = Math.max(slowestMs, ms);
  }
  return slowestMs;
}

/** 0 on systems where it cannot be measured. */
async function measureProcessorSeconds({ pid }: Server): Promise<number> {
  const readTime = watchProcessorTime({ nodes: [pid], postgres: undefined });
  await wait(AFTER_SECONDS * 1000);
  return (readTime?.().nodes ?? 0) / 1_000_000;
}

const IMPORT = `mutation ($rows: [OperatorsImportRowInput!]!) {
  operatorsImport(input: { rows: $rows }) { report { applied } }
}`;

/** Whether the import was refused because too many are running. */
async function startImport({ port }: Server, importIndex: number, signal: AbortSignal): Promise<boolean> {
  const rows = Array.from({ length: ROW_COUNT }, (_, index) => ({
    externalId: `import-${importIndex}-${index}`,
    name: 'Imported',
    email: `import-${importIndex}-${index}@example.com`,
    password: PASSWORD,
  }));
  const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': API_KEY },
    body: JSON.stringify({ query: IMPORT, variables: { rows } }),
    signal,
  });
  return (await response.text()).includes('RATE_LIMITED');
}
