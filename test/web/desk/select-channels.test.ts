import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectLive } from '../../../web/desk/state/select-channels.ts';
import { createFields, createState, toTime, VIEWER } from './states.ts';

const running = (id: string) => createFields(id);
const offered = (id: string) => createFields(id, { state: 'OFFERED', acceptedAt: null, offerUntil: toTime(1) });
const closed = (id: string) => createFields(id, { state: 'CLOSED', closedAt: toTime(2) });
const foreign = (id: string) => createFields(id, { operator: { id: '8', pseudo: 'Bo' } });

test('running conversations and offers of the viewer use slots; closed ones and those of others do not', () => {
  const { chat, call } = selectLive(createState([running('1'), offered('2'), closed('3'), foreign('4')]));
  assert.deepEqual([chat.slotNumber, chat.busy, chat.routable, chat.blockedBy], [2, false, true, []]);
  assert.equal(call.slotNumber, 0);
});

test('with all slots in use the viewer is busy, and no longer with one less', () => {
  const full = ['1', '2', '3', '4'].map(running);
  const { chat } = selectLive(createState(full));
  assert.deepEqual([chat.slotNumber, chat.busy, chat.routable, chat.blockedBy], [4, true, false, ['SLOTS_FULL']]);
  const freed = selectLive(createState(full.slice(1))).chat;
  assert.deepEqual([freed.slotNumber, freed.busy, freed.routable, freed.blockedBy], [3, false, true, []]);
});

test('what one channel blocks of the others follows from the slots, whatever an event said last', () => {
  const call = createFields('9', { channel: 'CALL' });
  const blocked = (state: ReturnType<typeof createState>) => {
    const { chat, call, video } = selectLive(state);
    return { chat: chat.blockedBy, call: call.blockedBy, video: video.blockedBy };
  };
  assert.deepEqual(blocked(createState([running('1')])), { chat: [], call: ['ON_CHAT'], video: [] });
  assert.deepEqual(blocked(createState([call])), { chat: ['ON_CALL'], call: [], video: ['ON_CALL'] });
  assert.deepEqual(blocked(withViewer(createState([running('1')]), { chatAndCall: true })).call, []);
  assert.deepEqual(blocked(withViewer(createState([call]), { chatAndCall: true })).chat, []);

  // The event came while an offer was open, and none comes at its end.
  const { live } = VIEWER;
  const late = { ...live, call: { ...live.call, busy: true, routable: false, blockedBy: ['ON_CHAT' as const] } };
  const ended = selectLive(withViewer(createState([]), { live: late }));
  assert.deepEqual([ended.call.blockedBy, ended.call.busy, ended.call.routable], [[], false, true]);
});

function withViewer(state: ReturnType<typeof createState>, changes: Partial<typeof VIEWER>) {
  return { ...state, viewer: { ...state.viewer, ...changes } };
}

test('it is the same object until the slots or the live state change, whatever the messages', () => {
  const state = createState([running('1')]);
  const { conversations } = createState([createFields('1', { messageCount: 3 })]);
  assert.equal(selectLive(state), selectLive({ ...state, conversations }));
  const { viewer } = state;
  const paused = { ...state, viewer: { ...viewer, live: { ...viewer.live, pauseReason: 'Lunch' } } };
  assert.equal(selectLive(paused).pauseReason, 'Lunch');
});
