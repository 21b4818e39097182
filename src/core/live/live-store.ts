import { isDeepStrictEqual } from 'node:util';
import { type Expression, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Changes, Transaction } from '../../storage/database.ts';
import { type Fact, prepare, preparePerShape } from '../../storage/prepared-statement.ts';
import type { Tables } from '../../storage/tables.ts';
import { announce } from '../events/announce.ts';
import type { AccountContext, ActorContext } from '../kernel/caller.ts';
import { CHANNELS, type Channel, perChannel } from '../kernel/channels.ts';
import { computePresence, type LiveRow, type LiveUpdate, type Presence } from './live.ts';
import { formatLiveChange } from './live-change.ts';
import { appendLiveHistory, findLastChangeTime, type LiveHistoryEntry } from './live-history.ts';
import { INITIAL_COLUMNS, type LiveSettings, toSettingsColumns } from './live-settings.ts';
import { buildRoutableCondition } from './routable.ts';

// The only writer of the table `operator_live`.

interface OperatorKey {
  readonly accountId: number;
  readonly operatorId: number;
}

/** The key, or its placeholders in a prepared statement. */
type OperatorKeyExpressions = { readonly [name in keyof OperatorKey]: number | Expression<number> };

interface OperatorChannel {
  readonly operatorId: number;
  readonly channel: Channel;
}

/** What reads of an operator's live state depend on. */
export const liveFact = (operatorId: number): Fact => `live state of ${operatorId}`;

const LIVE_WRITE = { writes: ({ operatorId }: OperatorKey) => [liveFact(operatorId)] };

function updateRow(db: Kysely<Tables>, { accountId, operatorId }: OperatorKeyExpressions) {
  return db
    .updateTable('operatorLive as live')
    .where('live.accountId', '=', accountId)
    .where('live.operatorId', '=', operatorId);
}

/** Updates columns that are part of the live state. Call `recordVersion` afterwards. */
function updateWithVersion(db: Kysely<Tables>, key: OperatorKeyExpressions) {
  return updateRow(db, key).set((eb) => ({ version: eb('version', '+', 1) }));
}

/** Writes the history of a new version, and its event unless the caller announces a more specific one. */
function recordVersion(
  tx: Transaction,
  context: ActorContext,
  { event, ...entry }: LiveHistoryEntry & { readonly event?: readonly [type: `operator.${string}`, changes?: Changes] },
): void {
  appendLiveHistory(tx, context, entry);
  if (event) announce(tx, context, event[0], entry.operatorId, event[1]);
}

export const findLiveRow = prepare<OperatorKey, LiveRow>(
  (db, { accountId, operatorId }) =>
    db.selectFrom('operatorLive').selectAll().where('accountId', '=', accountId).where('operatorId', '=', operatorId),
  { reads: ({ operatorId }) => [liveFact(operatorId)] },
);

const insertLive = prepare<LiveRow>((db, row) => db.insertInto('operatorLive').values(row));
const updateSettingsColumns = prepare<OperatorKey & ReturnType<typeof toSettingsColumns>>(
  (db, { accountId, operatorId, ...columns }) => updateWithVersion(db, { accountId, operatorId }).set(columns),
);

export function createLive(
  tx: Transaction,
  context: ActorContext,
  operator: LiveSettings & { readonly id: number },
): void {
  const { accountId } = context;
  tx.send(insertLive, { accountId, operatorId: operator.id, ...INITIAL_COLUMNS, ...toSettingsColumns(operator) });
  recordVersion(tx, context, { operatorId: operator.id, kind: 'settings' });
}

/** Writes the settings, unless only other fields of the operator changed, such as the name. */
export function updateLiveSettings(
  tx: Transaction,
  context: ActorContext,
  { operatorId, before, after }: { operatorId: number; before: LiveSettings; after: LiveSettings },
): void {
  const columns = toSettingsColumns(after);
  if (isDeepStrictEqual(columns, toSettingsColumns(before))) return;
  tx.send(updateSettingsColumns, { accountId: context.accountId, operatorId, ...columns });
  recordVersion(tx, context, { operatorId, kind: 'settings' });
}

/** The live history is retained. */
export async function deleteLive(tx: Transaction, { accountId }: AccountContext, operatorId: number): Promise<void> {
  await tx.db
    .deleteFrom('operatorLive')
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .execute();
}

