import { isDeepStrictEqual } from 'node:util';
import { type Expression, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Changes, Transaction } from '../../storage/database.ts';
import { prepare, statementPerShape } from '../../storage/prepared-statement.ts';
import type { Tables } from '../../storage/tables.ts';
import { announce } from '../events/announce.ts';
import type { AccountContext, ActorContext } from '../kernel/caller.ts';
import { CHANNELS, type Channel, perChannel } from '../kernel/channels.ts';
import { type LiveRow, type LiveUpdate, type Presence, presenceAt } from './live.ts';
import { type HistoryEntry, keepLiveHistory, lastChangeAt } from './live-history.ts';
import { FRESH_COLUMNS, type LiveSettings, settingsColumns } from './live-settings.ts';
import { isRoutable } from './routable.ts';

// The only writer of the table `operator_live`.

interface OneOperator {
  readonly accountId: number;
  readonly operatorId: number;
}

/** The same, or its placeholders in a prepared statement. */
type RowKey = { readonly [name in keyof OneOperator]: number | Expression<number> };

interface OneChannel {
  readonly operatorId: number;
  readonly channel: Channel;
}

function updateRow(db: Kysely<Tables>, { accountId, operatorId }: RowKey) {
  return db
    .updateTable('operatorLive as live')
    .where('live.accountId', '=', accountId)
    .where('live.operatorId', '=', operatorId);
}

/** The update of what a read of the live state shows; `record` follows it. */
function updateVersion(db: Kysely<Tables>, one: RowKey) {
  return updateRow(db, one).set((eb) => ({ version: eb('version', '+', 1) }));
}

/** What comes with every new version: its history, and its event unless the caller announces more than that. */
function record(
  tx: Transaction,
  context: ActorContext,
  { event, ...entry }: HistoryEntry & { readonly event?: readonly [type: `operator.${string}`, changes?: Changes] },
): void {
  keepLiveHistory(tx, context, entry);
  if (event) announce(tx, context, event[0], entry.operatorId, event[1]);
}

export const findLiveRow = prepare<OneOperator, LiveRow>((db, { accountId, operatorId }) =>
  db.selectFrom('operatorLive').selectAll().where('accountId', '=', accountId).where('operatorId', '=', operatorId),
);

const insertLive = prepare<LiveRow>((db, row) => db.insertInto('operatorLive').values(row));
const updateSettings = prepare<OneOperator & ReturnType<typeof settingsColumns>>(
  (db, { accountId, operatorId, ...columns }) => updateVersion(db, { accountId, operatorId }).set(columns),
);

export function createLive(
  tx: Transaction,
  context: ActorContext,
  operator: LiveSettings & { readonly id: number },
): void {
  const { accountId } = context;
  tx.send(insertLive, { accountId, operatorId: operator.id, ...FRESH_COLUMNS, ...settingsColumns(operator) });
  record(tx, context, { operatorId: operator.id, kind: 'settings' });
}

/** Leaves no trace where only other fields of the operator differ, such as a name. */
export function changeSettings(
  tx: Transaction,
  context: ActorContext,
  { operatorId, before, after }: { operatorId: number; before: LiveSettings; after: LiveSettings },
): void {
  const columns = settingsColumns(after);
  if (isDeepStrictEqual(columns, settingsColumns(before))) return;
  tx.send(updateSettings, { accountId: context.accountId, operatorId, ...columns });
  record(tx, context, { operatorId, kind: 'settings' });
}

/** The history stays. */
export async function deleteLive(tx: Transaction, { accountId }: AccountContext, operatorId: number): Promise<void> {
  await tx.db
    .deleteFrom('operatorLive')
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .execute();
}

export async function noteFirstLogin(
  tx: Transaction,
  { accountId }: AccountContext,
  { operatorId, at = tx.now }: { operatorId: number; at?: number },
): Promise<void> {
  await updateRow(tx.db, { accountId, operatorId })
    .set({ firstLoginAt: at })
    .where('firstLoginAt', 'is', null)
    .execute();
}

function takeSlot(channel: Channel, condition: RawBuilder<SqlBool>) {
  return prepare<OneOperator & { readonly now: number }, { version: number }>((db, { now, ...one }) =>
    updateVersion(db, one)
      .set((eb) => ({ [`${channel}Slots`]: eb(`${channel}Slots`, '+', 1), assignedAt: now }))
      .where(condition)
      .returning('version'),
  );
}

