import type { SizeResult } from './measure.ts';
import { formatInteger, formatMs, printSection, verdict } from './tables.ts';

const MAX_SLOWDOWN = 1.5;
const MAX_MEMORY_MB = 200;

/** Prints all figures with their goals. */
export function printReport(results: readonly SizeResult[]): void {
  printSection('Requests per second, as a share of a bare node:http server that sends the same bytes', [
    ['operators', 'case', 'share', 'goal', '', 'service/s', 'bare/s', 'p99 ms', 'generator busy'],
    ...results.flatMap(({ size, ratios }) =>
      ratios.map((row) => [
        formatInteger(size),
        row.title,
        row.ratio.toFixed(3),
        row.goal === undefined ? '' : `≥ ${row.goal.toFixed(2)}`,
        row.goal === undefined ? '' : verdict(row.ratio >= row.goal),
        formatInteger(row.servicePerSecond),
        formatInteger(row.barePerSecond),
        formatMs(row.serviceP99Ms),
        `${Math.round(row.generatorUtilization * 100)} %`,
      ]),
    ),
  ]);
  printSection('GraphQL: compiled queries compared with plain graphql-js execution, over HTTP', [
    ['operators', 'case', 'speedup', 'goal', ''],
    ...results.flatMap(({ size, ratios }) =>
      ratios.flatMap(({ title, speedup }) =>
        speedup
          ? [
              [
                formatInteger(size),
                title,
                speedup.factor.toFixed(2),
                speedup.goal === undefined ? '' : `≥ ${speedup.goal}`,
                speedup.goal === undefined ? '' : verdict(speedup.factor >= speedup.goal),
              ],
            ]
          : [],
      ),
    ),
  ]);
  printSection('Logins (dominated by password hashing)', [
    ['operators', 'ms per login', 'logins/s'],
    ...results.flatMap(({ size, login }) =>
      login ? [[formatInteger(size), formatMs(login.medianMs), login.perSecond.toFixed(1)]] : [],
    ),
  ]);
  printSection('First pages, one request at a time', [
    ['operators', 'filter', 'matches', 'ms', 'ms at 1,000', 'slowdown', 'goal', ''],
    ...results.flatMap(({ size, pages }) =>
      pages.map(({ title, rows, medianMs, reference }) => [
        formatInteger(size),
        title,
        formatInteger(rows),
        formatMs(medianMs),
        ...(reference
          ? [
              formatMs(reference.medianMs),
              reference.slowdown.toFixed(2),
              `≤ ${MAX_SLOWDOWN}`,
              verdict(reference.slowdown <= MAX_SLOWDOWN),
            ]
          : ['', '', '', '']),
      ]),
    ),
  ]);
  printSection('Reads without an index, and concurrent single reads', [
    ['operators', 'read', 'ms', 'timed out', 'single read p99 ms', 'p99 ms without slow reads'],
    ...results.flatMap(({ size, slow }) =>
      (slow?.reads ?? []).map((row) => [
        formatInteger(size),
        row.title,
        formatMs(row.medianMs),
        `${row.timedOut} of ${row.requests}`,
        formatMs(row.singleP99Ms),
        formatMs(slow?.idleP99Ms ?? 0),
      ]),
    ),
  ]);
  printSection('Memory of the service after the load', [
    ['operators', 'MB', 'goal', ''],
    ...results.flatMap(({ size, memory }) =>
      memory === undefined
        ? []
        : [[formatInteger(size), formatInteger(memory), `< ${MAX_MEMORY_MB}`, verdict(memory < MAX_MEMORY_MB)]],
    ),
  ]);
}
