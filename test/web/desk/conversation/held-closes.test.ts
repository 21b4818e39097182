import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { type HeldClose, HeldCloses } from '../../../../web/desk/conversation/closing/held-closes.ts';
import { type Answer, fail, succeed } from '../../../../web/shared/api/request.ts';

let stored: Map<string, string>;
let sent: string[];
let sentAtPageEnd: string[];
let refused: string[];
let answer: Answer<unknown>;

beforeEach(() => {
  stored = new Map();
  [sent, sentAtPageEnd, refused] = [[], [], []];
  answer = succeed(undefined);
});

/** As after every load of the page in the same tab. */
function load(owner = '1.7'): HeldCloses {
  return new HeldCloses({
    owner,
    async close({ conversationId, closingLine }) {
      sent.push(`${conversationId} ${closingLine}`);
      return answer;
    },
    closeAtPageEnd: ({ conversationId, closingLine }) => sentAtPageEnd.push(`${conversationId} ${closingLine}`),
    storage: { getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value) },
    onRefused: (_held, failure) => refused.push(failure),
  });
}

const close = (conversationId: string, until: number): Omit<HeldClose, 'step'> => ({
  ...{ conversationId, until, visitorName: 'Lea Roux', closingLine: 'Goodbye' },
});
const ids = (held: HeldCloses) => held.getAll().map(({ conversationId }) => conversationId);

/** As when the desk hears that conversations are closed. */
const forget = (held: HeldCloses, ...closed: string[]) => held.forgetUnless((id) => !closed.includes(id));

test('another operator in the same tab has none of them', () => {
  load().hold(close('1', 100));
  assert.deepEqual(ids(load('2.7')), []);
  assert.deepEqual(ids(load()), ['1']);
});

test('it is sent once when its time is over, and not before', async () => {
  const held = load();
  held.hold(close('1', 5000));
  assert.equal(held.findNextDue(), 5000);
  await held.sendDue(4999);
  assert.deepEqual(sent, []);
  await held.sendDue(5000);
  await held.sendDue(6000);
  assert.deepEqual(sent, ['1 Goodbye']);
  assert.deepEqual(ids(held), ['1'], 'until the desk knows that the conversation is closed');
  forget(held, '1');
  assert.deepEqual(ids(held), []);
  assert.deepEqual(ids(load()), []);
});

test('an undo in time sends nothing, also after a reload', async () => {
  const held = load();
  held.hold(close('1', 5000));
  assert.equal(held.canUndo('1'), true);
  held.undo('1');
  assert.equal(held.canUndo('1'), false);
  await held.sendDue(9000);
  await load().sendDue(9000);
  assert.deepEqual(sent, []);
});

test('an undo while it is sent is too late', async () => {
  const held = load();
  held.hold(close('1', 5000));
  const sending = held.sendDue(5000);
  assert.equal(held.canUndo('1'), false);
  held.undo('1');
  await sending;
  assert.deepEqual(sent, ['1 Goodbye']);
  assert.deepEqual(ids(held), ['1']);
});

test('it is sent when the page goes, and again by the next page until the service has answered', async () => {
  load().hold(close('1', 5000));
  const held = load();
  held.sendAtPageEnd();
  assert.deepEqual(sentAtPageEnd, ['1 Goodbye']);
  assert.equal(held.findNextDue(), undefined);
  const next = load();
  await next.sendDue(0);
  assert.deepEqual(sent, ['1 Goodbye']);
  await load().sendDue(0);
  assert.deepEqual(sent, ['1 Goodbye']);
});

test('a page that goes while it is on its way sends it again, with its line', async () => {
  const held = load();
  held.hold(close('1', 5000));
  const sending = held.sendDue(5000);
  held.sendAtPageEnd();
  assert.deepEqual(sentAtPageEnd, ['1 Goodbye']);
  await sending;
  held.sendAtPageEnd();
  assert.equal(sentAtPageEnd.length, 1, 'not when it has arrived');
});

test('without a connection it stays, and is sent later', async () => {
  const held = load();
  held.hold(close('1', 5000));
  for (const kind of ['unreachable', 'loggedOut'] as const) {
    answer = fail({ kind });
    await held.sendDue(6000);
    assert.deepEqual(ids(load()), ['1']);
  }
  assert.deepEqual(refused, []);
  answer = succeed(undefined);
  await held.sendDue(7000);
  assert.deepEqual(sent, ['1 Goodbye', '1 Goodbye', '1 Goodbye']);
  await held.sendDue(8000);
  assert.equal(sent.length, 3);
});

test('a refusal is said, and the conversation is open again', async () => {
  const held = load();
  held.hold(close('1', 5000));
  answer = fail({ kind: 'refused', code: 'FORBIDDEN', description: 'Not yours.' });
  await held.sendDue(5000);
  assert.deepEqual(refused, ['Not yours.']);
  assert.deepEqual(ids(held), []);
});

test('several are held at once, each with its own time', async () => {
  const held = load();
  held.hold(close('1', 5000));
  held.hold(close('2', 7000));
  assert.equal(held.findLast()?.conversationId, '2');
  await held.sendDue(5000);
  assert.deepEqual(sent, ['1 Goodbye']);
  assert.deepEqual(
    held.getAll().map(({ step }) => step),
    ['sent', 'held'],
  );
  forget(held, '1', '2');
  await held.sendDue(9000);
  assert.equal(sent.length, 1);
});

test('what is stored can be broken', () => {
  stored.set('switchboard:held-closes', '{');
  assert.deepEqual(ids(load()), []);
});

test('a conversation that is closed already is no failure', async () => {
  const held = load();
  held.hold(close('1', 5000));
  answer = fail({ kind: 'refused', code: 'state', description: 'The conversation is closed.' });
  await held.sendDue(5000);
  assert.deepEqual(refused, []);
  forget(held, '1');
  assert.deepEqual(ids(held), []);
});

test('its time does not run out while someone points at the undo, and a moment is left after that', async () => {
  const held = load();
  held.hold(close('1', 5000));
  held.setPaused(true, 4000);
  assert.equal(held.findNextDue(), undefined);
  await held.sendDue(60_000);
  assert.deepEqual(sent, []);
  held.setPaused(false, 60_000);
  assert.equal(held.findNextDue(), 62_000);
  await held.sendDue(62_000);
  assert.deepEqual(sent, ['1 Goodbye']);
});

test('the identifiers are the same object while they are the same', async () => {
  const held = load();
  const none = held.getIds();
  held.hold(close('1', 5000));
  const one = held.getIds();
  assert.notEqual(one, none);
  await held.sendDue(5000);
  assert.equal(held.getIds(), one);
  forget(held, '1');
  assert.equal(held.getIds().size, 0);
});

test('the last that can be undone is the one that was closed last', async () => {
  const held = load();
  assert.equal(held.findLast(), undefined);
  held.hold(close('1', 9000));
  held.hold(close('2', 5000));
  held.hold(close('1', 9500));
  assert.equal(held.findLast()?.conversationId, '1');
  held.undo('1');
  assert.equal(held.findLast()?.conversationId, '2');
  await held.sendDue(5000);
  assert.equal(held.findLast(), undefined);
});