export async function recordFirstLogin(
  tx: Transaction,
  { accountId }: AccountContext,
  { operatorId, at = tx.now }: { operatorId: number; at?: number },
): Promise<void> {
  await updateRow(tx.db, { accountId, operatorId })
    .set({ firstLoginAt: at })
    .where('firstLoginAt', 'is', null)
    .execute();
}

function prepareClaimSlot(channel: Channel, condition: RawBuilder<SqlBool>) {
  return prepare<OperatorKey & { readonly now: number }, { version: number }>(
    (db, { now, ...key }) =>
      updateWithVersion(db, key)
        .set((eb) => ({ [`${channel}Slots`]: eb(`${channel}Slots`, '+', 1), assignedAt: now }))
        .where(condition)
        .returning('version'),
    LIVE_WRITE,
  );
}

const claimRoutableSlot = perChannel((channel) => prepareClaimSlot(channel, buildRoutableCondition(channel)));
const claimSlotForced = perChannel((channel) => prepareClaimSlot(channel, sql`1 = 1`));
/** Claims a slot for a video escalated from a chat. The operator requested it, so `video_available` is ignored. */
const claimEscalationSlot = prepareClaimSlot(
  'video',
  sql`(live.chat_to_video = 1 and live.video_enabled = 1 and live.video_slots < 1 and live.call_slots = 0
    and live.chat_slots > 0 and live.lease_until > now_ms())`,
);
const decrementSlots = perChannel((channel) =>
  prepare<OperatorKey>(
    (db, key) =>
      updateWithVersion(db, key)
        .set((eb) => ({ [`${channel}Slots`]: eb(`${channel}Slots`, '-', 1) }))
        .where(`${channel}Slots`, '>', 0),
    LIVE_WRITE,
  ),
);

/** Checks and claims a slot of an operator in one statement. Returns false if no slot was claimed. */
export async function claimSlot(
  tx: Transaction,
  context: ActorContext,
  {
    operatorId,
    channel,
    mode = 'within capacity',
  }: OperatorChannel & { mode?: 'within capacity' | 'forced' | 'escalation' },
): Promise<boolean> {
  const statement =
    mode === 'forced'
      ? claimSlotForced[channel]
      : mode === 'escalation'
        ? claimEscalationSlot
        : claimRoutableSlot[channel];
  const [row] = await tx.run(statement, { accountId: context.accountId, operatorId, now: tx.now });
  const reason = mode === 'within capacity' ? channel : `${channel} ${mode}`;
  if (row) recordVersion(tx, context, { operatorId, kind: 'slot_taken', reason });
  return row !== undefined;
}

/** Slots cannot be null: the database refuses the whole change if the operator turns out not to be routable. */
const takeSlotOrFail = perChannel((channel) =>
  prepare<OperatorKey & { readonly now: number }>(
    (db, { now, ...key }) =>
      updateWithVersion(db, key).set((eb) => ({
        [`${channel}Slots`]: sql`case when ${buildRoutableCondition(channel, now)} then ${eb.ref(`${channel}Slots`)} + 1 end`,
        assignedAt: now,
      })),
    LIVE_WRITE,
  ),
);

/** Takes a slot of an operator who was read in this transaction as routable, without waiting. */
export function takeSlot(tx: Transaction, context: ActorContext, { operatorId, channel }: OperatorChannel): void {
  tx.send(takeSlotOrFail[channel], { accountId: context.accountId, operatorId, now: tx.now });
  recordVersion(tx, context, { operatorId, kind: 'slot_taken', reason: channel });
}

/** Does nothing if there is no slot to release. */
export function releaseSlot(tx: Transaction, context: ActorContext, { operatorId, channel }: OperatorChannel): void {
  tx.send(decrementSlots[channel], { accountId: context.accountId, operatorId });
  recordVersion(tx, context, { operatorId, kind: 'slot_freed', reason: channel });
}

type AvailabilityFlags = Partial<Record<`${Channel}Available`, number>>;

type FlagArguments = OperatorKey & { readonly [column: string]: number | string | null };

