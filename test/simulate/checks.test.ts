import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ANNA, assertProblem, BEN, findProblems, JournalBuilder, VERA, validJournal, WILL } from './journal-builder.ts';

test('a valid journal has no problems', () => {
  assert.deepEqual(findProblems(validJournal().entries), {});
  assert.deepEqual(findProblems([]), {});
});

describe('capacity', () => {
  const name = /more offers and conversations than their maximum/;

  test('an offer beyond the maximum is a problem', () => {
    const journal = new JournalBuilder();
    journal.addOperator(ANNA, 1);
    journal.start(VERA, 1);
    journal.start(WILL, 2);
    journal.offer(ANNA, VERA, 1);
    journal.offer(ANNA, WILL, 2);
    assertProblem(journal.entries, name, /operator 1 was assigned conversation 2 .* more than 1 chats/);
  });

  test('an offer after the close of another conversation, by position, is valid', () => {
    const journal = new JournalBuilder();
    journal.addOperator(ANNA, 1);
    journal.start(VERA, 1);
    journal.start(WILL, 2);
    journal.offer(ANNA, VERA, 1);
    journal.accept(ANNA, VERA, 1);
    journal.close(ANNA, 1, [ANNA, VERA]);
    journal.offer(ANNA, WILL, 2);
    assert.deepEqual(findProblems(journal.entries), {});
  });

  for (const [first, second, chatAndCall, problem] of [
    ['call', 'chat', false, /a chat during a call/],
    ['call', 'chat', true, undefined],
    ['chat', 'call', false, /a call during a chat/],
    ['chat', 'call', true, undefined],
    ['video', 'chat', true, /a chat during a video/],
    ['chat', 'video', false, undefined],
    ['call', 'video', true, /more than one call or video/],
    ['video', 'video', true, /more than one call or video/],
  ] as const) {
    test(`a ${second} during a ${first}, ${chatAndCall ? 'with' : 'without'} chat_and_call: ${problem ? 'problem' : 'valid'}`, () => {
      const journal = new JournalBuilder();
      journal.addOperator(ANNA, 3, chatAndCall);
      journal.start(VERA, 1, first, 'one');
      journal.start(WILL, 2, second, 'other');
      journal.offer(ANNA, VERA, 1);
      journal.offer(ANNA, WILL, 2);
      if (problem) assertProblem(journal.entries, name, problem);
      else assert.deepEqual(findProblems(journal.entries), {});
    });
  }
});

