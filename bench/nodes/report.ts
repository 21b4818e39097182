import { availableParallelism } from 'node:os';
import type { ProcessorTime } from '../processor-time.ts';
import { formatInteger, formatMs, printSection } from '../tables.ts';
import { ACCOUNT_COUNT, OPERATORS_PER_ACCOUNT } from './cases.ts';
import type { NodesResult, SetupResult } from './measure.ts';

/** Prints all figures of several nodes, with the embedded database for comparison. */
export function printNodes({ setups, roundTrips, postgres, syncedPerSecond }: NodesResult): void {
  const [embedded] = setups;
  const titles = embedded?.ratios.map(({ title }) => title) ?? [];
  printSection(
    `PostgreSQL: ${formatInteger(OPERATORS_PER_ACCOUNT)} operators in each of ${ACCOUNT_COUNT} accounts, load spread evenly over the nodes`,
    [
      [
        ...['case', 'database', 'requests/s', 'share of a bare server', 'relative to embedded', 'p50 ms', 'p99 ms'],
        ...['µs in nodes', 'µs in PostgreSQL', 'round trips', 'processors'],
      ],
      ...titles.flatMap((title, index) =>
        setups.flatMap((setup) => {
          const row = setup.ratios[index];
          const reference = embedded?.ratios[index];
          if (!row || !reference) return [];
          return [
            [
              ...[
                setup === embedded ? title : '',
                nameOf(setup),
                formatInteger(row.servicePerSecond),
                row.ratio.toFixed(3),
              ],
              ...[(row.ratio / reference.ratio).toFixed(2), formatMs(row.serviceMedianMs), formatMs(row.serviceP99Ms)],
              ...formatProcessorTime(setup, row.processorTime),
              setup.nodes === undefined ? '' : String(roundTrips[title] ?? ''),
              formatProcessors(setup, row.processorTime, row.servicePerSecond, row.generatorUtilizationWithService),
            ],
          ];
        }),
      ),
    ],
  );
  printSection('Conversations: started, assigned, accepted, 4 messages, closed, end to end over GraphQL', [
    [
      ...[
        'concurrent',
        'database',
        'conversations/s',
        'requests/s',
        'share of a bare server',
        'relative to embedded',
        'p50 ms',
        'p99 ms',
      ],
      ...['µs in nodes', 'µs in PostgreSQL', 'processors'],
    ],
    ...(embedded?.engine?.runs ?? []).flatMap(({ atOnce, requestsPerSecond }, index) =>
      setups.flatMap((setup) => {
        const { runs = [], barePerSecond = 1, generatorUtilization = 0 } = setup.engine ?? {};
        const run = runs[index];
        const share = requestsPerSecond / (embedded?.engine?.barePerSecond ?? 1);
        if (!run) return [];
        const ratio = run.requestsPerSecond / barePerSecond;
        return [
          [
            ...[setup === embedded ? formatInteger(atOnce) : '', nameOf(setup), run.conversationsPerSecond.toFixed(1)],
            ...[formatInteger(run.requestsPerSecond), ratio.toFixed(3), (ratio / share).toFixed(2)],
            ...[formatMs(run.medianMs), formatMs(run.p99Ms), ...formatProcessorTime(setup, run.processorTime)],
            formatProcessors(setup, run.processorTime, run.requestsPerSecond, generatorUtilization),
          ],
        ];
      }),
    ),
  ]);
  printSection('The databases alone, per second', [
    ['operation', 'per second'],
    ['PostgreSQL: round trips on one connection (select 1, prepared)', formatInteger(postgres.tripsPerSecond)],
    ...postgres.commitsPerSecond.map(({ connections, perSecond }) => [
      `PostgreSQL: rows, each synced to disk, connections: ${connections}`,
      formatInteger(perSecond),
    ]),
    ['SQLite: rows, each synced to disk before the next', formatInteger(syncedPerSecond)],
  ]);
  console.log(
    `\nµs: processor time per request, in all nodes and in PostgreSQL. Processors: busy processors in nodes + PostgreSQL + load generator, of ${availableParallelism()}; the rest is waiting.\n` +
      'Round trips: how often a request waits for the database. Relative to embedded: the ratio of both shares of a bare server. p50 and p99 of conversations are from start to close.',
  );
  if (process.platform !== 'linux') console.log('This system does not report the processor time of other processes.');
}

function nameOf({ nodes }: SetupResult): string {
  if (nodes === undefined) return 'embedded';
  return nodes === 1 ? '1 node' : `${nodes} nodes`;
}

function formatProcessorTime({ nodes }: SetupResult, time: ProcessorTime | undefined): string[] {
  if (!time) return ['', ''];
  return [formatInteger(time.nodes), nodes === undefined ? '' : formatInteger(time.postgres)];
}

function formatProcessors(
  { nodes }: SetupResult,
  time: ProcessorTime | undefined,
  perSecond: number,
  generatorUtilization: number,
): string {
  if (!time) return '';
  const used = [time.nodes, ...(nodes === undefined ? [] : [time.postgres])].map((each) => (each * perSecond) / 1e6);
  return [...used, generatorUtilization].map((share) => share.toFixed(2)).join(' + ');
}
