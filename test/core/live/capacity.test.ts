import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Channel } from '../../../src/core/kernel/channels.ts';
import { type BlockReason, computeChannelLive, type LiveState } from '../../../src/core/live/capacity.ts';

interface Case {
  readonly title: string;
  readonly chat?: number;
  readonly call?: number;
  readonly video?: number;
  readonly maximum?: number;
  readonly chatAndCall?: boolean;
  readonly expected: Readonly<Record<Channel, readonly BlockReason[]>>;
}

/** An operator who is enabled and available on every channel, with these slots in use. */
function createState({
  chat = 0,
  call = 0,
  video = 0,
  maximum = 3,
  chatAndCall = false,
}: Omit<Case, 'title' | 'expected'>): LiveState {
  const ready = { enabled: true, available: true };
  return {
    connected: true,
    inGrace: false,
    chatAndCall,
    chat: { ...ready, slots: chat, maximum },
    call: { ...ready, slots: call, maximum: 1 },
    video: { ...ready, slots: video, maximum: 1 },
  };
}

const CASES: readonly Case[] = [
  { title: 'no conversations', expected: { chat: [], call: [], video: [] } },
  { title: 'one chat of three', chat: 1, expected: { chat: [], call: ['ON_CHAT'], video: [] } },
  { title: 'one chat, chat and call allowed', chat: 1, chatAndCall: true, expected: { chat: [], call: [], video: [] } },
  { title: 'the maximum of chats', chat: 3, expected: { chat: ['SLOTS_FULL'], call: ['ON_CHAT'], video: [] } },
  {
    title: 'more chats than a lowered maximum',
    chat: 3,
    maximum: 2,
    expected: { chat: ['SLOTS_FULL'], call: ['ON_CHAT'], video: [] },
  },
  { title: 'a call', call: 1, expected: { chat: ['ON_CALL'], call: ['SLOTS_FULL'], video: ['ON_CALL'] } },
  {
    title: 'a call, chat and call allowed',
    call: 1,
    chatAndCall: true,
    expected: { chat: [], call: ['SLOTS_FULL'], video: ['ON_CALL'] },
  },
  {
    title: 'a call and a chat',
    call: 1,
    chat: 1,
    chatAndCall: true,
    expected: { chat: [], call: ['SLOTS_FULL'], video: ['ON_CALL'] },
  },
  { title: 'a video', video: 1, expected: { chat: ['ON_VIDEO'], call: ['ON_VIDEO'], video: ['SLOTS_FULL'] } },
  {
    title: 'a video, chat and call allowed',
    video: 1,
    chatAndCall: true,
    expected: { chat: ['ON_VIDEO'], call: ['ON_VIDEO'], video: ['SLOTS_FULL'] },
  },
  {
    title: 'a video escalated from a chat',
    video: 1,
    chat: 1,
    expected: { chat: ['ON_VIDEO'], call: ['ON_VIDEO', 'ON_CHAT'], video: ['SLOTS_FULL'] },
  },
];

for (const { title, expected, ...slots } of CASES) {
  for (const channel of ['chat', 'call', 'video'] as const) {
    test(`rules 6 and 7: with ${title}, ${channel} is ${expected[channel].length === 0 ? 'free' : `blocked by ${expected[channel].join(', ')}`}`, () => {
      const live = computeChannelLive(createState(slots), channel);
      assert.deepEqual(live.blockedBy, expected[channel]);
      assert.equal(live.busy, expected[channel].length > 0);
      assert.equal(live.routable, expected[channel].length === 0);
    });
  }
}

test('rule 7: offline, in grace, not enabled and not available operators are blocked, but not busy', () => {
  const free = createState({});
  const blocked = computeChannelLive(
    { ...free, connected: false, chat: { ...free.chat, enabled: false, available: false } },
    'chat',
  );
  assert.deepEqual(blocked, { busy: false, routable: false, blockedBy: ['OFFLINE', 'NOT_ENABLED', 'NOT_AVAILABLE'] });
  const inGrace = computeChannelLive({ ...free, inGrace: true }, 'chat');
  assert.deepEqual(inGrace, { busy: false, routable: false, blockedBy: ['IN_GRACE'] });
});
