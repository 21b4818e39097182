import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apply } from '../../../web/desk/state/apply.ts';
import type { DeskChange, DeskEvent } from '../../../web/desk/state/change.ts';
import type { DeskConversation, DeskState } from '../../../web/desk/state/model.ts';
import { selectMine, selectOffers } from '../../../web/desk/state/select-conversations.ts';
import {
  createEvent,
  createFields,
  createMessage,
  createNote,
  createPending,
  createReading,
  createState,
  VIEWER,
} from './states.ts';

const event = (position: number, type: string, changes: Partial<DeskEvent>): DeskChange => ({
  ...{ type: 'event', event: createEvent(position, type, changes), isExpected: false },
});

function run(state: DeskState, ...changes: DeskChange[]): DeskState {
  return changes.reduce(apply, state);
}

function get(state: DeskState, id = '1'): DeskConversation {
  const conversation = state.conversations.get(id);
  assert.ok(conversation);
  return conversation;
}

test('an event that was applied already changes nothing, not even an object', () => {
  const offered = event(5, 'conversation.offered', { conversationId: '1', conversation: createFields('1') });
  const state = apply(createState(), offered);
  assert.equal(apply(state, offered), state);
});

test('what did not change is the same object', () => {
  const state = createState([createFields('1'), createFields('2')]);
  const changed = apply(
    state,
    event(1, 'message.created', {
      conversationId: '1',
      conversation: createFields('1', { messageCount: 1 }),
      message: createMessage(1),
    }),
  );
  assert.equal(get(changed, '2'), get(state, '2'));
  assert.equal(get(changed).visitor, get(state).visitor);
  assert.equal(changed.viewer, state.viewer);
  const refreshed = apply(changed, {
    type: 'refreshed',
    reading: createReading([createFields('1', { messageCount: 1, unreadCount: 1 }), createFields('2')], '1'),
  });
  assert.equal(get(refreshed), get(changed));
  assert.equal(refreshed.viewer, state.viewer);
  assert.equal(selectMine(changed), selectMine(refreshed), 'the list is the same for useSyncExternalStore');
});

test('a message before a gap waits for the missing ones', () => {
  const state = createState([{ ...createFields('1', { messageCount: 1 }), messages: [createMessage(1)] }]);
  const later = event(1, 'message.created', {
    conversationId: '1',
    conversation: createFields('1', { messageCount: 3 }),
    message: createMessage(3),
  });
  const gap = apply(state, later);
  assert.deepEqual([get(gap).messages.length, get(gap).messageCount], [1, 3]);
  const filled = apply(gap, {
    ...{ type: 'messagesRead', conversationId: '1', messages: [createMessage(2), createMessage(3)] },
  });
  assert.deepEqual(
    get(filled).messages.map(({ sequence }) => sequence),
    [1, 2, 3],
  );
  assert.equal(get(filled).unreadCount, 3);
});

test('a conversation that the operator gives away is no loss, one that is taken away is', () => {
  const state = createState([createFields('1'), createFields('2'), createFields('3')]);
  const lost = run(
    state,
    event(1, 'conversation.queued', { conversationId: '1', reason: 'timed_out' }),
    event(2, 'conversation.queued', { conversationId: '2', reason: 'declined' }),
    {
      type: 'event',
      event: createEvent(3, 'conversation.transferred', { conversationId: '3', reason: 'transfer' }),
      isExpected: true,
    },
  );
  assert.equal(lost.conversations.size, 0);
  assert.deepEqual(
    lost.losses.map(({ conversationId, reason }) => [conversationId, reason]),
    [['1', 'timed_out']],
  );
  assert.deepEqual(apply(lost, { type: 'lossForgotten', conversationId: '1' }).losses, []);
  const offered = { conversationId: '1', conversation: createFields('1', { state: 'OFFERED' }) };
  assert.deepEqual(apply(lost, event(4, 'conversation.offered', offered)).losses, [], 'it is here again');
});

