import type postgres from 'postgres';
import type { Asked } from '../load/asking.ts';
import type { Following } from '../load/following.ts';
import type { Ledger } from '../load/steady-load.ts';

/** When the database was away, by the clock of the journal. */
export interface Outage {
  /** Its end was begun, and it was really gone. */
  readonly from: number;
  readonly gone: number;
  /** Its return was begun, and it was really back. */
  readonly returning: number;
  readonly to: number;
}

/** What the journal says of an outage, for each kind of request. */
export interface OutageRow {
  readonly kind: string;
  /** Answered before it began. */
  readonly before: number;
  /** Sent and answered within it. */
  readonly during: number;
  readonly unavailable: number;
  readonly partly: number;
  /** Done within it, which cannot be. */
  readonly wronglyDone: number;
  /** Answers of any other kind, at any time. */
  readonly other: number;
  readonly silent: number;
  /** Answers 503 that do not say when to come again. */
  readonly withoutRetryAfter: number;
  /** The longest that anybody waited to hear that it is away, from the sending or from the begin of the outage, whichever was later. */
  readonly slowest: number;
  /** From its end to the last answer that was not a success. */
  readonly recovery: number;
  readonly after: number;
}

export function outageRows(asked: readonly Asked[], { from, gone, returning, to }: Outage): OutageRow[] {
  const rows = [...Map.groupBy(asked, ({ kind }) => kind)].map(([kind, all]) => {
    const answeredAt = ({ sentAt, milliseconds }: Asked) => sentAt + milliseconds;
    const met = all.filter((each) => answeredAt(each) >= from && each.sentAt <= to && !isRefusal(kind, each.outcome));
    const during = all.filter((each) => each.sentAt >= gone && answeredAt(each) <= returning);
    const failed = all.filter(({ outcome }) => outcome !== 'done' && !isRefusal(kind, outcome));
    const count = (list: readonly Asked[], outcome: Asked['outcome']) =>
      list.filter((each) => each.outcome === outcome).length;
    return {
      kind,
      before: all.filter((each) => answeredAt(each) < from).length,
      during: during.length,
      unavailable: count(all, 'unavailable'),
      partly: count(all, 'partly'),
      wronglyDone: during.filter(({ outcome }) => outcome === 'done' || isRefusal(kind, outcome)).length,
      other: all.filter(({ outcome }) => outcome === 'refused' && !isRefusal(kind, outcome)).length,
      silent: count(all, 'silent'),
      withoutRetryAfter: all.filter(({ status, retryAfter }) => status === 503 && !Number(retryAfter)).length,
      slowest: Math.max(
        0,
        ...met
          .filter(({ outcome }) => outcome !== 'done')
          .map((each) => answeredAt(each) - Math.max(each.sentAt, from)),
      ),
      recovery: Math.max(0, ...failed.map((each) => answeredAt(each) - to)),
      after: all.filter((each) => each.sentAt > to).length,
    };
  });
  return rows.sort((a, b) => (a.kind < b.kind ? -1 : 1));
}

/** Half of the logins are of nobody: they are refused when all is well. */
function isRefusal(kind: string, outcome: Asked['outcome']): boolean {
  return kind === 'login' && outcome === 'refused';
}

/** Aligned columns of whatever the rows have. */
export function tableOf(rows: readonly object[]): string {
  const names = Object.keys(rows[0] ?? {});
  const shown = [
    names,
    ...rows.map((row) =>
      Object.values(row).map((value) => (typeof value === 'number' ? String(Math.round(value)) : String(value))),
    ),
  ];
  const widths = names.map((_, column) => Math.max(...shown.map((row) => row[column]?.length ?? 0)));
  return shown
    .map((row) =>
      row
        .map((text, column) => (column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0)))
        .join('  '),
    )
    .join('\n');
}

/** What the clients were promised and the database does not have, or has too often. */
export async function brokenPromises(
  sql: postgres.Sql,
  { registers, skills, messages, wrongReads }: Ledger,
): Promise<string[]> {
  const found = [...wrongReads];
  for (const [id, { acknowledged, unclear }] of registers) {
    const [row] = await sql`select pseudo from operators where account_id = 1 and id = ${id}`;
    if (row?.pseudo !== acknowledged && !unclear.has(row?.pseudo))
      found.push(`operator ${id} is ${row?.pseudo}, acknowledged was ${acknowledged}`);
  }
  const rows = await sql`select name, count(*) as count from skills where account_id = 1 group by name`;
  const counts = new Map(rows.map((row) => [row.name, Number(row.count)]));
  for (const name of skills.acknowledged)
    if (counts.get(name) !== 1) found.push(`${name} is there ${counts.get(name) ?? 0} times`);
  for (const name of skills.unclear) if ((counts.get(name) ?? 0) > 1) found.push(`${name} is there twice`);
  for (const [conversation, sent] of messages) {
    const kept = await sql`
      select client_id from messages where account_id = 1 and conversation_id = ${conversation} and client_id is not null
      order by sequence`;
    const names = kept.map((row) => row.client_id as string).filter((name) => sent.includes(name));
    if (names.join() !== sent.join())
      found.push(`conversation ${conversation} has ${names.length} of ${sent.length} messages, or in another order`);
  }
  return found;
}

/** What a follower of one conversation should have seen, and did not, or saw twice or too early. */
export async function missedBy(
  sql: postgres.Sql,
  { name, seen }: Following,
  conversation: number,
  after: number,
): Promise<string[]> {
  const rows = await sql`
    select position from events
    where account_id = 1 and subject_type = 'conversation' and subject_id = ${conversation} and position > ${after}
    order by position`;
  const [expected, found] = [rows.map((row) => Number(row.position)), seen.map(({ position }) => position)];
  if (expected.join() === found.join()) return [];
  const missing = expected.filter((position) => !found.includes(position));
  const twice = found.filter((position, index) => found.indexOf(position) !== index);
  return [
    `${name} saw ${found.length} of ${expected.length}: missing ${missing.slice(0, 5)}, twice ${twice.slice(0, 5)}`,
  ];
}

/** The same by the clock of a node, for comparison: what lies between is the machine on which both run. */
export function slowestByNode(nodes: readonly { log(): string }[]): number {
  const answers = nodes.flatMap((node) => [...node.log().matchAll(/"status":503,"ms":([\d.]+)/g)]);
  return Math.max(0, ...answers.map(([, milliseconds]) => Number(milliseconds)));
}

export function sum<Row extends object>(rows: readonly Row[], name: keyof Row): number {
  return rows.reduce((total, row) => total + Number(row[name]), 0);
}

export function maximum<Row extends object>(rows: readonly Row[], name: keyof Row): number {
  return Math.max(...rows.map((row) => Number(row[name])));
}
