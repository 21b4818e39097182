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
  /** Answered before the outage. */
  readonly before: number;
  /** Sent and answered during the outage. */
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
  const rows = [...Map.groupBy(records, ({ kind }) => kind)].map(([kind, all]) => {
    const answeredAt = ({ sentAt, milliseconds }: RequestRecord) => sentAt + milliseconds;
    const overlapping = all.filter(
      (each) => answeredAt(each) >= from && each.sentAt <= to && !isExpectedRejection(kind, each.outcome),
    );
    const during = all.filter((each) => each.sentAt >= downAt && answeredAt(each) <= restartedAt);
    const failed = all.filter(({ outcome }) => outcome !== 'done' && !isExpectedRejection(kind, outcome));
    const count = (list: readonly RequestRecord[], outcome: RequestRecord['outcome']) =>
      list.filter((each) => each.outcome === outcome).length;
    return {
      kind,
      before: all.filter((each) => answeredAt(each) < from).length,
      during: during.length,
      unavailable: count(all, 'unavailable'),
      partial: count(all, 'partial'),
      unexpectedlyDone: during.filter(({ outcome }) => outcome === 'done' || isExpectedRejection(kind, outcome)).length,
      other: all.filter(({ outcome }) => outcome === 'refused' && !isExpectedRejection(kind, outcome)).length,
      noResponse: count(all, 'no response'),
      withoutRetryAfter: all.filter(({ status, retryAfter }) => status === 503 && !Number(retryAfter)).length,
      slowest: Math.max(
        0,
        ...overlapping
          .filter(({ outcome }) => outcome !== 'done')
          .map((each) => answeredAt(each) - Math.max(each.sentAt, from)),
      ),
      recovery: Math.max(0, ...failed.map((each) => answeredAt(each) - to)),
      after: all.filter((each) => each.sentAt > to).length,
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
  const found = [...wrongReads];
  for (const [id, { acknowledged, unconfirmed }] of pseudos) {
    const [row] = await sql`select pseudo from operators where account_id = 1 and id = ${id}`;
    if (row?.pseudo !== acknowledged && !unconfirmed.has(row?.pseudo))
      found.push(`operator ${id} is ${row?.pseudo}, but was acknowledged as ${acknowledged}`);
  }
  const rows = await sql`select name, count(*) as count from skills where account_id = 1 group by name`;
  const counts = new Map(rows.map((row) => [row.name, Number(row.count)]));
  for (const name of skills.acknowledged)
    if (counts.get(name) !== 1) found.push(`${name} exists ${counts.get(name) ?? 0} times`);
  for (const name of skills.unconfirmed) if ((counts.get(name) ?? 0) > 1) found.push(`${name} exists twice`);
  for (const [conversation, sent] of messages) {
    const stored = await sql`
      select client_id from messages where account_id = 1 and conversation_id = ${conversation} and client_id is not null
      order by sequence`;
    const names = stored.map((row) => row.client_id as string).filter((name) => sent.includes(name));
    if (names.join() !== sent.join())
      found.push(
        `conversation ${conversation} has ${names.length} of ${sent.length} messages, or they are out of order`,
      );
  }
  return found;
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

/** The slowest 503 by the nodes' own logs, for comparison: the rest is the machine that runs both sides. */
export function slowestUnavailableMs(nodes: readonly { log(): string }[]): number {
  const answers = nodes.flatMap((node) => [...node.log().matchAll(/"status":503,"ms":([\d.]+)/g)]);
  return Math.max(0, ...answers.map(([, milliseconds]) => Number(milliseconds)));
}

export function sum<Row extends object>(rows: readonly Row[], name: keyof Row): number {
  return rows.reduce((total, row) => total + Number(row[name]), 0);
}

export function maximum<Row extends object>(rows: readonly Row[], name: keyof Row): number {
  return Math.max(...rows.map((row) => Number(row[name])));
}