test('an answer from before the events adds messages and takes nothing back', () => {
  const closed = apply(
    createState([createFields('1')]),
    event(4, 'conversation.closed', { conversationId: '1', conversation: createFields('1', { state: 'CLOSED' }) }),
  );
  const old = { ...createFields('1', { messageCount: 1, readByVisitorUpTo: 1 }), messages: [createMessage(1)] };
  const merged = apply(closed, {
    ...{ type: 'conversationsRead', position: '3', isOpened: false, conversations: [old, createFields('2')] },
  });
  assert.deepEqual([get(merged).state, get(merged).messages.length, get(merged).readByVisitorUpTo], ['CLOSED', 1, 1]);
  assert.equal(merged.conversations.has('2'), false, 'what was lost meanwhile does not come back');
  const opened = apply(closed, {
    ...{ type: 'conversationsRead', position: '3', isOpened: true, conversations: [createFields('2')] },
  });
  assert.ok(opened.conversations.has('2'), 'but what the operator opens is there');
});

test('a pending message is confirmed by the answer or by the event, whichever is the first', () => {
  const pending = apply(createState([createFields('1')]), {
    ...{ type: 'pendingAdded', conversationId: '1', message: createPending('m-1') },
  });
  const sent = createMessage(1, { clientId: 'm-1', author: 'OPERATOR' });
  const byAnswer = apply(pending, { type: 'messagesRead', conversationId: '1', messages: [sent] });
  const byEvent = apply(
    pending,
    event(1, 'message.created', {
      conversationId: '1',
      conversation: createFields('1', { messageCount: 1 }),
      message: sent,
    }),
  );
  for (const state of [byAnswer, byEvent]) {
    assert.deepEqual([get(state).pending, get(state).messages], [[], [sent]]);
    const late = apply(state, { type: 'pendingAdded', conversationId: '1', message: createPending('m-1') });
    assert.equal(late, state, 'the outbox of another tab has it still');
  }
});

test('a note confirms a note and not a message with the same identifier', () => {
  const state = run(
    createState([createFields('1')]),
    { type: 'pendingAdded', conversationId: '1', message: createPending('n-1') },
    { type: 'noteAdded', conversationId: '1', note: createNote('1', { clientId: 'n-1' }) },
  );
  assert.equal(get(state).pending.length, 1);
});

test('what was refused keeps its reason until it is sent again', () => {
  const state = run(
    createState([createFields('1')]),
    { type: 'pendingAdded', conversationId: '1', message: createPending('m-1') },
    { type: 'pendingFailed', conversationId: '1', clientId: 'm-1', failure: 'text.too_long' },
  );
  assert.equal(get(state).pending[0]?.failure, 'text.too_long');
  const again = apply(state, { type: 'pendingFailed', conversationId: '1', clientId: 'm-1', failure: null });
  assert.equal(get(again).pending[0]?.failure, null);
  const gone = apply(again, { type: 'pendingRemoved', conversationId: '1', clientId: 'm-1' });
  assert.deepEqual(get(gone).pending, []);
});

test('signals move markers forward only, and show who types until they write or leave', () => {
  const signal = (
    kind: string,
    upTo: number | null = null,
    author: 'VISITOR' | 'OPERATOR' = 'VISITOR',
  ): DeskChange => ({
    ...{ type: 'signal', signal: { kind, conversationId: '1', author, upTo, at: VIEWER.id }, now: 1000 },
  });
  const messages = [createMessage(1), createMessage(2)];
  const state = createState([{ ...createFields('1', { messageCount: 2, unreadCount: 2 }), messages }]);
  const seen = run(state, signal('READ', 2), signal('READ', 1), signal('READ', 1, 'OPERATOR'));
  assert.deepEqual([get(seen).readByVisitorUpTo, get(seen).unreadCount], [2, 1]);
  assert.equal(get(apply(seen, { type: 'seen', conversationId: '1', upTo: 9 })).readByOperatorUpTo, 2);
  const typing = apply(state, signal('TYPING'));
  assert.ok(get(typing).visitorTypingUntil > 1000);
  assert.equal(get(apply(typing, signal('VISITOR_LEFT'))).visitorTypingUntil, 0);
  const written = event(1, 'message.created', {
    ...{ conversationId: '1', conversation: createFields('1', { messageCount: 3 }), message: createMessage(3) },
  });
  assert.equal(get(apply(typing, written)).visitorTypingUntil, 0);
});

test('a conversation of another operator is opened and not listed as own', () => {
  const foreign = createFields('9', { operator: { id: '8', pseudo: 'Ben' } });
  const state = createState([foreign, createFields('1'), createFields('2', { state: 'OFFERED' })]);
  assert.deepEqual(
    selectMine(state).map(({ id }) => id),
    ['1'],
  );
  assert.deepEqual(
    selectOffers(state).map(({ id }) => id),
    ['2'],
  );
});
