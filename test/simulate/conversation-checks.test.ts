import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Entry } from '../../simulate/journal.ts';
import { ANNA, assertProblem, BEN, findProblems, JournalBuilder, VERA, validJournal, WILL } from './journal-builder.ts';

function mapEntries(entries: readonly Entry[], change: (entry: Entry) => Entry | undefined): Entry[] {
  return entries.flatMap((entry) => change(entry) ?? []);
}

describe('messages', () => {
  const name = /lost, duplicated or out of order/;

  test('an acknowledged message that no participant saw is a problem', () => {
    const journal = validJournal();
    const isMissing = (entry: Entry) => entry.kind === 'event_received' && entry.message?.sequence === 2;
    assertProblem(
      mapEntries(journal.entries, (entry) => (isMissing(entry) ? undefined : entry)),
      name,
      /message 2 of visitor 1 was acknowledged but is lost/,
    );
  });

  test('a message that the desk of its operator did not receive is a problem', () => {
    const journal = validJournal();
    const isMissing = (entry: Entry) =>
      entry.kind === 'event_received' && entry.participant === ANNA && entry.message?.sequence === 2;
    assertProblem(
      mapEntries(journal.entries, (entry) => (isMissing(entry) ? undefined : entry)),
      name,
      /the desk of operator 1 did not receive message 2/,
    );
  });

  test("a message missing in the visitor's stream is a problem, even if a later query returns it", () => {
    const journal = validJournal();
    const isMissing = (entry: Entry) =>
      entry.kind === 'event_received' && entry.participant === VERA && entry.message?.sequence === 1;
    const message = { sequence: 1, clientId: null, author: 'OPERATOR', text: 'text 1' };
    journal.add({ kind: 'messages_read', participant: VERA, conversation: 1, messages: [message] });
    assertProblem(
      mapEntries(journal.entries, (entry) => (isMissing(entry) ? undefined : entry)),
      name,
      /the stream of visitor 1 skipped message 1/,
    );
  });

  test('a message received twice, in two streams, is a problem', () => {
    const journal = validJournal();
    const received = journal.entries.find(
      (entry) => entry.kind === 'event_received' && entry.participant === VERA && entry.message,
    );
    assert.ok(received?.kind === 'event_received');
    journal.open(VERA, 1, 0);
    journal.add({ ...received, stream: 5 });
    assertProblem(journal.entries, name, /visitor 1 received message 1 twice/);
  });

  test('a resend that created a second message is a problem', () => {
    const journal = validJournal();
    const double = { sequence: 3, clientId: 'visitor 1 2', author: 'VISITOR', text: 'text 2' };
    const at = journal.entries.findIndex((entry) => entry.kind === 'message_sent' && entry.message.sequence === 2);
    const sent = { ...journal.entries[at], message: double } as Entry;
    assert.match(
      findProblems(journal.entries.toSpliced(at + 1, 0, sent))[CHECK_NAME]?.[0] ?? '',
      /exists twice: as 2 and as 3/,
    );
  });

  test('a message with another text on the other side is a problem', () => {
    const journal = validJournal();
    const entries = mapEntries(journal.entries, (entry) =>
      entry.kind === 'event_received' && entry.participant === ANNA && entry.message?.sequence === 2
        ? { ...entry, message: { ...entry.message, text: 'another text' } }
        : entry,
    );
    assertProblem(entries, name, /message 2 is not the same for all participants/);
  });

  test('sequence numbers against the order of the event log are a problem', () => {
    const journal = new JournalBuilder();
    journal.start(VERA, 1);
    const message = (sequence: number) => ({ sequence, clientId: null, author: 'NOTICE', text: '' });
    journal.notify('message.created', [VERA], { conversation: 1, message: message(2) });
    journal.notify('message.created', [VERA], { conversation: 1, message: message(1) });
    assertProblem(journal.entries, name, /received message 1 after 2/);
  });

  const CHECK_NAME = 'no message was lost, duplicated or out of order';
});

