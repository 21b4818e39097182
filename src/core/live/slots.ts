import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Transaction } from '../../storage/database.ts';
import { hotStatement } from '../../storage/prepared-statement.ts';
import type { ActorContext } from '../kernel/caller.ts';
import { type Channel, perChannel } from '../kernel/channels.ts';
import type { LiveRow } from './live.ts';
import { keepLiveHistory } from './live-history.ts';
import { isRoutable } from './routable.ts';

interface SlotArguments {
  readonly accountId: number;
  readonly operatorId: number;
  readonly now: number;
}

function takeSlot(channel: Channel, condition: RawBuilder<SqlBool>) {
  return hotStatement<SlotArguments, { version: number }>((db, { accountId, operatorId, now }) =>
    db
      .updateTable('operatorLive as live')
      .set((eb) => ({
        [`${channel}Slots`]: eb(`${channel}Slots`, '+', 1),
        version: eb('version', '+', 1),
        assignedAt: now,
      }))
      .where('live.accountId', '=', accountId)
      .where('live.operatorId', '=', operatorId)
      .where(condition)
      .returning('version'),
  );
}

const claim = perChannel((channel) => takeSlot(channel, isRoutable(channel)));
const force = perChannel((channel) => takeSlot(channel, sql`1 = 1`));
/** A video beside the chat from which it comes: whoever chats has decided, so the wish for videos is not asked. */
const escalate = takeSlot(
  'video',
  sql`(live.chat_to_video = 1 and live.video_enabled = 1 and live.video_slots < 1 and live.call_slots = 0
    and live.chat_slots > 0 and live.lease_until > now_ms())`,
);
const free = perChannel((channel) =>
  hotStatement<Omit<SlotArguments, 'now'>, LiveRow>((db, { accountId, operatorId }) =>
    db
      .updateTable('operatorLive')
      .set((eb) => ({ [`${channel}Slots`]: eb(`${channel}Slots`, '-', 1), version: eb('version', '+', 1) }))
      .where('accountId', '=', accountId)
      .where('operatorId', '=', operatorId)
      .where(`${channel}Slots`, '>', 0)
      .returningAll(),
  ),
);

export type Claim = 'within capacity' | 'forced' | 'escalation';

/** Takes a slot of an operator, in one step that tests and claims; false when nothing could be taken. */
export async function claimSlot(
  tx: Transaction,
  by: ActorContext,
  { operatorId, channel }: { operatorId: number; channel: Channel },
  how: Claim = 'within capacity',
): Promise<boolean> {
  const statement = how === 'forced' ? force[channel] : how === 'escalation' ? escalate : claim[channel];
  const [taken] = await tx.run(statement, { accountId: by.accountId, operatorId, now: tx.now });
  if (!taken) return false;
  await keepLiveHistory(tx, by, operatorId, {
    kind: 'slot_taken',
    reason: how === 'within capacity' ? channel : `${channel} ${how}`,
  });
  return true;
}

/** Answers with what is true of the operator now. */
export async function freeSlot(
  tx: Transaction,
  by: ActorContext,
  { operatorId, channel }: { operatorId: number; channel: Channel },
): Promise<LiveRow | undefined> {
  const [freed] = await tx.run(free[channel], { accountId: by.accountId, operatorId });
  if (freed) await keepLiveHistory(tx, by, operatorId, { kind: 'slot_freed', reason: channel });
  return freed;
}
