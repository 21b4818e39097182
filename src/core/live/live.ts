import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { Tables } from '../../storage/tables.ts';
import { CHANNELS, type Channel } from '../kernel/channels.ts';
import { channelLive, type LiveState } from './capacity.ts';

/** Calls and videos come one at a time; only chats have a maximum of the operator's own. */
const ONE_AT_A_TIME = 1;

const channel = z
  .object({
    enabled: z.boolean().meta({ description: 'Whether the operator can process this channel.' }),
    slotNumber: z.int().meta({ description: 'Slots in use.' }),
    slotMaxNumber: z.int().meta({ description: 'Slots at most.' }),
    busy: z.boolean().meta({ description: 'No further conversation fits.' }),
    available: z.boolean().meta({ description: 'The flag as it was set.' }),
  })
  .meta({ id: 'ChannelLive', description: 'Live state of an operator on one channel.' });

export const liveSchema = z
  .object({
    id: z.int().meta({ description: 'Operator identifier.' }),
    connected: z.boolean().meta({ description: 'Whether the operator has a session that has not ended.' }),
    chat: channel,
    call: channel,
    video: channel,
  })
  .meta({ id: 'OperatorLive', description: 'Live availability of an operator.' });
export type OperatorLive = z.output<typeof liveSchema>;

const flag = z.boolean({ error: 'must be 1 (available) or 0 (unavailable)' });
const channelUpdate = z
  .strictObject(
    { available: flag.meta({ description: '1 is available, 0 is unavailable.' }) },
    { error: 'must be an object with available' },
  )
  .meta({ id: 'ChannelUpdate', description: 'The flag of one channel.' });

const ONLY_ZERO = 'must be 0 (offline), the only possible value';

export const liveUpdate = z
  .strictObject({
    chat: channelUpdate.optional(),
    call: channelUpdate.optional(),
    video: channelUpdate.optional(),
    connected: z.literal(false, { error: ONLY_ZERO }).optional().meta({ description: '0 takes the operator offline.' }),
  })
  .meta({ id: 'LiveUpdate', description: 'At least one field; all are set together or none.' });
export type LiveUpdate = z.output<typeof liveUpdate>;

export type LiveRow = Selectable<Tables['operatorLive']>;

/** Whether somebody is there, as the database's clock says it. */
export interface Presence {
  readonly connected: boolean;
  readonly inGrace: boolean;
}

export function presenceAt(row: Pick<LiveRow, 'leaseUntil' | 'routableUntil'>, now: number): Presence {
  const connected = row.leaseUntil > now;
  return { connected, inGrace: connected && row.routableUntil <= now };
}

type StateColumns = Pick<
  LiveRow,
  'chatAndCall' | 'chatMaxNumber' | `${Channel}Enabled` | `${Channel}Available` | `${Channel}Slots`
>;

/** What decides, from a row of the present or of the history. */
export function liveState(row: StateColumns, { connected, inGrace }: Presence): LiveState {
  const state = (name: Channel) => ({
    enabled: row[`${name}Enabled`] === 1,
    available: row[`${name}Available`] === 1,
    slots: row[`${name}Slots`],
    maximum: name === 'chat' ? row.chatMaxNumber : ONE_AT_A_TIME,
  });
  return {
    connected,
    inGrace,
    chatAndCall: row.chatAndCall === 1,
    chat: state('chat'),
    call: state('call'),
    video: state('video'),
  };
}

/** What a read of the live state shows. */
export function operatorLive(id: number, state: LiveState): OperatorLive {
  const [chat, call, video] = CHANNELS.map((name) => ({
    enabled: state[name].enabled,
    slotNumber: state[name].slots,
    slotMaxNumber: state[name].maximum,
    busy: channelLive(state, name).busy,
    available: state[name].available,
  })) as [OperatorLive['chat'], OperatorLive['call'], OperatorLive['video']];
  return { id, connected: state.connected, chat, call, video };
}
