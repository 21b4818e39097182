import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Channel } from '../../../src/core/kernel/channels.ts';
import { type BlockReason, channelLive, type LiveState } from '../../../src/core/live/capacity.ts';

interface Case {
  readonly title: string;
  readonly chat?: number;
  readonly call?: number;
  readonly video?: number;
  readonly most?: number;
  readonly both?: boolean;
  readonly expected: Readonly<Record<Channel, readonly BlockReason[]>>;
}

/** An operator who can do everything and wants everything, with these slots in use. */
function state({ chat = 0, call = 0, video = 0, most = 3, both = false }: Omit<Case, 'title' | 'expected'>): LiveState {
  const open = { enabled: true, available: true };
  return {
    connected: true,
    inGrace: false,
    chatAndCall: both,
    chat: { ...open, slots: chat, maximum: most },
    call: { ...open, slots: call, maximum: 1 },
    video: { ...open, slots: video, maximum: 1 },
  };
}

const CASES: readonly Case[] = [
  { title: 'nothing to do', expected: { chat: [], call: [], video: [] } },
  { title: 'one chat of three', chat: 1, expected: { chat: [], call: ['ON_CHAT'], video: [] } },
  { title: 'one chat, does both', chat: 1, both: true, expected: { chat: [], call: [], video: [] } },
  { title: 'all chats', chat: 3, expected: { chat: ['SLOTS_FULL'], call: ['ON_CHAT'], video: [] } },
  {
    title: 'more chats than a lowered maximum',
    chat: 3,
    most: 2,
    expected: { chat: ['SLOTS_FULL'], call: ['ON_CHAT'], video: [] },
  },
  { title: 'a call', call: 1, expected: { chat: ['ON_CALL'], call: ['SLOTS_FULL'], video: ['ON_CALL'] } },
  { title: 'a call, does both', call: 1, both: true, expected: { chat: [], call: ['SLOTS_FULL'], video: ['ON_CALL'] } },
  {
    title: 'a call and a chat',
    call: 1,
    chat: 1,
    both: true,
    expected: { chat: [], call: ['SLOTS_FULL'], video: ['ON_CALL'] },
  },
  { title: 'a video', video: 1, expected: { chat: ['ON_VIDEO'], call: ['ON_VIDEO'], video: ['SLOTS_FULL'] } },
  {
    title: 'a video, does both',
    video: 1,
    both: true,
    expected: { chat: ['ON_VIDEO'], call: ['ON_VIDEO'], video: ['SLOTS_FULL'] },
  },
  {
    title: 'a video that came from a chat',
    video: 1,
    chat: 1,
    expected: { chat: ['ON_VIDEO'], call: ['ON_VIDEO', 'ON_CHAT'], video: ['SLOTS_FULL'] },
  },
];

for (const { title, expected, ...slots } of CASES) {
  for (const channel of ['chat', 'call', 'video'] as const) {
    test(`rules 6 and 7: with ${title}, ${channel} is ${expected[channel].length === 0 ? 'free' : `blocked by ${expected[channel].join(', ')}`}`, () => {
      const live = channelLive(state(slots), channel);
      assert.deepEqual(live.blockedBy, expected[channel]);
      assert.equal(live.busy, expected[channel].length > 0);
      assert.equal(live.routable, expected[channel].length === 0);
    });
  }
}

test('rule 7: offline, in grace, not enabled and not available block, but are not busy', () => {
  const free = state({});
  const blocked = channelLive(
    { ...free, connected: false, chat: { ...free.chat, enabled: false, available: false } },
    'chat',
  );
  assert.deepEqual(blocked, { busy: false, routable: false, blockedBy: ['OFFLINE', 'NOT_ENABLED', 'NOT_AVAILABLE'] });
  const inGrace = channelLive({ ...free, inGrace: true }, 'chat');
  assert.deepEqual(inGrace, { busy: false, routable: false, blockedBy: ['IN_GRACE'] });
});
