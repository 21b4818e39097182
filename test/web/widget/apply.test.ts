import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { apply, type ConversationChange } from '../../../web/widget/panel/conversation/apply.ts';
import { countUnread, findLastSeen } from '../../../web/widget/panel/state/messages.ts';
import { createConversation, createMessage, createOpenState, createOutgoing } from './states.ts';

const receive = (messages: readonly ReturnType<typeof createMessage>[], changes = {}): ConversationChange => ({
  ...{ type: 'received', conversation: createConversation(changes), messages },
});

test('messages that arrive twice and in any order are shown once and in their order', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }), (sequences) => {
      const state = sequences.reduce(
        (present, sequence) => apply(present, receive([createMessage(sequence)])),
        createOpenState(),
      );
      assert.deepEqual(
        state.messages.map(({ sequence }) => sequence),
        [...new Set(sequences)].sort((first, second) => first - second),
      );
    }),
  );
});

test('a message waits until it is confirmed, by the answer or by the event, whichever is first', () => {
  const queued = apply(createOpenState(), { type: 'queued', message: createOutgoing('m-1') });
  assert.deepEqual(
    queued.outbox.map(({ clientId }) => clientId),
    ['m-1'],
  );
  const confirmed = apply(queued, receive([createMessage(1, { clientId: 'm-1' })]));
  assert.deepEqual([confirmed.outbox, confirmed.messages.length], [[], 1]);
  const answered = apply(confirmed, { type: 'sent', clientId: 'm-1' });
  assert.equal(answered.messages.length, 1);
});

test('what the network did not take is sent again with the connection, what was refused only on demand', () => {
  const state = [
    { type: 'queued', message: createOutgoing('m-1') },
    { type: 'queued', message: createOutgoing('m-2') },
    { type: 'failed', clientId: 'm-1', failure: 'network' },
    { type: 'failed', clientId: 'm-2', failure: 'refused' },
    { type: 'retried', clientId: undefined },
  ].reduce((present, change) => apply(present, change as ConversationChange), createOpenState());
  assert.deepEqual(
    state.outbox.map(({ failure }) => failure),
    [undefined, 'refused'],
  );
  const retried = apply(state, { type: 'retried', clientId: 'm-2' });
  assert.deepEqual(
    retried.outbox.map(({ failure }) => failure),
    [undefined, undefined],
  );
});

test('nothing typed is lost: what was not sent before the end is the next draft', () => {
  const open = { ...createOpenState(), draft: 'and more', outbox: [createOutgoing('m-1', 'first')] };
  const closed = apply(open, receive([], { state: 'CLOSED' }));
  assert.deepEqual([closed.draft, closed.outbox, closed.conversation?.state], ['first\nand more', [], 'CLOSED']);
  assert.equal(apply(open, { type: 'forgotten' }).draft, 'first\nand more');
});

test('a late event neither reopens a conversation nor moves a marker back', () => {
  const closed = apply(createOpenState(), receive([], { state: 'CLOSED', readByOperatorUpTo: 5 }));
  const late = apply(closed, receive([], { state: 'ACTIVE', readByOperatorUpTo: 3 }));
  assert.deepEqual([late.conversation?.state, late.conversation?.readByOperatorUpTo], ['CLOSED', 5]);
});

test('another conversation replaces the messages of the one before', () => {
  const first = apply(createOpenState(), receive([createMessage(1)]));
  const second = apply(first, receive([createMessage(7)], { id: '2' }));
  assert.deepEqual(
    second.messages.map(({ sequence }) => sequence),
    [7],
  );
});

test('typing ends with the message of the operator', () => {
  const signal = { kind: 'TYPING', author: 'OPERATOR', operator: { pseudo: 'Ana' }, upTo: null };
  const typing = apply(createOpenState(), { type: 'signal', signal });
  assert.equal(typing.typing, 'Ana');
  assert.equal(apply(typing, receive([createMessage(1, { author: 'VISITOR' })])).typing, 'Ana');
  assert.equal(apply(typing, receive([createMessage(1)])).typing, undefined);
});

test('markers of both sides count what is unread and show what was seen', () => {
  const messages = [
    createMessage(1, { author: 'VISITOR' }),
    createMessage(2),
    createMessage(3),
    createMessage(4, { author: 'NOTICE' }),
  ];
  const state = apply(createOpenState(), receive(messages));
  assert.equal(countUnread(state), 2);
  const read = (author: string, upTo: number): ConversationChange => ({
    ...{ type: 'signal', signal: { kind: 'READ', author, operator: null, upTo } },
  });
  assert.equal(countUnread(apply(state, read('VISITOR', 2))), 1);
  const seen = apply(state, read('OPERATOR', 3));
  assert.equal(seen.conversation && findLastSeen(seen.conversation, seen.messages), 1);
});

test('an upload is replaced while it proceeds, and can be removed', () => {
  const upload = { key: 'u', name: 'a.png', size: 10, isImage: true, sent: 0 };
  const begun = apply(createOpenState(), { type: 'uploading', upload });
  const done = apply(begun, { type: 'uploading', upload: { ...upload, sent: 10, id: '7' } });
  assert.deepEqual(
    done.uploads.map(({ id, sent }) => [id, sent]),
    [['7', 10]],
  );
  assert.deepEqual(apply(done, { type: 'removed', key: 'u' }).uploads, []);
});
