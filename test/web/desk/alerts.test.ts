import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countAttention, formatTitle } from '../../../web/desk/frame/alerts/counts.ts';
import { addDot, formatDot } from '../../../web/desk/frame/alerts/dotted-icon.ts';
import { findNews } from '../../../web/desk/frame/alerts/news.ts';
import { DeskTabs, type Locks } from '../../../web/desk/frame/alerts/tabs.ts';
import type { DeskConversation, DeskState } from '../../../web/desk/state/model.ts';
import { createFields, createMessage, createState, toTime } from './states.ts';

const OFFER = { ...createFields('1', { state: 'OFFERED', acceptedAt: null, offerUntil: toTime(1) }), messages: [] };
const CHAT = { ...createFields('2', { messageCount: 1 }), messages: [createMessage(1)] };
const STRANGE = { ...createFields('3', { operator: { id: '8', pseudo: 'Bo' } }), messages: [createMessage(1)] };

function change(state: DeskState, id: string, changes: Partial<DeskConversation>): DeskState {
  const known = state.conversations.get(id);
  assert.ok(known);
  return { ...state, conversations: new Map(state.conversations).set(id, { ...known, ...changes }) };
}

const describeNews = (before: DeskState, after: DeskState) =>
  findNews(before, after).map(({ kind, conversation }) => `${kind} ${conversation.id}`);

describe('what waits for the operator', () => {
  test('offers and unread messages are counted, other operators’ are not', () => {
    const state = createState([OFFER, { ...CHAT, unreadCount: 2 }, { ...STRANGE, unreadCount: 9 }]);
    assert.equal(countAttention(change(state, '2', { unreadCount: 2 })), 3);
    assert.equal(countAttention(createState()), 0);
  });

  test('the title has the count in front', () => {
    assert.equal(formatTitle('Lea Roux', 0), 'Lea Roux · Switchboard');
    assert.equal(formatTitle('Lea Roux', 3), '(3) Lea Roux · Switchboard');
    assert.equal(formatTitle('Lea Roux', 100), '(99+) Lea Roux · Switchboard');
  });

  test('the dot is inside of the drawing, and a large count is short', () => {
    const icon = addDot('<svg viewBox="0 0 32 32"><path d="M0 0"/></svg>', formatDot(12));
    const [, x, y, radius] = /cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"/.exec(icon)?.map(Number) ?? [];
    assert.ok(x !== undefined && y !== undefined && radius !== undefined);
    assert.ok(x + radius <= 32 && y + radius <= 32);
    assert.match(icon, />9\+<\/text><\/svg>$/);
    assert.equal(formatDot(0), '');
    assert.equal(formatDot(9), '9');
  });
});

describe('what an operator hears of', () => {
  const empty = createState();
  const state = createState([OFFER, CHAT]);

  test('a new offer, once', () => {
    const offered = createState([OFFER]);
    assert.deepEqual(describeNews(empty, offered), ['offer 1']);
    assert.deepEqual(describeNews(offered, change(offered, '1', { language: 'de' })), []);
  });

  test('a message of the visitor, not an own one and not one that was there', () => {
    const message = createMessage(2);
    const own = createMessage(2, { author: 'OPERATOR' });
    assert.deepEqual(describeNews(state, change(state, '2', { messages: [createMessage(1), message] })), ['message 2']);
    assert.deepEqual(describeNews(state, change(state, '2', { messages: [createMessage(1), own] })), []);
    assert.deepEqual(describeNews(state, change(state, '2', { unreadCount: 0 })), []);
  });

  test('an accepted offer says nothing more', () => {
    assert.deepEqual(describeNews(state, change(state, '1', { state: 'ACTIVE', acceptedAt: toTime(1) })), []);
  });

  test('a conversation that starts without an offer announces itself', () => {
    const automatic = { ...empty, account: { ...empty.account, autoAccept: true } };
    const started = { ...createState([CHAT]), account: automatic.account };
    assert.deepEqual(describeNews(automatic, started), ['started 2']);
  });

  test('also if the setting was changed after the desk was read, or a manager assigned it', () => {
    assert.deepEqual(describeNews(empty, createState([CHAT])), ['started 2']);
    const other = change(state, '2', { operator: { id: '8', pseudo: 'Bo' } });
    assert.deepEqual(describeNews(other, state), ['started 2']);
  });

  test('what the operator takes from those that wait is no news', () => {
    const waiting = { ...empty, queue: { totalCount: 1, conversations: [createState([CHAT]).conversations.get('2')] } };
    assert.deepEqual(describeNews(waiting as DeskState, createState([CHAT])), []);
  });
});

/** Locks as browsers have them, for the tabs of one test. */
function createLocks(): Locks {
  const held: { name: string; release: Promise<unknown> }[] = [];
  const request: Locks['request'] = async (name, { mode, signal }, hold) => {
    const findOthers = () => held.filter((lock) => lock.name === name);
    while (mode !== 'shared' && findOthers().length > 0) {
      await Promise.race(findOthers().map(({ release }) => release));
      if (signal.aborted) return;
    }
    const lock = { name, release: hold() };
    held.push(lock);
    await lock.release;
    held.splice(held.indexOf(lock), 1);
  };
  return { request, query: async () => ({ held: [...held], pending: [] }) };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('several tabs with a desk', () => {
  test('one makes noise, and another one takes over when it is closed', async () => {
    const locks = createLocks();
    const tabs = [new DeskTabs(locks), new DeskTabs(locks), new DeskTabs(locks)];
    await settle();
    assert.deepEqual(
      tabs.map(({ isElected }) => isElected),
      [true, false, false],
    );
    tabs[0]?.stop();
    await settle();
    assert.equal(tabs.filter(({ isElected }) => isElected).length, 1);
    assert.equal(tabs[0]?.isElected, false);
    for (const each of tabs) each.stop();
  });

  test('each knows that the operator looks at one of them', async () => {
    const locks = createLocks();
    const [first, second] = [new DeskTabs(locks), new DeskTabs(locks)];
    assert.equal(await first.isOneInFront(), false);
    second.setInFront(true);
    await settle();
    assert.equal(await first.isOneInFront(), true);
    second.setInFront(false);
    await settle();
    assert.equal(await first.isOneInFront(), false);
    for (const each of [first, second]) each.stop();
  });

  test('without locks each is on its own', async () => {
    const tab = new DeskTabs(undefined);
    assert.equal(tab.isElected, true);
    assert.equal(await tab.isOneInFront(), false);
    tab.setInFront(true);
    assert.equal(await tab.isOneInFront(), true);
    tab.stop();
  });
});
