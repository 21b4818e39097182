import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ANNA, assertBroken, BEN, found, goodStory, Story, VERA, WILL } from './story.ts';

test('nothing is found in a journal in which everything is right', () => {
  assert.deepEqual(found(goodStory().entries), {});
  assert.deepEqual(found([]), {});
});

describe('capacity', () => {
  const name = /more offers and conversations than their maximum/;

  test('an offer beyond the maximum is found', () => {
    const story = new Story();
    story.hire(ANNA, 1);
    story.start(VERA, 1);
    story.start(WILL, 2);
    story.offer(ANNA, VERA, 1);
    story.offer(ANNA, WILL, 2);
    assertBroken(story.entries, name, /operator 1 got conversation 2 .* more than 1 chats/);
  });

  test('one that fits because another has ended before, by position, is right however it arrived', () => {
    const story = new Story();
    story.hire(ANNA, 1);
    story.start(VERA, 1);
    story.start(WILL, 2);
    story.offer(ANNA, VERA, 1);
    story.accept(ANNA, VERA, 1);
    story.close(ANNA, 1, [ANNA, VERA]);
    story.offer(ANNA, WILL, 2);
    assert.deepEqual(found(story.entries), {});
  });

  for (const [first, second, chatAndCall, wrong] of [
    ['call', 'chat', false, /a chat beside a call/],
    ['call', 'chat', true, undefined],
    ['chat', 'call', false, /a call beside a chat/],
    ['chat', 'call', true, undefined],
    ['video', 'chat', true, /a chat beside a video/],
    ['chat', 'video', false, undefined],
    ['call', 'video', true, /more than one call or video/],
    ['video', 'video', true, /more than one call or video/],
  ] as const) {
    test(`a ${second} beside a ${first}, ${chatAndCall ? 'with' : 'without'} chat_and_call: ${wrong ? 'found' : 'right'}`, () => {
      const story = new Story();
      story.hire(ANNA, 3, chatAndCall);
      story.start(VERA, 1, first, 'one');
      story.start(WILL, 2, second, 'other');
      story.offer(ANNA, VERA, 1);
      story.offer(ANNA, WILL, 2);
      if (wrong) assertBroken(story.entries, name, wrong);
      else assert.deepEqual(found(story.entries), {});
    });
  }
});

describe('presence', () => {
  const name = /offline or unavailable/;

  function away(how: 'cut' | 'silent' | 'reload' | 'sign_off', milliseconds: number): Story {
    const story = new Story();
    story.hire(ANNA);
    story.start(VERA, 1);
    story.leave(ANNA, how);
    story.pass(milliseconds);
    const position = story.offer(BEN, VERA, 1); // told to nobody but the visitor: the desk is closed
    story.entries.splice(-2, 1);
    story.pass(1000);
    story.open(ANNA, null, position - 1);
    const missed = { type: 'conversation.offered', conversation: 1, reason: null, message: null, position } as const;
    const serverAt = story.entries.findLast((entry) => entry.kind === 'told')?.serverAt ?? 0;
    story.add({ kind: 'told', who: ANNA, stream: 3, serverAt, ...missed });
    return story;
  }

  test('an offer long after the desk was closed is found', () => {
    assertBroken(
      away('cut', 4000).entries,
      name,
      /operator 1 was offered conversation 1 .* the desk was closed \(cut\)/,
    );
    assertBroken(away('reload', 4000).entries, name, /closed \(reload\)/);
    assertBroken(away('sign_off', 4000).entries, name, /closed \(sign_off\)/);
    assertBroken(away('silent', 50_000).entries, name, /closed \(silent\)/);
  });

  test('one in the time that noticing may take is right', () => {
    assert.deepEqual(found(away('cut', 1000).entries), {});
    assert.deepEqual(found(away('silent', 30_000).entries), {});
  });

  test('an offer after an acknowledged wish for none is found, and one after the opposite was asked for is right', () => {
    const story = new Story();
    story.hire(ANNA);
    story.start(VERA, 1);
    story.add({ kind: 'wished', who: ANNA, available: false, askedAt: story.at });
    story.pass(500);
    const askedAt = story.at;
    story.pass(500);
    story.offer(ANNA, VERA, 1);
    assertBroken(story.entries, name, /they had said that they are unavailable/);
    story.add({ kind: 'wished', who: ANNA, available: true, askedAt });
    assert.deepEqual(found(story.entries), {});
  });

  test('an offer between the announced end and the announced beginning of a connection is found', () => {
    const story = new Story();
    story.hire(ANNA);
    story.start(VERA, 1);
    story.tell('operator.disconnected', [ANNA], { reason: 'lease_ended' });
    story.offer(ANNA, VERA, 1);
    assertBroken(story.entries, name, /though announced offline at 2/);
    const right = new Story();
    right.hire(ANNA);
    right.start(VERA, 1);
    right.tell('operator.disconnected', [ANNA], { reason: 'lease_ended' });
    right.tell('operator.connected', [ANNA]);
    right.offer(ANNA, VERA, 1);
    assert.deepEqual(found(right.entries), {});
  });
});

describe('one operator', () => {
  test('a conversation that goes to a second operator while the first has it is found', () => {
    const story = new Story();
    story.hire(ANNA);
    story.hire(BEN);
    story.start(VERA, 1);
    story.offer(ANNA, VERA, 1);
    story.offer(BEN, VERA, 1);
    story.tell('conversation.queued', [ANNA, VERA], { conversation: 1, reason: 'declined' });
    assertBroken(
      story.entries,
      /two operators at once/,
      /conversation 1 went to operator 2 .* while operator 1 had it/,
    );
  });

  test('two offers of the same to the same are found', () => {
    const story = new Story();
    story.hire(ANNA);
    story.start(VERA, 1);
    story.offer(ANNA, VERA, 1);
    story.offer(ANNA, VERA, 1);
    assertBroken(story.entries, /two operators at once/, /was offered conversation 1 twice in a row/);
  });
});

test('a position that is not higher than the one before is found', () => {
  const story = goodStory();
  story.tell('operator.updated', [ANNA], { position: 3 });
  assertBroken(story.entries, /strictly ascending/, /operator 1 was told operator.updated at position 3 after \d+/);
});

test('a stream that begins again before the position that it was given is found', () => {
  const story = new Story();
  story.hire(ANNA);
  story.open(ANNA, null, 10);
  story.tell('operator.updated', [ANNA], { position: 10 });
  assertBroken(story.entries, /strictly ascending/, /at position 10 after 10/);
});

test('an internal error is found, a refusal is not one', () => {
  const story = goodStory();
  const answer = {
    kind: 'answered',
    who: ANNA,
    operation: 'offerAccept',
    askedAt: 0,
    tries: 1,
    unanswered: 0,
  } as const;
  story.add({ ...answer, outcome: 'refused', code: 'STATE', conversation: 1 });
  assert.deepEqual(found(story.entries), {});
  story.add({ ...answer, outcome: 'failed', code: 'INTERNAL', conversation: 1 });
  assertBroken(story.entries, /fault of the service/, /offerAccept of operator 1 was answered with INTERNAL/);
});
