import type postgres from 'postgres';
import type { EventFollower } from '../load/event-follower.ts';
import type { RequestRecord } from '../load/request-journal.ts';
import type { Ledger } from '../load/steady-load.ts';

/** When the database was down, by the journal's clock. */
export interface Outage {
  /** Start of the shutdown. */
  readonly from: number;
  readonly downAt: number;
  /** Start of the restart. */
  readonly restartedAt: number;
  readonly to: number;
}

/** The journal's summary of an outage for one kind of request. */
export interface OutageRow {
  readonly kind: string;
  /** Completed before the outage. */
  readonly before: number;
  /** Sent and completed during the outage. */
  readonly during: number;
  readonly unavailable: number;
  readonly partial: number;
  /** Succeeded during the outage, which must not happen. */
  readonly unexpectedlyDone: number;
  /** Other responses, at any time. */
  readonly other: number;
  readonly noResponse: number;
  /** Responses with 503 but without Retry-After. */
  readonly withoutRetryAfter: number;
  /** The longest wait for an error, from the request or the start of the outage, whichever was later. */
  readonly slowest: number;
  /** From the end of the outage to the last failed response. */
  readonly recovery: number;
  readonly after: number;
}

export function summarizeOutage(
  records: readonly RequestRecord[],
  { from, downAt, restartedAt, to }: Outage,
): OutageRow[] {
  const rows = [...Map.groupBy(records, ({ kind }) => kind)].map(([kind, recordsOfKind]) => {
    const respondedAt = ({ sentAt, milliseconds }: RequestRecord) => sentAt + milliseconds;
    const overlapping = recordsOfKind.filter(
      (record) => respondedAt(record) >= from && record.sentAt <= to && !isExpectedRejection(kind, record.outcome),
    );
    const during = recordsOfKind.filter((record) => record.sentAt >= downAt && respondedAt(record) <= restartedAt);
    const failed = recordsOfKind.filter(({ outcome }) => outcome !== 'done' && !isExpectedRejection(kind, outcome));
    const count = (list: readonly RequestRecord[], outcome: RequestRecord['outcome']) =>
      list.filter((record) => record.outcome === outcome).length;
    return {
      kind,
      before: recordsOfKind.filter((record) => respondedAt(record) < from).length,
      during: during.length,
      unavailable: count(recordsOfKind, 'unavailable'),
      partial: count(recordsOfKind, 'partial'),
      unexpectedlyDone: during.filter(({ outcome }) => outcome === 'done' || isExpectedRejection(kind, outcome)).length,
      other: recordsOfKind.filter(({ outcome }) => outcome === 'refused' && !isExpectedRejection(kind, outcome)).length,
      noResponse: count(recordsOfKind, 'no response'),
      withoutRetryAfter: recordsOfKind.filter(({ status, retryAfter }) => status === 503 && !Number(retryAfter)).length,
      slowest: Math.max(
        0,
        ...overlapping
          .filter(({ outcome }) => outcome !== 'done')
          .map((record) => respondedAt(record) - Math.max(record.sentAt, from)),
      ),
      recovery: Math.max(0, ...failed.map((record) => respondedAt(record) - to)),
      after: recordsOfKind.filter((record) => record.sentAt > to).length,
    };
  });
  return rows.sort((a, b) => (a.kind < b.kind ? -1 : 1));
}

/** Half of the logins use an unknown e-mail address and are always rejected. */
function isExpectedRejection(kind: string, outcome: RequestRecord['outcome']): boolean {
  return kind === 'login' && outcome === 'refused';
}

/** Aligned columns, one per property. */
export function formatTable(rows: readonly object[]): string {
  const names = Object.keys(rows[0] ?? {});
  const cells = [
    names,
    ...rows.map((row) =>
      Object.values(row).map((value) => (typeof value === 'number' ? String(Math.round(value)) : String(value))),
    ),
  ];
  const widths = names.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((text, column) => (column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0)))
        .join('  '),
    )
    .join('\n');
}

/** Acknowledged writes that the database lost or has more than once. */
export async function findLostWrites(
  sql: postgres.Sql,
  { pseudos, skills, messages, wrongReads }: Ledger,
): Promise<string[]> {
  const problems = [...wrongReads];
  for (const [id, { acknowledged, unconfirmed }] of pseudos) {
    const [row] = await sql`select pseudo from operators where account_id = 1 and id = ${id}`;
    if (row?.pseudo !== acknowledged && !unconfirmed.has(row?.pseudo))
      problems.push(`operator ${id} is ${row?.pseudo}, but was acknowledged as ${acknowledged}`);
  }
  const rows = await sql`select name, count(*) as count from skills where account_id = 1 group by name`;
  const counts = new Map(rows.map((row) => [row.name, Number(row.count)]));
  for (const name of skills.acknowledged)
    if (counts.get(name) !== 1) problems.push(`${name} exists ${counts.get(name) ?? 0} times`);
  for (const name of skills.unconfirmed) if ((counts.get(name) ?? 0) > 1) problems.push(`${name} exists twice`);
  for (const [conversation, sent] of messages) {
    const stored = await sql`
      select client_id from messages where account_id = 1 and conversation_id = ${conversation} and client_id is not null
      order by sequence`;
    const names = stored.map((row) => row.client_id as string).filter((name) => sent.includes(name));
    if (names.join() !== sent.join())
      problems.push(
        `conversation ${conversation} has ${names.length} of ${sent.length} messages, or they are out of order`,
      );
  }
  return problems;
}

/** Events of a conversation that its follower missed, got twice or out of order. */
export async function findMissedEvents(
  sql: postgres.Sql,
  { name, events }: EventFollower,
  conversation: number,
  after: number,
): Promise<string[]> {
  const rows = await sql`
    select position from events
    where account_id = 1 and subject_type = 'conversation' and subject_id = ${conversation} and position > ${after}
    order by position`;
  const [expected, found] = [rows.map((row) => Number(row.position)), events.map(({ position }) => position)];
  if (expected.join() === found.join()) return [];
  const missing = expected.filter((position) => !found.includes(position));
  const twice = found.filter((position, index) => found.indexOf(position) !== index);
  return [
    `${name} saw ${found.length} of ${expected.length}: missing ${missing.slice(0, 5)}, twice ${twice.slice(0, 5)}`,
  ];
}

/**
 * The slowest 503 in the logs of the nodes. The difference from the clients' measurement is the load of the machine,
 * which runs both.
 */
export function findSlowestUnavailableMs(nodes: readonly { log(): string }[]): number {
  const responses = nodes.flatMap((node) => [...node.log().matchAll(/"status":503,"ms":([\d.]+)/g)]);
  return Math.max(0, ...responses.map(([, milliseconds]) => Number(milliseconds)));
}

export function sum<Row extends object>(rows: readonly Row[], name: keyof Row): number {
  return rows.reduce((total, row) => total + Number(row[name]), 0);
}

export function max<Row extends object>(rows: readonly Row[], name: keyof Row): number {
  return Math.max(...rows.map((row) => Number(row[name])));
}
