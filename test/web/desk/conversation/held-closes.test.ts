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
function load(): HeldCloses {
  return new HeldCloses({
    async close({ conversationId, closingLine }) {
      sent.push(`${conversationId} ${closingLine}`);
      return answer;
    },
    closeAtPageEnd: ({ conversationId }) => sentAtPageEnd.push(conversationId),
    storage: { getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value) },
    onRefused: (_held, failure) => refused.push(failure),
  });
}

const close = (conversationId: string, until: number): Omit<HeldClose, 'step'> => ({
  ...{ conversationId, until, visitorName: 'Lea Roux', closingLine: 'Goodbye' },
});
const ids = (held: HeldCloses) => held.getAll().map(({ conversationId }) => conversationId);

test('it is sent once when its time is over, and not before', async () => {
  const held = load();
  held.hold(close('1', 5000));
  assert.equal(held.findNextDue(), 5000);
  await held.sendDue(4999);
  assert.deepEqual(sent, []);
  await held.sendDue(5000);
  await held.sendDue(6000);
  assert.deepEqual(sent, ['1 Goodbye']);
  assert.deepEqual(ids(held), []);
  assert.deepEqual(ids(load()), []);
});

test('an undo in time sends nothing, also after a reload', async () => {
  const held = load();
  held.hold(close('1', 5000));
  assert.equal(held.undo('1'), true);
  await held.sendDue(9000);
  await load().sendAll();
  assert.deepEqual(sent, []);
  assert.equal(held.undo('1'), false);
});

test('an undo while it is sent is too late', async () => {
  const held = load();
  held.hold(close('1', 5000));
  const sending = held.sendDue(5000);
  assert.equal(held.undo('1'), false);
  await sending;
  assert.deepEqual(sent, ['1 Goodbye']);
});

test('it is sent when the page goes, and again by the next page until the service has answered', async () => {
  load().hold(close('1', 5000));
  const held = load();
  held.sendAtPageEnd();
  held.sendAtPageEnd();
  assert.deepEqual(sentAtPageEnd, ['1']);
  assert.equal(held.findNextDue(), undefined);
  const next = load();
  await next.sendDue(0);
  assert.deepEqual(sent, ['1 Goodbye']);
  assert.deepEqual(ids(load()), []);
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
  // The desk has the line since the first attempt.
  assert.deepEqual(sent, ['1 Goodbye', '1 ', '1 ']);
  assert.deepEqual(ids(held), []);
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
  await held.sendDue(5000);
  assert.deepEqual(sent, ['1 Goodbye']);
  assert.deepEqual(ids(held), ['2']);
  held.forget('2');
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
  assert.deepEqual(ids(held), []);
});