/** Setting a channel's availability also resets its missed offers. `columns` names the arguments. */
const prepareSetFlags = preparePerShape(
  ({ channels }: { channels: readonly Channel[]; columns: readonly string[] }) => {
    const missedResets = Object.fromEntries(channels.map((channel) => [`${channel}Missed`, 0]));
    return prepare<FlagArguments>(
      (db, { accountId, operatorId, ...columns }) =>
        updateWithVersion(db, { accountId, operatorId }).set({ ...columns, ...missedResets }),
      LIVE_WRITE,
    );
  },
);

export interface AvailabilityUpdate {
  readonly operatorId: number;
  readonly update: Pick<LiveUpdate, Channel>;
  /** Flags that already have the requested value are not recorded; a missing flag counts as changed. */
  readonly currentFlags?: (AvailabilityFlags & { readonly pauseReason?: string | null }) | undefined;
  readonly reason?: string;
  /** Why the operator takes a pause; undefined changes nothing. Ends when a channel is turned on. */
  readonly pauseReason?: string | null | undefined;
}

/** Returns the flags that changed. */
export function setAvailability(
  tx: Transaction,
  context: ActorContext,
  { operatorId, update, currentFlags = {}, reason, pauseReason }: AvailabilityUpdate,
): AvailabilityFlags {
  const channels = CHANNELS.filter((channel) => update[channel] !== undefined);
  const flags = channels.map((channel) => [`${channel}Available`, Number(update[channel]?.available)] as const);
  const changedFlags = flags.filter(([name, value]) => currentFlags[name] !== value);
  const pause = flags.some(([, value]) => value === 1) ? null : pauseReason;
  const pauseColumn = pause === undefined ? {} : { pauseReason: pause };
  const changedPause = pause === (currentFlags.pauseReason ?? null) ? {} : pauseColumn;
  if (changedFlags.length === 0 && Object.keys(changedPause).length === 0) return {};
  const change = formatLiveChange({ by: context.actor, at: tx.now, reason: reason ?? null });
  const changes = changedFlags.map(([name]) => [name.replace('Available', 'Changed'), change]);
  const columns = { ...Object.fromEntries([...flags, ...changes]), ...pauseColumn };
  const statement = prepareSetFlags({ channels, columns: Object.keys(columns) });
  tx.send(statement, { accountId: context.accountId, operatorId, ...columns });
  const changedValues = {
    ...Object.fromEntries(changedFlags.map(([name, value]) => [name, value === 1])),
    ...changedPause,
  };
  const reasonValue = reason === undefined ? {} : { reason };
  const fields = Object.keys(changedValues);
  const event = ['operator.availability_updated', { fields, values: { ...changedValues, ...reasonValue } }] as const;
  recordVersion(tx, context, { operatorId, kind: 'availability', ...reasonValue, event });
  return Object.fromEntries(changedFlags);
}

const incrementMissed = perChannel((channel) =>
  prepare<OperatorKey, { missed: number; available: number }>((db, key) =>
    updateRow(db, key)
      .set((eb) => ({ [`${channel}Missed`]: eb(`${channel}Missed`, '+', 1) }))
      .returning([`${channel}Missed as missed`, `${channel}Available as available`]),
  ),
);
const resetMissed = perChannel((channel) =>
  prepare<OperatorKey>(
    (db, key) =>
      updateRow(db, key)
        .set({ [`${channel}Missed`]: 0 })
        .where(`${channel}Missed`, '>', 0),
    LIVE_WRITE,
  ),
);

/** Counts an offer that timed out. An operator who misses `maxMissed` offers in a row becomes unavailable. */
export async function countMissedOffer(
  tx: Transaction,
  context: ActorContext,
  { operatorId, channel, maxMissed }: OperatorChannel & { readonly maxMissed: number },
): Promise<void> {
  const [row] = await tx.run(incrementMissed[channel], { accountId: context.accountId, operatorId });
  if (!row || row.missed < maxMissed || row.available === 0) return;
  setAvailability(tx, context, { operatorId, update: { [channel]: { available: false } }, reason: 'missed_offers' });
}

export function resetMissedOffers(
  tx: Transaction,
  { accountId }: AccountContext,
  { operatorId, channel }: OperatorChannel,
): void {
  tx.send(resetMissed[channel], { accountId, operatorId });
}

