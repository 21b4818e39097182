import { printSlotChanges } from '../engine/report.ts';
import { formatInteger, printSection, verdict } from '../tables.ts';
import { AVAILABILITY_CLIENTS, CONVERSATIONS_AT_ONCE, type Compared, type GoalsResult } from './measure.ts';
import { DESK_COUNT, WAITING_COUNT } from './memory.ts';

const MIN_RATIO = 0.5;
const MAX_NODE_MS = 1.2;
const MAX_POSTGRES_MS = 0.8;
const MAX_TRIPS = 9;
const MAX_MEMORY_MB = 80;

/** One row for each goal, for `docs/performance.md`. */
export function printGoals(result: GoalsResult): void {
  const { conversations, processorTime, availability, trips, memory, slotChanges } = result;
  const [resident, used] = (['resident', 'used'] as const).map(
    (kind) => (memory.withDesks[kind] - memory.atRest[kind]) / 1e6,
  ) as [number, number];
  printSection('Goals on PostgreSQL: one node, in rounds that alternate with the embedded database', [
    ['work', 'measured', 'goal', '', 'details'],
    [
      `whole conversations against embedded, ${CONVERSATIONS_AT_ONCE} at once`,
      ...formatRatio(conversations, 'conversations/s'),
    ],
    ...(processorTime ? formatProcessorTime(processorTime) : []),
    [
      ...['round trips of start + accept + close', String(trips), `≤ ${MAX_TRIPS}`, verdict(trips <= MAX_TRIPS)],
      'authentication included',
    ],
    [
      `availability changes against embedded, one account, ${AVAILABILITY_CLIENTS} clients`,
      ...formatRatio(availability, 'changes/s'),
    ],
    [
      `memory of ${formatInteger(DESK_COUNT)} desks and ${formatInteger(WAITING_COUNT)} waiting, above that at rest`,
      ...[`${resident.toFixed(0)} MB`, `≤ ${MAX_MEMORY_MB} MB`, verdict(resident <= MAX_MEMORY_MB)],
      `resident; heap and external: ${used.toFixed(0)} MB; resident at rest: ${(memory.atRest.resident / 1e6).toFixed(0)} MB`,
    ],
  ]);
  printSlotChanges(slotChanges);
}

function formatRatio({ ratio, postgres, embedded }: Compared, unit: string): string[] {
  const details = `${formatInteger(postgres)} and ${formatInteger(embedded)} ${unit}`;
  return [ratio.toFixed(2), `≥ ${MIN_RATIO}`, verdict(ratio >= MIN_RATIO), details];
}

function formatProcessorTime({ nodes, postgres }: NonNullable<GoalsResult['processorTime']>): string[][] {
  const toRow = (name: string, microseconds: number, max: number) => {
    const milliseconds = microseconds / 1000;
    const title = `processor time per request of a conversation, ${name}`;
    return [title, `${milliseconds.toFixed(2)} ms`, `≤ ${max} ms`, verdict(milliseconds <= max), ''];
  };
  return [toRow('node', nodes, MAX_NODE_MS), toRow('PostgreSQL', postgres, MAX_POSTGRES_MS)];
}
