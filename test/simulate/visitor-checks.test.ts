import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ANNA, assertProblem, findProblems, JournalBuilder, VERA, validJournal, WILL } from './journal-builder.ts';

/** Less than the time in which a request proves presence. */
const SOON_MS = 50_000;
/** More than that and the time in which the service notices. */
const LATE_MS = 80_000;
const MINUTE_MS = 60_000;

function leaveWhileWaiting(): JournalBuilder {
  const journal = new JournalBuilder();
  journal.addOperator(ANNA);
  journal.start(VERA, 1);
  journal.addRequest(VERA, 'eventPosition');
  journal.leave(VERA, 'page_closed');
  return journal;
}

describe('rule 22: visitors who left', () => {
  const name = /visitors who left were not offered/;

  test('an offer long after the visitor left is a problem', () => {
    const journal = leaveWhileWaiting();
    journal.advance(LATE_MS);
    journal.notify('conversation.offered', [ANNA], { conversation: 1 });
    assertProblem(journal.entries, name, /conversation 1 was offered to operator 1 .* after its visitor was absent/);
  });

  test('an offer before the service can know, and one after the return, are valid', () => {
    const early = leaveWhileWaiting();
    early.advance(SOON_MS);
    early.notify('conversation.offered', [ANNA], { conversation: 1 });
    assert.deepEqual(findProblems(early.entries), {});
    const returned = leaveWhileWaiting();
    returned.advance(LATE_MS);
    returned.return(VERA, 1);
    returned.offer(ANNA, VERA, 1);
    assert.deepEqual(findProblems(returned.entries), {});
  });

  test('a request of the visitor proves presence for a minute', () => {
    const journal = leaveWhileWaiting();
    journal.advance(SOON_MS);
    journal.addRequest(VERA, 'conversation');
    journal.advance(SOON_MS);
    journal.notify('conversation.offered', [ANNA], { conversation: 1 });
    assert.deepEqual(findProblems(journal.entries), {});
  });

  test('a later conversation is offered first while the visitor is absent, but not after the return', () => {
    const absent = leaveWhileWaiting();
    absent.advance(LATE_MS);
    absent.start(WILL, 2);
    absent.offer(ANNA, WILL, 2);
    assert.deepEqual(findProblems(absent.entries), {});
    const returned = leaveWhileWaiting();
    returned.advance(LATE_MS);
    returned.return(VERA, 1);
    returned.start(WILL, 2);
    returned.advance(10_000);
    returned.offer(ANNA, WILL, 2);
    assertProblem(returned.entries, /in the order of their start/, /while 1 with the same need had started/);
  });

  function endAfter(milliseconds: number, closeReason = 'VISITOR_LEFT'): JournalBuilder {
    const journal = leaveWhileWaiting();
    journal.advance(milliseconds);
    const position = journal.notify('conversation.closed', [ANNA], { conversation: 1 });
    const closedAt = journal.at;
    journal.advance(LATE_MS);
    journal.return(VERA, 1, position - 1);
    journal.notify('conversation.closed', [VERA], { conversation: 1, position });
    journal.recordState(VERA, 1, 'CLOSED', { closeReason, closedAt });
    return journal;
  }

  test('an end because the visitor left is valid only after the minutes of the website', () => {
    assertProblem(endAfter(MINUTE_MS).entries, name, /conversation 1 .* had not been absent for 1 min/);
    assert.deepEqual(findProblems(endAfter(MINUTE_MS, 'IDLE').entries), {});
    assert.deepEqual(findProblems(endAfter(MINUTE_MS + LATE_MS).entries), {});
  });

  test('an end because the visitor left is a problem if the visitor was there', () => {
    const journal = new JournalBuilder();
    journal.start(VERA, 1);
    journal.advance(MINUTE_MS + LATE_MS);
    journal.notify('conversation.closed', [VERA], { conversation: 1 });
    journal.recordState(VERA, 1, 'CLOSED', { closeReason: 'VISITOR_LEFT' });
    assertProblem(journal.entries, name, /had not been absent/);
  });

  test('a conversation that stays open although its visitor left for good is a problem', () => {
    const journal = leaveWhileWaiting();
    journal.advance(MINUTE_MS + 2 * LATE_MS);
    journal.return(VERA, 1);
    journal.recordState(VERA, 1, 'QUEUED');
    assertProblem(journal.entries, name, /conversation 1 did not end/);
  });
});

describe('read markers', () => {
  function markAndCount(upTo: number | null, unreadCount: number, isAcknowledged = true) {
    const journal = validJournal();
    const messages = [1, 2, 3, 4].map((sequence) => {
      return { sequence, clientId: null, author: sequence === 2 ? 'VISITOR' : 'OPERATOR', text: `text ${sequence}` };
    });
    const own = { participant: 'visitor 9', conversation: 9 } as const;
    if (upTo !== null) journal.add({ kind: 'read_marked', ...own, upTo, isAcknowledged });
    journal.advance(10);
    journal.add({ kind: 'messages_read', ...own, messages });
    const found = { state: 'CLOSED', closedAt: journal.at, closeReason: null, unreadCount, requestedAt: journal.at };
    journal.add({ kind: 'final_state_found', ...own, ...found });
    const counted = findProblems(journal.entries);
    return Object.keys(counted).find((name) => name.startsWith('unread messages'));
  }

  test("the operators' messages after the marker are unread", () => {
    assert.equal(markAndCount(null, 3), undefined);
    assert.equal(markAndCount(3, 1), undefined);
    assert.ok(markAndCount(3, 2));
    assert.ok(markAndCount(3, 0));
    assert.ok(markAndCount(null, 4));
  });

  test('a marker without a response may count or not', () => {
    assert.equal(markAndCount(3, 1, false), undefined);
    assert.equal(markAndCount(3, 3, false), undefined);
    assert.ok(markAndCount(3, 0, false));
  });
});

describe('files', () => {
  const name = /files arrived whole/;
  const file = { conversation: 1, id: '7', size: 5, sha256: 'aa' } as const;

  function sendFile(received: { status: number | null; size: number; sha256: string }, attachments = [file]) {
    const journal = new JournalBuilder();
    journal.start(VERA, 1);
    journal.sendMessage(VERA, 1, 1, [VERA]);
    journal.add({ kind: 'file_sent', participant: VERA, sequence: 1, ...file });
    journal.add({ kind: 'file_received', participant: ANNA, conversation: 1, id: '7', ...received });
    const message = { sequence: 1, clientId: null, author: 'VISITOR', text: 'text 1', attachments };
    journal.add({ kind: 'messages_read', participant: VERA, conversation: 1, messages: [message] });
    return journal.entries;
  }

  test('a file that is not the same on both sides is a problem', () => {
    assert.deepEqual(findProblems(sendFile({ status: 200, size: 5, sha256: 'aa' })), {});
    assert.deepEqual(findProblems(sendFile({ status: null, size: 0, sha256: '' })), {});
    assertProblem(sendFile({ status: 200, size: 4, sha256: 'ab' }), name, /has 4 bytes instead of 5/);
    assertProblem(sendFile({ status: 200, size: 5, sha256: 'ab' }), name, /has other content/);
    assertProblem(sendFile({ status: 404, size: 5, sha256: 'aa' }), name, /answered with 404/);
  });

  test('a message without its file is a problem', () => {
    assertProblem(sendFile({ status: 200, size: 5, sha256: 'aa' }, []), name, /message 1 lost its file 7/);
  });
});