/** The longest lease counts. One in its grace period keeps the operator connected, but not routable. */
const updateLeaseEnds = prepare<OperatorKey, LiveRow>((db, args) => ({
  compile: () =>
    sql<LiveRow>`update operator_live set
      lease_until = coalesce((select max(expires_at) from operator_leases l where l.account_id = operator_live.account_id and l.operator_id = operator_live.operator_id), 0),
      routable_until = coalesce((select max(expires_at) from operator_leases l where l.account_id = operator_live.account_id and l.operator_id = operator_live.operator_id and l.in_grace = 0), 0)
      where account_id = ${args.accountId} and operator_id = ${args.operatorId} returning *`.compile(db),
}));
const updatePresence = prepare<OperatorKey & { readonly lostAt: number | null }>((db, { lostAt, ...key }) =>
  updateWithVersion(db, key).set({ lostAt }),
);

/** An operator's presence before and after a change of leases. */
export interface PresenceChange {
  readonly before: Presence;
  readonly after: Presence;
  /** The row before the change. */
  readonly row: LiveRow;
}

/** Recomputes presence after the leases changed. The caller records a difference with `recordPresence`. */
export async function recountPresence(
  tx: Transaction,
  { accountId }: AccountContext,
  row: LiveRow,
): Promise<PresenceChange> {
  const [updated] = await tx.run(updateLeaseEnds, { accountId, operatorId: row.operatorId });
  // An expired lease counts as connected until its end is announced; the columns are set to zero then.
  const before = { connected: row.leaseUntil > 0, inGrace: row.leaseUntil > 0 && row.routableUntil === 0 };
  return { row, before, after: computePresence(updated as LiveRow, tx.now) };
}

export type DisconnectReason = 'signed_off' | 'taken_offline' | 'lease_ended';

/**
 * Records a change of presence and returns its kind. `lostAt` is the time since which active conversations have had no
 * connected operator.
 */
export async function recordPresence(
  tx: Transaction,
  context: ActorContext,
  {
    before,
    after,
    row,
    disconnectReason,
    lostAt,
  }: PresenceChange & { disconnectReason: DisconnectReason; lostAt: number | null },
): Promise<'connected' | 'disconnected' | 'in_grace' | 'returned'> {
  const { operatorId, leaseUntil } = row;
  tx.send(updatePresence, { accountId: context.accountId, operatorId, lostAt });
  if (!after.connected) {
    // An expired lease is recorded at its expiry, however late it is noticed, but not before the last recorded change.
    const endedEarlier = disconnectReason === 'lease_ended' && leaseUntil > 0 && leaseUntil < tx.now;
    const at = endedEarlier ? Math.max(leaseUntil, await findLastChangeTime(tx, context, operatorId)) : tx.now;
    const event = ['operator.disconnected', { fields: ['connected'], values: { reason: disconnectReason } }] as const;
    recordVersion(tx, context, { operatorId, kind: 'disconnected', reason: disconnectReason, at, event });
    return 'disconnected';
  }
  if (!before.connected && !after.inGrace) {
    recordVersion(tx, context, { operatorId, kind: 'connected', event: ['operator.connected'] });
    return 'connected';
  }
  const kind = after.inGrace ? 'in_grace' : 'returned';
  const { inGrace } = after;
  const event = ['operator.availability_updated', { fields: ['inGrace'], values: { inGrace } }] as const;
  recordVersion(tx, context, { operatorId, kind, event });
  return kind;
}

/** While this is set, only an explicit connect brings the operator back online. */
export async function setKeptOffline(
  tx: Transaction,
  { accountId, actor }: ActorContext,
  { operatorId, keptOffline }: { operatorId: number; keptOffline: boolean },
): Promise<void> {
  const flag = Number(keptOffline);
  const takenOffline = keptOffline ? formatLiveChange({ by: actor, at: tx.now, reason: 'taken_offline' }) : null;
  await updateRow(tx.db, { accountId, operatorId })
    .set({ keptOffline: flag, takenOffline })
    .where('keptOffline', '<>', flag)
    .execute();
}

export async function clearLostAt(tx: Transaction, { accountId }: AccountContext, operatorId: number): Promise<void> {
  await updateRow(tx.db, { accountId, operatorId }).set({ lostAt: null }).execute();
}

/** Makes an operator who is about to be deleted unroutable. */
export async function clearPresence(tx: Transaction, { accountId }: AccountContext, operatorId: number): Promise<void> {
  await updateRow(tx.db, { accountId, operatorId }).set({ leaseUntil: 0, routableUntil: 0 }).execute();
}