const takeFree = perChannel((channel) => takeSlot(channel, isRoutable(channel)));
const takeAny = perChannel((channel) => takeSlot(channel, sql`1 = 1`));
/** A video beside the chat from which it comes. The operator asked for it, so their availability for videos does not count. */
const takeBesideChat = takeSlot(
  'video',
  sql`(live.chat_to_video = 1 and live.video_enabled = 1 and live.video_slots < 1 and live.call_slots = 0
    and live.chat_slots > 0 and live.lease_until > now_ms())`,
);
const freeSlot = perChannel((channel) =>
  prepare<OneOperator, LiveRow>((db, one) =>
    updateVersion(db, one)
      .set((eb) => ({ [`${channel}Slots`]: eb(`${channel}Slots`, '-', 1) }))
      .where(`${channel}Slots`, '>', 0)
      .returningAll(),
  ),
);

/** Takes a slot of an operator, in one step that tests and claims; false when nothing could be taken. */
export async function claimSlot(
  tx: Transaction,
  context: ActorContext,
  { operatorId, channel, how = 'within capacity' }: OneChannel & { how?: 'within capacity' | 'forced' | 'escalation' },
): Promise<boolean> {
  const statement = how === 'forced' ? takeAny[channel] : how === 'escalation' ? takeBesideChat : takeFree[channel];
  const [taken] = await tx.run(statement, { accountId: context.accountId, operatorId, now: tx.now });
  const reason = how === 'within capacity' ? channel : `${channel} ${how}`;
  if (taken) record(tx, context, { operatorId, kind: 'slot_taken', reason });
  return taken !== undefined;
}

/** Returns the row as it is now; undefined when there was no slot to release. */
export async function releaseSlot(
  tx: Transaction,
  context: ActorContext,
  { operatorId, channel }: OneChannel,
): Promise<LiveRow | undefined> {
  const [freed] = await tx.run(freeSlot[channel], { accountId: context.accountId, operatorId });
  if (freed) record(tx, context, { operatorId, kind: 'slot_freed', reason: channel });
  return freed;
}

type Flags = Partial<Record<`${Channel}Available`, number>>;

type FlagArguments = OneOperator & { readonly [flag: `${string}Available`]: number };

/** Setting a channel's availability also resets its missed offers. */
const setFlagsOf = statementPerShape((channels: readonly Channel[]) => {
  const forgiven = Object.fromEntries(channels.map((channel) => [`${channel}Missed`, 0]));
  return prepare<FlagArguments>((db, { accountId, operatorId, ...flags }) =>
    updateVersion(db, { accountId, operatorId }).set({ ...flags, ...forgiven }),
  );
});

export interface WantedAvailability {
  readonly operatorId: number;
  readonly wanted: Pick<LiveUpdate, Channel>;
  /** The flags as they are, so that what changes nothing leaves no trace; one that is not given counts as changed. */
  readonly present?: Flags | undefined;
  readonly reason?: string;
}

/** Returns the flags that changed. */
export function setAvailability(
  tx: Transaction,
  context: ActorContext,
  { operatorId, wanted, present = {}, reason }: WantedAvailability,
): Flags {
  const channels = CHANNELS.filter((channel) => wanted[channel] !== undefined);
  const flags = channels.map((channel) => [`${channel}Available`, Number(wanted[channel]?.available)] as const);
  const changed = flags.filter(([name, value]) => present[name] !== value);
  if (changed.length === 0) return {};
  tx.send(setFlagsOf(channels), { accountId: context.accountId, operatorId, ...Object.fromEntries(flags) });
  const why = reason === undefined ? {} : { reason };
  const values = { ...Object.fromEntries(changed.map(([name, value]) => [name, value === 1])), ...why };
  const event = ['operator.availability_updated', { fields: changed.map(([name]) => name), values }] as const;
  record(tx, context, { operatorId, kind: 'availability', ...why, event });
  return Object.fromEntries(changed);
}

const countMissed = perChannel((channel) =>
  prepare<OneOperator, { missed: number; available: number }>((db, one) =>
    updateRow(db, one)
      .set((eb) => ({ [`${channel}Missed`]: eb(`${channel}Missed`, '+', 1) }))
      .returning([`${channel}Missed as missed`, `${channel}Available as available`]),
  ),
);
const forgetMissed = perChannel((channel) =>
  prepare<OneOperator>((db, one) =>
    updateRow(db, one)
      .set({ [`${channel}Missed`]: 0 })
      .where(`${channel}Missed`, '>', 0),
  ),
);

/** Counts an offer that timed out. An operator who misses `most` in a row becomes unavailable. */
export async function countMissedOffer(
  tx: Transaction,
  context: ActorContext,
  { operatorId, channel, most }: OneChannel & { readonly most: number },
): Promise<void> {
  const [row] = await tx.run(countMissed[channel], { accountId: context.accountId, operatorId });
  if (!row || row.missed < most || row.available === 0) return;
  setAvailability(tx, context, { operatorId, wanted: { [channel]: { available: false } }, reason: 'missed_offers' });
}

