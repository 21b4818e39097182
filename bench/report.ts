import type { SizeResult } from './measure.ts';
import { ms, section, verdict, whole } from './tables.ts';

const MAX_TIMES = 1.5;
const MAX_MEMORY = 200;

/** All figures, with the goals beside them. */
export function printReport(results: readonly SizeResult[]): void {
  section('Requests per second, as a share of a bare node:http server that sends the same bytes', [
    ['operators', 'case', 'share', 'goal', '', 'service/s', 'bare/s', 'p99 ms', 'generator busy'],
    ...results.flatMap(({ size, ratios }) =>
      ratios.map((row) => [
        whole(size),
        row.title,
        row.ratio.toFixed(3),
        row.goal === undefined ? '' : `≥ ${row.goal.toFixed(2)}`,
        row.goal === undefined ? '' : verdict(row.ratio >= row.goal),
        whole(row.servicePerSecond),
        whole(row.barePerSecond),
        ms(row.serviceP99Ms),
        `${Math.round(row.generatorBusy * 100)} %`,
      ]),
    ),
  ]);
  section('GraphQL: compiled queries against plain execution by graphql-js, over HTTP', [
    ['operators', 'case', 'times', 'goal', ''],
    ...results.flatMap(({ size, ratios }) =>
      ratios.flatMap(({ title, timesPlain }) =>
        timesPlain
          ? [
              [
                whole(size),
                title,
                timesPlain.times.toFixed(2),
                timesPlain.goal === undefined ? '' : `≥ ${timesPlain.goal}`,
                timesPlain.goal === undefined ? '' : verdict(timesPlain.times >= timesPlain.goal),
              ],
            ]
          : [],
      ),
    ),
  ]);
  section('Logins (their cost is the hashing of the password)', [
    ['operators', 'one takes ms', 'per second'],
    ...results.flatMap(({ size, login }) =>
      login ? [[whole(size), ms(login.medianMs), login.perSecond.toFixed(1)]] : [],
    ),
  ]);
  section('First pages, one request at a time', [
    ['operators', 'filter', 'matches', 'ms', 'ms at 1,000', 'times', 'goal', ''],
    ...results.flatMap(({ size, pages }) =>
      pages.map(({ title, rows, medianMs, reference }) => [
        whole(size),
        title,
        whole(rows),
        ms(medianMs),
        ...(reference
          ? [
              ms(reference.medianMs),
              reference.times.toFixed(2),
              `≤ ${MAX_TIMES}`,
              verdict(reference.times <= MAX_TIMES),
            ]
          : ['', '', '', '']),
      ]),
    ),
  ]);
  section('Reads that no index serves, and a single read meanwhile', [
    ['operators', 'read', 'ms', 'given up', 'single read p99 ms', 'alone'],
    ...results.flatMap(({ size, slow }) =>
      (slow?.reads ?? []).map((row) => [
        whole(size),
        row.title,
        ms(row.medianMs),
        `${row.givenUp} of ${row.requests}`,
        ms(row.singleP99Ms),
        ms(slow?.aloneP99Ms ?? 0),
      ]),
    ),
  ]);
  section('Memory of the service after the load', [
    ['operators', 'MB', 'goal', ''],
    ...results.flatMap(({ size, memory }) =>
      memory === undefined ? [] : [[whole(size), whole(memory), `< ${MAX_MEMORY}`, verdict(memory < MAX_MEMORY)]],
    ),
  ]);
}
