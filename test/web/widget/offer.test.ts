import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeOffer } from '../../../web/widget/loader/describe-offer.ts';
import { canAnswerSurvey, canAttach, chooseView } from '../../../web/widget/panel/state/view.ts';
import { findOffer } from '../../../web/widget/settings.ts';
import { createConversation, createOpenState, createOutgoing, createSettings } from './states.ts';

const CHANNEL = { channel: 'CHAT', isAvailable: false };
const NOW = new Date('2026-01-02T18:00:00');

test('the launcher shows what is on offer now, and nothing without an offer', () => {
  const describe = (changes: Parameters<typeof createSettings>[0]) => {
    const offer = describeOffer(createSettings(changes), NOW, 'de');
    return offer && [offer.lamp, offer.title, offer.detail];
  };
  const opensAt = new Date('2026-01-03T09:00:00').toISOString();
  const closed = { isOpen: false, opensAt, channels: [CHANNEL] };
  assert.deepEqual(describe({}), ['available', 'Questions?', 'We are here']);
  assert.deepEqual(describe({ channels: [CHANNEL], whenUnavailable: 'QUEUE' }), [
    ...['busy', 'Questions?', 'All operators are busy'],
  ]);
  assert.deepEqual(describe({ channels: [CHANNEL] }), [
    ...['offline', 'Leave a message', 'No operator is available at the moment.'],
  ]);
  assert.match(describe(closed)?.join() ?? '', /^offline,Leave a message,Back morgen um 0?9:00$/);
  assert.deepEqual(describe({ ...closed, whenUnavailable: 'QUEUE' })?.[1], 'Leave a message');
  assert.equal(describe({ channels: [CHANNEL], whenUnavailable: 'HIDDEN' }), undefined);
  assert.equal(describe({ channels: [] }), undefined);
});

test('calls and video calls are not on offer', () => {
  const channels = ['CALL', 'VIDEO'].map((channel) => ({ channel, isAvailable: true }));
  assert.equal(findOffer(createSettings({ channels })), 'nothing');
});

test('without a conversation, the view follows the settings and what is on offer', () => {
  const view = (settings: Parameters<typeof createSettings>[0], changes = {}) =>
    chooseView(createOpenState({ conversation: undefined, settings: createSettings(settings), ...changes }));
  const preChat = { name: 'OPTIONAL', email: 'OFF', question: 'OFF', consent: 'OFF' } as const;
  assert.equal(view({}), 'greeting');
  assert.equal(view({ preChat }), 'form');
  assert.equal(view({ preChat, channels: [CHANNEL] }), 'leave');
  assert.equal(view({ preChat, channels: [CHANNEL] }, { page: 'form' }), 'form');
  assert.equal(view({}, { isLoading: true }), 'loading');
  assert.equal(view({ preChat }, { outbox: [createOutgoing('m-1')] }), 'chat');
  assert.equal(view({}, { page: 'left' }), 'left');
});

test('the survey is offered once, after a conversation that an operator accepted', () => {
  const can = (changes: object, settings = {}) =>
    canAnswerSurvey(createOpenState({ conversation: createConversation(changes), settings: createSettings(settings) }));
  const ended = { state: 'CLOSED', acceptedAt: '2026-01-02T10:00:00Z' };
  assert.equal(can(ended), true);
  assert.equal(can({ ...ended, acceptedAt: null }), false);
  assert.equal(can({ ...ended, state: 'ACTIVE' }), false);
  assert.equal(can({ ...ended, satisfaction: { at: '' } }), false);
  assert.equal(can(ended, { survey: false }), false);
});

test('files can be attached while the conversation is open, if the website allows it', () => {
  assert.equal(canAttach(createOpenState()), true);
  assert.equal(canAttach(createOpenState({ conversation: createConversation({ state: 'CLOSED' }) })), false);
  assert.equal(canAttach(createOpenState({ conversation: undefined })), false);
  assert.equal(canAttach(createOpenState({ settings: createSettings({ attachments: false }) })), false);
});