export function forgetMissedOffers(
  tx: Transaction,
  { accountId }: AccountContext,
  { operatorId, channel }: OneChannel,
): void {
  tx.send(forgetMissed[channel], { accountId, operatorId });
}

/** The last lease decides. One in its grace keeps the operator connected, but routing gives them nothing. */
const recount = prepare<OneOperator, LiveRow>((db, given) => ({
  compile: () =>
    sql<LiveRow>`update operator_live set
      lease_until = coalesce((select max(expires_at) from operator_leases l where l.account_id = operator_live.account_id and l.operator_id = operator_live.operator_id), 0),
      routable_until = coalesce((select max(expires_at) from operator_leases l where l.account_id = operator_live.account_id and l.operator_id = operator_live.operator_id and l.in_grace = 0), 0)
      where account_id = ${given.accountId} and operator_id = ${given.operatorId} returning *`.compile(db),
}));
const updatePresence = prepare<OneOperator & { readonly lostAt: number | null }>((db, { lostAt, ...one }) =>
  updateVersion(db, one).set({ lostAt }),
);

/** What the leases said before and say now. */
export interface PresenceChange {
  readonly before: Presence;
  readonly after: Presence;
  /** The row as it was before. */
  readonly row: LiveRow;
}

/** After the leases have changed: what they say now, beside what the row said before. A difference is recorded next. */
export async function recountPresence(
  tx: Transaction,
  { accountId }: AccountContext,
  row: LiveRow,
): Promise<PresenceChange> {
  const [now] = await tx.run(recount, { accountId, operatorId: row.operatorId });
  // What ended by time is still there for everybody else until it is announced, and announced is what is not zero.
  const before = { connected: row.leaseUntil > 0, inGrace: row.leaseUntil > 0 && row.routableUntil === 0 };
  return { row, before, after: presenceAt(now as LiveRow, tx.now) };
}

/** Why an operator went offline. */
export type Departure = 'signed_off' | 'taken_offline' | 'lease_ended';

/** Returns what the change is. `lostAt` says since when running conversations are without their operator. */
export async function recordPresence(
  tx: Transaction,
  context: ActorContext,
  { before, after, row, departure, lostAt }: PresenceChange & { departure: Departure; lostAt: number | null },
): Promise<'connected' | 'disconnected' | 'in_grace' | 'returned'> {
  const { operatorId, leaseUntil } = row;
  tx.send(updatePresence, { accountId: context.accountId, operatorId, lostAt });
  if (!after.connected) {
    // A session that ended by time ended then, however late it is noticed; but the history goes forward.
    const endedEarlier = departure === 'lease_ended' && leaseUntil > 0 && leaseUntil < tx.now;
    const at = endedEarlier ? Math.max(leaseUntil, await lastChangeAt(tx, context, operatorId)) : tx.now;
    const event = ['operator.disconnected', { fields: ['connected'], values: { reason: departure } }] as const;
    record(tx, context, { operatorId, kind: 'disconnected', reason: departure, at, event });
    return 'disconnected';
  }
  if (!before.connected && !after.inGrace) {
    record(tx, context, { operatorId, kind: 'connected', event: ['operator.connected'] });
    return 'connected';
  }
  const kind = after.inGrace ? 'in_grace' : 'returned';
  const { inGrace } = after;
  const event = ['operator.availability_updated', { fields: ['inGrace'], values: { inGrace } }] as const;
  record(tx, context, { operatorId, kind, event });
  return kind;
}

/** While it holds, only an explicit connect of the operator returns them. */
export async function setKeptOffline(
  tx: Transaction,
  { accountId }: AccountContext,
  { operatorId, keptOffline }: { operatorId: number; keptOffline: boolean },
): Promise<void> {
  const flag = Number(keptOffline);
  await updateRow(tx.db, { accountId, operatorId })
    .set({ keptOffline: flag })
    .where('keptOffline', '<>', flag)
    .execute();
}

export async function clearLost(tx: Transaction, { accountId }: AccountContext, operatorId: number): Promise<void> {
  await updateRow(tx.db, { accountId, operatorId }).set({ lostAt: null }).execute();
}

/** For an operator who is about to be deleted: from now on routing gives them nothing. */
export async function clearPresence(tx: Transaction, { accountId }: AccountContext, operatorId: number): Promise<void> {
  await updateRow(tx.db, { accountId, operatorId }).set({ leaseUntil: 0, routableUntil: 0 }).execute();
}
