import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nameKey } from '../../../web/desk/frame/key-name.ts';
import { countHeld, findPresence, listObstacles, setAllChannels } from '../../../web/desk/frame/presence/presence.ts';
import { findShortName, matchesVisitor, nameVisitor } from '../../../web/desk/frame/visitor-name.ts';
import { findHandover } from '../../../web/desk/rail/handover.ts';
import { findNeighbour } from '../../../web/desk/rail/neighbour.ts';
import { findPreview, findUnansweredSince } from '../../../web/desk/rail/preview.ts';
import { formatSince } from '../../../web/desk/rail/since.ts';
import { findTabStop } from '../../../web/desk/rail/tab-stop.ts';
import type { ChannelLive, DeskConversation, OperatorLive } from '../../../web/desk/state/model.ts';
import { createFields, createMessage, createNote, createPending, START, toTime, VIEWER } from './states.ts';

const LIVE = { kind: 'live' } as const;
const { chat } = VIEWER.live;

function createLive(chatChanges: Partial<ChannelLive>, changes: Partial<OperatorLive> = {}): OperatorLive {
  const unused = { ...chat, enabled: false, available: true, routable: false };
  return { ...VIEWER.live, chat: { ...chat, ...chatChanges }, call: unused, video: unused, ...changes };
}

describe('the lamp of the operator', () => {
  const full = { routable: false, busy: true, blockedBy: ['SLOTS_FULL'] as const };
  test('available, busy, on a pause, offline, reconnecting', () => {
    assert.equal(findPresence(createLive({}), LIVE), 'available');
    assert.equal(findPresence(createLive(full), LIVE), 'busy');
    assert.equal(findPresence(createLive({ available: false, routable: false }), LIVE), 'pause');
    assert.equal(findPresence(createLive({}, { connected: false }), LIVE), 'offline');
    assert.equal(findPresence(createLive({}), { kind: 'lost', since: 0 }), 'reconnecting');
  });

  test('one routable channel is enough', () => {
    assert.equal(findPresence({ ...createLive(full), video: chat }, LIVE), 'available');
  });

  test('a channel that is off has no other obstacle, and a pause is for enabled channels', () => {
    assert.deepEqual(listObstacles({ ...chat, ...full }), ['SLOTS_FULL']);
    assert.deepEqual(listObstacles({ ...chat, available: false, blockedBy: ['NOT_AVAILABLE', 'SLOTS_FULL'] }), []);
    assert.deepEqual(setAllChannels(createLive({}), false), { chat: false });
  });

  test('offers hold slots of their channel', () => {
    assert.equal(countHeld([{ channel: 'CHAT' }, { channel: 'CALL' }, { channel: 'CHAT' }], 'CHAT'), 2);
  });
});

