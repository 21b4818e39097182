import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { Tables } from '../../storage/tables.ts';
import { CHANNELS, type Channel } from '../kernel/channels.ts';
import { computeChannelLive, type LiveState } from './capacity.ts';

/** Only the maximum number of chats is configurable per operator. */
const CALL_OR_VIDEO_SLOTS = 1;

const channel = z
  .object({
    enabled: z.boolean().meta({ description: 'Whether the channel is enabled for the operator.' }),
    slotNumber: z.int().meta({ description: 'Slots in use.' }),
    slotMaxNumber: z.int().meta({ description: 'Maximum number of slots.' }),
    busy: z.boolean().meta({ description: 'Whether the operator has no capacity for another conversation.' }),
    available: z.boolean().meta({ description: 'Whether the operator has set themselves available on this channel.' }),
  })
  .meta({ id: 'ChannelLive', description: 'Live state of an operator on one channel.' });

export const liveSchema = z
  .object({
    id: z.int().meta({ description: 'Operator identifier.' }),
    connected: z.boolean().meta({ description: 'Whether the operator has a lease that has not ended.' }),
    chat: channel,
    call: channel,
    video: channel,
  })
  .meta({ id: 'OperatorLive', description: 'The live state of an operator.' });
export type OperatorLive = z.output<typeof liveSchema>;

const flag = z.boolean({ error: 'must be 1 (available) or 0 (unavailable)' });
const channelUpdate = z
  .strictObject(
    { available: flag.meta({ description: '1 is available, 0 is unavailable.' }) },
    { error: 'must be an object with available' },
  )
  .meta({ id: 'ChannelUpdate', description: 'The availability flag of one channel.' });

const CONNECTED_RULE = 'must be 0 (offline)';

export const liveUpdate = z
  .strictObject({
    chat: channelUpdate.optional(),
    call: channelUpdate.optional(),
    video: channelUpdate.optional(),
    connected: z
      .literal(false, { error: CONNECTED_RULE })
      .optional()
      .meta({ description: '0 takes the operator offline.' }),
  })
  .meta({ id: 'LiveUpdate', description: 'Requires at least one field. Applies all changes or none.' });
export type LiveUpdate = z.output<typeof liveUpdate>;

export type LiveRow = Selectable<Tables['operatorLive']>;

/** Computed with the database's clock. */
export interface Presence {
  readonly connected: boolean;
  readonly inGrace: boolean;
}

export function computePresence(row: Pick<LiveRow, 'leaseUntil' | 'routableUntil'>, now: number): Presence {
  const connected = row.leaseUntil > now;
  return { connected, inGrace: connected && row.routableUntil <= now };
}

type StateColumns = Pick<
  LiveRow,
  'chatAndCall' | 'chatMaxNumber' | `${Channel}Enabled` | `${Channel}Available` | `${Channel}Slots`
>;

/** Converts a row of the live state or of its history. */
export function toLiveState(row: StateColumns, { connected, inGrace }: Presence): LiveState {
  const toChannelState = (name: Channel) => ({
    enabled: row[`${name}Enabled`] === 1,
    available: row[`${name}Available`] === 1,
    slots: row[`${name}Slots`],
    maximum: name === 'chat' ? row.chatMaxNumber : CALL_OR_VIDEO_SLOTS,
  });
  return {
    connected,
    inGrace,
    chatAndCall: row.chatAndCall === 1,
    chat: toChannelState('chat'),
    call: toChannelState('call'),
    video: toChannelState('video'),
  };
}

/** Null while the operator is available on a channel: then they do not take a pause. */
export function computePauseReason({ pauseReason }: Pick<LiveRow, 'pauseReason'>, state: LiveState): string | null {
  return CHANNELS.some((name) => state[name].enabled && state[name].available) ? null : pauseReason;
}

/** The live state as clients see it. */
export function toOperatorLive(id: number, state: LiveState): OperatorLive {
  const [chat, call, video] = CHANNELS.map((name) => ({
    enabled: state[name].enabled,
    slotNumber: state[name].slots,
    slotMaxNumber: state[name].maximum,
    busy: computeChannelLive(state, name).busy,
    available: state[name].available,
  })) as [OperatorLive['chat'], OperatorLive['call'], OperatorLive['video']];
  return { id, connected: state.connected, chat, call, video };
}
