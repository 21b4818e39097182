import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RepeatLimit } from '../../../src/core/signals/repeat-limit.ts';
import { MAX_PENDING_SIGNALS } from '../../../src/core/signals/signal-listener.ts';
import { Signals } from '../../../src/core/signals/signals.ts';

const ONE_NODE = { broadcast: () => undefined, onBroadcast: () => () => undefined };
const CONVERSATION = { accountId: 1, id: 12, operatorId: 5 };
const readUpTo = (upTo: number) => ({ kind: 'read', author: 'visitor', upTo }) as const;

test('rule 26: at most one signal per second and person, also across the limits of a second', () => {
  let now = 0;
  const limit = new RepeatLimit(1000, () => now);
  const admitted: number[] = [];
  for (; now < 10_000; now += 90) if (limit.admit('visitor')) admitted.push(now);
  assert.ok(admitted.length >= 9, String(admitted));
  for (const [index, time] of admitted.slice(1).entries()) assert.ok(time - (admitted[index] as number) >= 1000);
  assert.ok(limit.admit('another'), 'others are not affected');
});

test('rule 26: a listener receives the signals of its conversation, of its operator or of what waits, and of no other account', async () => {
  const signals = new Signals(ONE_NODE);
  const listeners = {
    conversation: signals.listen(1, { conversationId: 12 }),
    operator: signals.listen(1, { operatorId: 5 }),
    waiting: signals.listen(1, { operatorId: null }),
    otherConversation: signals.listen(1, { conversationId: 13 }),
    otherAccount: signals.listen(2, { conversationId: 12 }),
  };
  signals.publish(CONVERSATION, readUpTo(1));
  signals.publish({ ...CONVERSATION, operatorId: null }, readUpTo(2));
  signals.publish({ ...CONVERSATION, id: 14 }, readUpTo(3));
  const received = async (name: keyof typeof listeners) => {
    const stream = listeners[name].receive();
    const list: (number | null)[] = [];
    // Nothing else is pending: the next signal ends the stream.
    setImmediate(() => listeners[name].close());
    for await (const { upTo } of stream) list.push(upTo);
    return list;
  };
  assert.deepEqual(await received('conversation'), [1, 2]);
  assert.deepEqual(await received('operator'), [1, 3]);
  assert.deepEqual(await received('waiting'), [2]);
  assert.deepEqual(await received('otherConversation'), []);
  assert.deepEqual(await received('otherAccount'), []);
});

test('rule 26: a listener that does not read keeps only the newest signals', async () => {
  const signals = new Signals(ONE_NODE);
  const listener = signals.listen(1, { conversationId: 12 });
  for (let upTo = 1; upTo <= 100_000; upTo += 1) signals.publish(CONVERSATION, readUpTo(upTo));
  const stream = listener.receive();
  assert.equal((await stream.next()).value.upTo, 100_001 - MAX_PENDING_SIGNALS);
  listener.close();
  assert.equal((await stream.next()).done, true);
  signals.publish(CONVERSATION, readUpTo(1)); // has no effect on a closed listener
});

test('a listener that was closed with an error passes it on', async () => {
  const listener = new Signals(ONE_NODE).listen(1, { operatorId: 5 });
  const next = listener.receive().next();
  listener.close(new Error('lost'));
  await assert.rejects(next, /lost/);
});
