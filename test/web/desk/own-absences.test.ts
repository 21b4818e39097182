import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Message } from '../../../web/desk/state/model.ts';
import { listMessagesFor } from '../../../web/desk/state/own-absences.ts';
import { createMessage, VIEWER } from './states.ts';

const BO = { id: '8', pseudo: 'Bo' };

/** `Ada joins`, `away`, `Bo writes` … */
function createMessages(...steps: readonly string[]): Message[] {
  return steps.map((step, index) => {
    const [who, what = who] = step.split(' ');
    const operator = who === 'Bo' ? BO : { id: VIEWER.id, pseudo: VIEWER.pseudo };
    if (what === 'writes') return createMessage(index + 1, { author: 'OPERATOR', operator });
    if (what === 'asks') return createMessage(index + 1);
    const code = what === 'joins' ? 'operator_joined' : what === 'transferred' ? what : `operator_${what}`;
    const parameters = what === 'joins' ? [{ name: 'pseudo', value: operator.pseudo }] : [];
    return createMessage(index + 1, { author: 'NOTICE', notice: { code, parameters } });
  });
}

/** The sequence numbers of the messages that Ada reads. */
const read = (operator: typeof BO | null, ...steps: readonly string[]) =>
  listMessagesFor(VIEWER, { messages: createMessages(...steps), operator }).map(({ sequence }) => sequence);

describe('an operator does not read that they lost the connection', () => {
  test('in their own conversation', () => {
    assert.deepEqual(read(VIEWER, 'asks', 'Ada joins', 'away', 'back', 'asks', 'away', 'back'), [1, 2, 5]);
  });

  test('even if the beginning is not loaded', () => {
    assert.deepEqual(read(VIEWER, 'asks', 'away', 'back'), [1]);
    assert.deepEqual(read(VIEWER, 'Bo writes', 'away', 'back', 'transferred', 'Ada joins', 'away'), [1, 2, 3, 4, 5]);
    assert.deepEqual(read(BO, 'Ada writes', 'away', 'transferred', 'Bo joins', 'away'), [1, 3, 4, 5]);
  });

  test('but they read it of a colleague', () => {
    assert.deepEqual(read(BO, 'Bo joins', 'away', 'back'), [1, 2, 3]);
    assert.deepEqual(read(VIEWER, 'Bo joins', 'away', 'left', 'Ada joins', 'away', 'back'), [1, 2, 3, 4]);
    assert.deepEqual(read(BO, 'Ada joins', 'away', 'back', 'transferred', 'Bo joins', 'away'), [1, 4, 5, 6]);
    assert.deepEqual(read(null, 'Bo joins', 'away', 'left'), [1, 2, 3]);
  });

  test('a colleague with the same pseudonym is known by what they write', () => {
    assert.deepEqual(read(BO, 'Ada joins', 'Bo writes', 'away', 'transferred', 'Bo joins'), [1, 2, 3, 4, 5]);
  });

  test('that their time ran out is told as their own', () => {
    const messages = createMessages('Ada joins', 'away', 'left', 'Bo joins');
    const codes = listMessagesFor(VIEWER, { messages, operator: BO }).map(({ notice }) => notice?.code);
    assert.deepEqual(codes, ['operator_joined', 'operator_left_own', 'operator_joined']);
  });
});

test('without such notices the list is the same object', () => {
  const messages = createMessages('Ada joins', 'asks', 'Ada writes');
  assert.equal(listMessagesFor(VIEWER, { messages, operator: VIEWER }), messages);
});