describe('a row of the rail', () => {
  const create = (changes: Partial<DeskConversation>): DeskConversation => ({
    ...{ ...createFields('1'), messages: [], notes: [], pending: [], visitorTypingUntil: 0 },
    ...changes,
  });
  const asked = createMessage(1, { text: 'Hello' });
  const answered = createMessage(2, { author: 'OPERATOR', text: 'Good morning' });
  const notice = createMessage(3, { author: 'NOTICE', text: '' });

  test('shows who typed last, and what', () => {
    const preview = (changes: Partial<DeskConversation>) => findPreview(create(changes), START);
    assert.deepEqual(preview({ messages: [asked, notice] }), { kind: 'visitor', text: 'Hello', attachment: null });
    assert.deepEqual(preview({ messages: [asked, answered] }), { kind: 'own', text: 'Good morning', attachment: null });
    assert.deepEqual(preview({ messages: [asked], pending: [createPending('a')] }).kind, 'own');
    assert.deepEqual(preview({ messages: [asked], visitorTypingUntil: START + 1 }), { kind: 'typing' });
    assert.deepEqual(preview({ messages: [asked], visitorTypingUntil: START }).kind, 'visitor');
    assert.deepEqual(preview({ visitorPresent: false, visitorLeftAt: toTime(1) }), { kind: 'left' });
    assert.deepEqual(preview({}), { kind: 'new' });
  });

  test('knows since when the visitor waits for an answer', () => {
    const since = (changes: Partial<DeskConversation>) => findUnansweredSince(create(changes));
    const again = createMessage(4);
    assert.equal(since({ messages: [asked] }), toTime(1));
    assert.equal(since({ messages: [asked, answered] }), null);
    assert.equal(since({ messages: [asked, answered, notice, again, createMessage(5)] }), toTime(4));
    assert.equal(since({ messages: [asked], pending: [createPending('a')] }), null);
    assert.equal(since({ messages: [asked], pending: [createPending('a', { failure: 'state' })] }), toTime(1));
    assert.equal(since({ messages: [asked], state: 'CLOSED' }), null);
  });

  test('names the visitor, and is found by name, address, case and accents aside', () => {
    const visitor = { id: '4', firstname: 'Chloé', lastname: 'Roux', email: 'c.roux@example.com' };
    const nameNumber = (id: string) => `Visitor ${id}`;
    assert.equal(nameVisitor(visitor, nameNumber), 'Chloé Roux');
    assert.equal(nameVisitor({ ...visitor, firstname: '', lastname: '' }, nameNumber), 'c.roux@example.com');
    assert.equal(nameVisitor({ id: '4', firstname: '', lastname: '', email: '' }, nameNumber), 'Visitor 4');
    for (const filter of ['chloe', 'CHLOÉ R', 'example', ' ', '']) assert.ok(matchesVisitor(visitor, filter), filter);
    assert.equal(matchesVisitor(visitor, 'max'), false);
    assert.equal(matchesVisitor(null, 'max'), false);
  });

  test('speaks of a visitor by the first name, also where a form has one field for all of it', () => {
    const speakOf = (firstname: string, lastname = '') => findShortName({ firstname, lastname });
    assert.equal(speakOf('Lea', 'Roux'), 'Lea');
    assert.equal(speakOf('Jean Pierre', 'Roux'), 'Jean Pierre');
    assert.equal(speakOf(' Bartholomew Featherstonehaugh von und zu Cholmondeley'), 'Bartholomew');
    assert.equal(speakOf('', 'von Arnim'), 'von Arnim');
    assert.equal(speakOf('', ''), '');
    assert.equal(speakOf('x'.repeat(100)), `${'x'.repeat(24)}…`);
  });

  test('an offer says who passes the visitor on, with their note, and counts from then', () => {
    const transferred = createMessage(4, {
      author: 'NOTICE',
      notice: { code: 'transferred', parameters: [] },
      text: '',
    });
    const robin = { id: '8', pseudo: 'Robin' };
    const served = [asked, { ...answered, operator: robin }, notice, transferred];
    const note = createNote('1', { clientId: null, afterSequence: 3, operator: robin, text: 'Ref. 77' });
    assert.equal(findHandover({ messages: [asked], notes: [] }), undefined);
    assert.deepEqual(findHandover({ messages: served, notes: [note] }), {
      ...{ at: transferred.at, by: 'Robin', note: 'Ref. 77' },
    });
    // One without a note, and an older note of someone else.
    const older = createNote('2', { clientId: null, afterSequence: 1, text: 'Old' });
    assert.deepEqual(findHandover({ messages: served, notes: [older] }), {
      ...{ at: transferred.at, by: 'Robin', note: undefined },
    });
    const left = createMessage(4, { author: 'NOTICE', notice: { code: 'operator_left', parameters: [] }, text: '' });
    assert.deepEqual(findHandover({ messages: [asked, left], notes: [] }), {
      ...{ at: left.at, by: undefined, note: undefined },
    });
  });

  test('says how long ago it was', () => {
    const format = (minutes: number) => formatSince(minutes * 60_000, { locale: 'de', now: 'jetzt' });
    assert.deepEqual([format(0.9), format(2.5), format(61)], ['jetzt', '2 Min.', '1 Std.']);
  });
});

describe('keys of the desk', () => {
  test('have a name, unless they belong to the browser', () => {
    const none = { altKey: false, ctrlKey: false, metaKey: false };
    assert.equal(nameKey({ ...none, key: 'A' }), 'a');
    assert.equal(nameKey({ ...none, key: 'ArrowUp', altKey: true }), 'Alt+ArrowUp');
    assert.equal(nameKey({ ...none, key: 'a', ctrlKey: true }), '');
    assert.equal(nameKey({ ...none, key: 'd', metaKey: true }), '');
  });

  test('lead through the conversations in a circle', () => {
    const ids = ['1', '2', '3'];
    assert.equal(findNeighbour(ids, '1', 1), '2');
    assert.equal(findNeighbour(ids, '3', 1), '1');
    assert.equal(findNeighbour(ids, '1', -1), '3');
    assert.equal(findNeighbour(ids, undefined, 1), '1');
    assert.equal(findNeighbour(ids, '9', -1), '3');
    assert.equal(findNeighbour([], '1', 1), undefined);
  });
});

test('the list is one tab stop: the row with the focus, else the open one, else the first', () => {
  assert.equal(findTabStop(['1', '2', '3'], '3', '2'), '3');
  assert.equal(findTabStop(['1', '2', '3'], undefined, '2'), '2');
  assert.equal(findTabStop(['1', '2', '3'], 'gone', 'closed'), '1');
  assert.equal(findTabStop([], '1', '2'), undefined);
});
