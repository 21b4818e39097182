import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Entry } from '../../simulate/journal.ts';
import { ANNA, assertBroken, BEN, found, goodStory, Story, VERA, WILL } from './story.ts';

function changed(entries: readonly Entry[], change: (entry: Entry) => Entry | undefined): Entry[] {
  return entries.flatMap((entry) => change(entry) ?? []);
}

describe('messages', () => {
  const name = /lost, doubled or out of order/;

  test('an acknowledged message that nobody was shown is found', () => {
    const story = goodStory();
    const isIt = (entry: Entry) => entry.kind === 'told' && entry.message?.sequence === 2;
    assertBroken(
      changed(story.entries, (entry) => (isIt(entry) ? undefined : entry)),
      name,
      /message 2 of visitor 1 was acknowledged and is lost/,
    );
  });

  test('a message that the desk of its operator was not told of is found', () => {
    const story = goodStory();
    const isIt = (entry: Entry) => entry.kind === 'told' && entry.who === ANNA && entry.message?.sequence === 2;
    assertBroken(
      changed(story.entries, (entry) => (isIt(entry) ? undefined : entry)),
      name,
      /the desk of operator 1 was not told of message 2/,
    );
  });

  test("a message that is missing in the visitor's stream is found, even if a later look shows it", () => {
    const story = goodStory();
    const isIt = (entry: Entry) => entry.kind === 'told' && entry.who === VERA && entry.message?.sequence === 1;
    const message = { sequence: 1, clientId: null, author: 'OPERATOR', text: 'words 1' };
    story.add({ kind: 'read', who: VERA, conversation: 1, messages: [message] });
    assertBroken(
      changed(story.entries, (entry) => (isIt(entry) ? undefined : entry)),
      name,
      /the stream of visitor 1 left out message 1/,
    );
  });

  test('a message that came twice, by two streams, is found', () => {
    const story = goodStory();
    const told = story.entries.find((entry) => entry.kind === 'told' && entry.who === VERA && entry.message);
    assert.ok(told?.kind === 'told');
    story.open(VERA, 1, 0);
    story.add({ ...told, stream: 5 });
    assertBroken(story.entries, name, /visitor 1 was told message 1 twice/);
  });

  test('a resend that became a second message is found', () => {
    const story = goodStory();
    const double = { sequence: 3, clientId: 'visitor 1 2', author: 'VISITOR', text: 'words 2' };
    const at = story.entries.findIndex((entry) => entry.kind === 'sent' && entry.message.sequence === 2);
    const sent = { ...story.entries[at], message: double } as Entry;
    assert.match(found(story.entries.toSpliced(at + 1, 0, sent))[KEY]?.[0] ?? '', /there twice: as 2 and as 3/);
  });

  test('a message that the other side is shown in other words is found', () => {
    const story = goodStory();
    const entries = changed(story.entries, (entry) =>
      entry.kind === 'told' && entry.who === ANNA && entry.message?.sequence === 2
        ? { ...entry, message: { ...entry.message, text: 'other words' } }
        : entry,
    );
    assertBroken(entries, name, /message 2 is shown in two ways/);
  });

  test('numbers that do not follow the order of the log are found', () => {
    const story = new Story();
    story.start(VERA, 1);
    const message = (sequence: number) => ({ sequence, clientId: null, author: 'NOTICE', text: '' });
    story.tell('message.created', [VERA], { conversation: 1, message: message(2) });
    story.tell('message.created', [VERA], { conversation: 1, message: message(1) });
    assertBroken(story.entries, name, /was told message 1 after 2/);
  });

  const KEY = 'no message was lost, doubled or out of order';
});

test('an accept that was acknowledged, of a conversation that never began, is found', () => {
  const story = new Story();
  story.hire(ANNA);
  story.start(VERA, 1);
  story.offer(ANNA, VERA, 1);
  story.add({
    ...{ kind: 'answered', who: ANNA, operation: 'offerAccept', askedAt: story.at, outcome: 'done', code: null },
    ...{ tries: 1, unanswered: 0, conversation: 1 },
  });
  assertBroken(story.entries, /acknowledged accept/, /conversation 1: operator 1 accepted it, and it never began/);
  story.accept(ANNA, VERA, 1);
  assert.deepEqual(found(story.entries), {});
});

describe('endings', () => {
  const name = /ended in exactly one way/;

  test('a conversation that is closed twice is found', () => {
    const story = goodStory();
    story.tell('conversation.closed', [VERA], { conversation: 1 });
    assertBroken(story.entries, name, /conversation 1: was closed 2 times/);
  });

  test('a step after the close is found, an answer to the survey is right', () => {
    const story = goodStory();
    story.tell('satisfaction.answered', [VERA], { conversation: 1 });
    assert.deepEqual(found(story.entries), {});
    story.tell('conversation.started', [VERA], { conversation: 1 });
    assertBroken(story.entries, name, /conversation.started came after it was closed/);
  });

  test('a close that was acknowledged and did not happen is found', () => {
    const story = new Story();
    story.start(VERA, 1);
    story.close(VERA, 1, []);
    story.find(VERA, 1, 'QUEUED');
    assertBroken(story.entries, name, /its close was acknowledged and it is QUEUED/);
  });

  test('a close that nobody was told, and one that was told and is not so, are found', () => {
    const silent = new Story();
    silent.start(VERA, 1);
    silent.find(VERA, 1, 'CLOSED');
    assertBroken(silent.entries, name, /is closed, which nobody was told/);
    const untrue = new Story();
    untrue.start(VERA, 1);
    untrue.tell('conversation.closed', [VERA], { conversation: 1 });
    untrue.find(VERA, 1, 'ACTIVE');
    assertBroken(untrue.entries, name, /was announced closed and is ACTIVE/);
  });
});

describe('queue order', () => {
  const name = /came first was served first/;

  function twoWait(need: string): Story {
    const story = new Story();
    story.hire(ANNA);
    story.start(VERA, 1);
    story.pass(5000);
    story.start(WILL, 2, 'chat', need);
    return story;
  }

  test('whoever came later and is offered first is found', () => {
    const story = twoWait('chat');
    story.offer(ANNA, WILL, 2);
    assertBroken(
      story.entries,
      name,
      /operator 1 was offered conversation 2 .* while 1 waited for the same since 5\d\d\d ms/,
    );
  });

  test('that is right for another need, for one who had refused, and for one who is back at the head', () => {
    const other = twoWait('another');
    other.offer(ANNA, WILL, 2);
    assert.deepEqual(found(other.entries), {});

    const refused = twoWait('chat');
    refused.offer(ANNA, VERA, 1);
    refused.tell('conversation.queued', [ANNA, VERA], { conversation: 1, reason: 'declined' });
    refused.offer(ANNA, WILL, 2);
    assert.deepEqual(found(refused.entries), {});

    const lost = twoWait('chat');
    lost.hire(BEN);
    lost.offer(ANNA, VERA, 1);
    lost.offer(BEN, WILL, 2);
    lost.tell('conversation.queued', [ANNA, VERA], { conversation: 1, reason: 'declined' });
    lost.tell('conversation.queued', [BEN, WILL], { conversation: 2, reason: 'operator_lost' });
    lost.offer(BEN, WILL, 2);
    assert.deepEqual(found(lost.entries), {});
  });
});
