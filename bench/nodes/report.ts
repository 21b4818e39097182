import { availableParallelism } from 'node:os';
import type { ProcessorTime } from '../processor-time.ts';
import { ms, section, whole } from '../tables.ts';
import { ACCOUNTS, SIZE } from './cases.ts';
import type { NodesResult, SetupResult } from './measure.ts';

/** All figures of several nodes, with the embedded database beside them. */
export function printNodes({ setups, roundTrips, postgres, syncedPerSecond }: NodesResult): void {
  const [embedded] = setups;
  const titles = embedded?.ratios.map(({ title }) => title) ?? [];
  section(`PostgreSQL: ${whole(SIZE)} operators in each of ${ACCOUNTS} accounts, load spread evenly over the nodes`, [
    [
      ...['case', 'database', 'requests/s', 'of a bare server', 'of embedded', 'p50 ms', 'p99 ms'],
      ...['µs of nodes', 'µs of PostgreSQL', 'round trips', 'processors'],
    ],
    ...titles.flatMap((title, index) =>
      setups.flatMap((setup) => {
        const row = setup.ratios[index];
        const reference = embedded?.ratios[index];
        if (!row || !reference) return [];
        return [
          [
            ...[setup === embedded ? title : '', nameOf(setup), whole(row.servicePerSecond), row.ratio.toFixed(3)],
            ...[(row.ratio / reference.ratio).toFixed(2), ms(row.serviceMedianMs), ms(row.serviceP99Ms)],
            ...microseconds(setup, row.processorTime),
            setup.nodes === undefined ? '' : String(roundTrips[title] ?? ''),
            processors(setup, row.processorTime, row.servicePerSecond, row.generatorBusyWithService),
          ],
        ];
      }),
    ),
  ]);
  section('Conversations: started, assigned, accepted, 4 messages, closed, end to end by GraphQL', [
    [
      ...[
        'at once',
        'database',
        'conversations/s',
        'requests/s',
        'of a bare server',
        'of embedded',
        'p50 ms',
        'p99 ms',
      ],
      ...['µs of nodes', 'µs of PostgreSQL', 'processors'],
    ],
    ...(embedded?.engine?.runs ?? []).flatMap(({ atOnce, requestsPerSecond }, index) =>
      setups.flatMap((setup) => {
        const { runs = [], barePerSecond = 1, generatorBusy = 0 } = setup.engine ?? {};
        const run = runs[index];
        const share = requestsPerSecond / (embedded?.engine?.barePerSecond ?? 1);
        if (!run) return [];
        const ratio = run.requestsPerSecond / barePerSecond;
        return [
          [
            ...[setup === embedded ? whole(atOnce) : '', nameOf(setup), run.conversationsPerSecond.toFixed(1)],
            ...[whole(run.requestsPerSecond), ratio.toFixed(3), (ratio / share).toFixed(2)],
            ...[ms(run.medianMs), ms(run.p99Ms), ...microseconds(setup, run.processorTime)],
            processors(setup, run.processorTime, run.requestsPerSecond, generatorBusy),
          ],
        ];
      }),
    ),
  ]);
  section('What the databases do by themselves, in a second', [
    ['what', 'number'],
    ['PostgreSQL: round trips on one connection (select 1, prepared)', whole(postgres.tripsPerSecond)],
    ...postgres.commitsPerSecond.map(({ connections, perSecond }) => [
      `PostgreSQL: rows, each synced to the disk, connections: ${connections}`,
      whole(perSecond),
    ]),
    ['SQLite: rows, each synced to the disk before the next', whole(syncedPerSecond)],
  ]);
  console.log(
    `\nµs: processor time of one request, in all nodes and in all of PostgreSQL. Processors: how many were busy, in nodes + PostgreSQL + load generator, of ${availableParallelism()}; the rest is waiting.\n` +
      'Round trips: how often a request waits for the database. Of embedded: both as shares of a bare server. p50 and p99 of conversations are of whole ones.',
  );
  if (process.platform !== 'linux') console.log('This system does not tell the processor time of others.');
}

function nameOf({ nodes }: SetupResult): string {
  if (nodes === undefined) return 'embedded';
  return nodes === 1 ? '1 node' : `${nodes} nodes`;
}

function microseconds({ nodes }: SetupResult, time: ProcessorTime | undefined): string[] {
  if (!time) return ['', ''];
  return [whole(time.nodes), nodes === undefined ? '' : whole(time.postgres)];
}

function processors(
  { nodes }: SetupResult,
  time: ProcessorTime | undefined,
  perSecond: number,
  generatorBusy: number,
): string {
  if (!time) return '';
  const used = [time.nodes, ...(nodes === undefined ? [] : [time.postgres])].map((each) => (each * perSecond) / 1e6);
  return [...used, generatorBusy].map((share) => share.toFixed(2)).join(' + ');
}