describe('presence', () => {
  const name = /offline or unavailable/;

  function offerAfterLeaving(how: 'cut' | 'silent' | 'reload' | 'sign_off', milliseconds: number): JournalBuilder {
    const journal = new JournalBuilder();
    journal.addOperator(ANNA);
    journal.start(VERA, 1);
    journal.leave(ANNA, how);
    journal.advance(milliseconds);
    const position = journal.offer(BEN, VERA, 1); // only the visitor receives it: the desk is closed
    journal.entries.splice(-2, 1);
    journal.advance(1000);
    journal.open(ANNA, null, position - 1);
    const missed = { type: 'conversation.offered', conversation: 1, reason: null, message: null, position } as const;
    const serverAt = journal.entries.findLast((entry) => entry.kind === 'event_received')?.serverAt ?? 0;
    journal.add({ kind: 'event_received', participant: ANNA, stream: 3, serverAt, ...missed });
    return journal;
  }

  test('an offer long after the desk was closed is a problem', () => {
    assertProblem(
      offerAfterLeaving('cut', 4000).entries,
      name,
      /operator 1 was offered conversation 1 .* the desk was closed \(cut\)/,
    );
    assertProblem(offerAfterLeaving('reload', 4000).entries, name, /closed \(reload\)/);
    assertProblem(offerAfterLeaving('sign_off', 4000).entries, name, /closed \(sign_off\)/);
    assertProblem(offerAfterLeaving('silent', 50_000).entries, name, /closed \(silent\)/);
  });

  test('an offer within the detection time is valid', () => {
    assert.deepEqual(findProblems(offerAfterLeaving('cut', 1000).entries), {});
    assert.deepEqual(findProblems(offerAfterLeaving('silent', 30_000).entries), {});
  });

  test('an offer after the operator became unavailable is a problem, until the operator requests to be available', () => {
    const journal = new JournalBuilder();
    journal.addOperator(ANNA);
    journal.start(VERA, 1);
    journal.add({ kind: 'availability_set', participant: ANNA, available: false, requestedAt: journal.at });
    journal.advance(500);
    const requestedAt = journal.at;
    journal.advance(500);
    journal.offer(ANNA, VERA, 1);
    assertProblem(journal.entries, name, /the operator had become unavailable/);
    journal.add({ kind: 'availability_set', participant: ANNA, available: true, requestedAt });
    assert.deepEqual(findProblems(journal.entries), {});
  });

  test('an offer between operator.disconnected and operator.connected is a problem', () => {
    const journal = new JournalBuilder();
    journal.addOperator(ANNA);
    journal.start(VERA, 1);
    journal.notify('operator.disconnected', [ANNA], { reason: 'lease_ended' });
    journal.offer(ANNA, VERA, 1);
    assertProblem(journal.entries, name, /although announced as offline at 2/);
    const valid = new JournalBuilder();
    valid.addOperator(ANNA);
    valid.start(VERA, 1);
    valid.notify('operator.disconnected', [ANNA], { reason: 'lease_ended' });
    valid.notify('operator.connected', [ANNA]);
    valid.offer(ANNA, VERA, 1);
    assert.deepEqual(findProblems(valid.entries), {});
  });
});

describe('one operator', () => {
  test('a conversation that goes to a second operator while the first has it is a problem', () => {
    const journal = new JournalBuilder();
    journal.addOperator(ANNA);
    journal.addOperator(BEN);
    journal.start(VERA, 1);
    journal.offer(ANNA, VERA, 1);
    journal.offer(BEN, VERA, 1);
    journal.notify('conversation.queued', [ANNA, VERA], { conversation: 1, reason: 'declined' });
    assertProblem(
      journal.entries,
      /two operators at the same time/,
      /conversation 1 went to operator 2 .* while operator 1 had it/,
    );
  });

  test('two offers of a conversation to the same operator are a problem', () => {
    const journal = new JournalBuilder();
    journal.addOperator(ANNA);
    journal.start(VERA, 1);
    journal.offer(ANNA, VERA, 1);
    journal.offer(ANNA, VERA, 1);
    assertProblem(journal.entries, /two operators at the same time/, /was offered conversation 1 twice in a row/);
  });
});

test('a position that is not higher than the previous one is a problem', () => {
  const journal = validJournal();
  journal.notify('operator.updated', [ANNA], { position: 3 });
  assertProblem(journal.entries, /strictly ascending/, /operator 1 received operator.updated at position 3 after \d+/);
});

test('a stream that resumes at its start position instead of after it is a problem', () => {
  const journal = new JournalBuilder();
  journal.addOperator(ANNA);
  journal.open(ANNA, null, 10);
  journal.notify('operator.updated', [ANNA], { position: 10 });
  assertProblem(journal.entries, /strictly ascending/, /at position 10 after 10/);
});

test('an internal error is a problem, a refusal is not', () => {
  const journal = validJournal();
  const request = {
    kind: 'request_completed',
    participant: ANNA,
    operation: 'offerAccept',
    requestedAt: 0,
    attempts: 1,
    attemptsWithoutResponse: 0,
  } as const;
  journal.add({ ...request, outcome: 'refused', code: 'STATE', conversation: 1 });
  assert.deepEqual(findProblems(journal.entries), {});
  journal.add({ ...request, outcome: 'failed', code: 'INTERNAL', conversation: 1 });
  assertProblem(journal.entries, /unexpected error/, /offerAccept of operator 1 failed with INTERNAL/);
});