test('an acknowledged accept of a conversation that never started is a problem', () => {
  const journal = new JournalBuilder();
  journal.addOperator(ANNA);
  journal.start(VERA, 1);
  journal.offer(ANNA, VERA, 1);
  journal.add({
    kind: 'request_completed',
    participant: ANNA,
    operation: 'offerAccept',
    requestedAt: journal.at,
    outcome: 'done',
    code: null,
    ...{ attempts: 1, attemptsWithoutResponse: 0, conversation: 1 },
  });
  assertProblem(journal.entries, /acknowledged accept/, /conversation 1: operator 1 accepted it, but it never started/);
  journal.accept(ANNA, VERA, 1);
  assert.deepEqual(findProblems(journal.entries), {});
});

describe('endings', () => {
  const name = /closed at most once/;

  test('a conversation that is closed twice is a problem', () => {
    const journal = validJournal();
    journal.notify('conversation.closed', [VERA], { conversation: 1 });
    assertProblem(journal.entries, name, /conversation 1: was closed 2 times/);
  });

  test('an event after the close is a problem, except for a survey answer', () => {
    const journal = validJournal();
    journal.notify('satisfaction.answered', [VERA], { conversation: 1 });
    assert.deepEqual(findProblems(journal.entries), {});
    journal.notify('conversation.started', [VERA], { conversation: 1 });
    assertProblem(journal.entries, name, /conversation.started came after it was closed/);
  });

  test('an acknowledged close without effect is a problem', () => {
    const journal = new JournalBuilder();
    journal.start(VERA, 1);
    journal.close(VERA, 1, []);
    journal.recordState(VERA, 1, 'QUEUED');
    assertProblem(journal.entries, name, /its close was acknowledged but it is QUEUED/);
  });

  test('a close without an event, and an event without a close, are problems', () => {
    const withoutEvent = new JournalBuilder();
    withoutEvent.start(VERA, 1);
    withoutEvent.recordState(VERA, 1, 'CLOSED');
    assertProblem(withoutEvent.entries, name, /is closed without an event/);
    const withoutClose = new JournalBuilder();
    withoutClose.start(VERA, 1);
    withoutClose.notify('conversation.closed', [VERA], { conversation: 1 });
    withoutClose.recordState(VERA, 1, 'ACTIVE');
    assertProblem(withoutClose.entries, name, /was announced as closed but is ACTIVE/);
  });
});

describe('queue order', () => {
  const name = /offered in the order of their start/;

  function twoQueued(need: string): JournalBuilder {
    const journal = new JournalBuilder();
    journal.addOperator(ANNA);
    journal.start(VERA, 1);
    journal.advance(5000);
    journal.start(WILL, 2, 'chat', need);
    return journal;
  }

  test('a newer conversation that is offered first is a problem', () => {
    const journal = twoQueued('chat');
    journal.offer(ANNA, WILL, 2);
    assertProblem(
      journal.entries,
      name,
      /operator 1 was offered conversation 2 .* while 1 with the same need had started 5\d\d\d ms earlier/,
    );
  });

  test('that is valid with another need, in an offer pause, and for a conversation requeued at the head', () => {
    const other = twoQueued('another');
    other.offer(ANNA, WILL, 2);
    assert.deepEqual(findProblems(other.entries), {});

    const refused = twoQueued('chat');
    refused.offer(ANNA, VERA, 1);
    refused.notify('conversation.queued', [ANNA, VERA], { conversation: 1, reason: 'declined' });
    refused.offer(ANNA, WILL, 2);
    assert.deepEqual(findProblems(refused.entries), {});

    const lost = twoQueued('chat');
    lost.addOperator(BEN);
    lost.offer(ANNA, VERA, 1);
    lost.offer(BEN, WILL, 2);
    lost.notify('conversation.queued', [ANNA, VERA], { conversation: 1, reason: 'declined' });
    lost.notify('conversation.queued', [BEN, WILL], { conversation: 2, reason: 'operator_lost' });
    lost.offer(BEN, WILL, 2);
    assert.deepEqual(findProblems(lost.entries), {});
  });
});
