import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isStorable } from '../../../../src/core/kernel/text.ts';
import { databases } from '../../../support/databases/databases.ts';
import { World } from '../../../support/fixtures/world.ts';

for (const { name, open } of databases) {
  describe(`messages on ${name}`, () => {
    test('rule 16: sequence numbers have no gaps, with concurrent writers', async () => {
      const world = await World.create(open);
      const { conversations } = world.installation;
      const id = await world.createOperator();
      const visitor = await world.createVisitor();
      const running = await world.accept(await world.startConversation({ message: 'Hello' }, visitor));
      const sent = await Promise.all(
        Array.from({ length: 50 }, (_, index) => {
          const input = { conversationId: running.id, clientId: `m${index}`, text: `text ${index}` };
          return index % 2 === 0
            ? conversations.send(world.transact, world.callerFor(id), input)
            : conversations.sendAsVisitor(world.transact, visitor, input);
        }),
      );
      const numbers = sent.map((message) => message.sequence).sort((a, b) => a - b);
      assert.deepEqual(
        numbers,
        Array.from({ length: 50 }, (_, index) => index + 2),
      );
      const all = await conversations.messagesAfter(running, { after: 0, limit: 100 });
      assert.deepEqual(
        all.map((message) => message.sequence),
        Array.from({ length: 51 }, (_, index) => index + 1),
      );
      assert.deepEqual(await world.findBrokenInvariants(), []);
      await world.end();
    });

    test('rule 18: a client id makes a resend harmless, even concurrently and after the close', async () => {
      const world = await World.create(open);
      const { conversations } = world.installation;
      const id = await world.createOperator();
      const visitor = await world.createVisitor();
      const running = await world.accept(await world.startConversation({}, visitor));
      const input = { conversationId: running.id, clientId: 'same', text: 'once' };
      const sent = await Promise.all(
        Array.from({ length: 10 }, () => conversations.sendAsVisitor(world.transact, visitor, input)),
      );
      assert.deepEqual(new Set(sent.map((message) => message.sequence)), new Set([1]));
      const operatorMessage = await conversations.send(world.transact, world.callerFor(id), input);
      assert.equal(operatorMessage.sequence, 2, 'client ids are separate for each author');
      await assert.rejects(conversations.send(world.transact, world.callerFor(id), { ...input, text: 'other' }), {
        kind: 'conflict',
      });
      const position = await world.readPosition();
      assert.equal((await conversations.send(world.transact, world.callerFor(id), input)).sequence, 2);
      assert.deepEqual(await world.loadEventsAfter(position), [], 'a resend creates no event');
      await world.close(running);
      assert.equal((await conversations.sendAsVisitor(world.transact, visitor, input)).sequence, 1);
      await assert.rejects(conversations.sendAsVisitor(world.transact, visitor, { ...input, clientId: 'new' }), {
        kind: 'state',
      });
      await world.end();
    });

    test('rule 18: a start that is sent again returns the same conversation', async () => {
      const world = await World.create(open);
      const visitor = await world.createVisitor();
      await world.createOperator();
      const first = await world.startConversation({ message: 'Hello', clientId: 'start-1' }, visitor);
      const again = await world.startConversation({ message: 'Hello', clientId: 'start-1' }, visitor);
      assert.equal(again.id, first.id);
      const stranger = await world.startConversation({ message: 'Hello', clientId: 'start-1' });
      assert.notEqual(stranger.id, first.id);
      await world.end();
    });

    test('rule 18: reading after sequence n returns exactly the missed messages', async () => {
      const world = await World.create(open);
      const { conversations } = world.installation;
      const visitor = await world.createVisitor();
      await world.createOperator({}, { away: true });
      const waiting = await world.startConversation({ message: '1' }, visitor);
      for (let count = 2; count <= 7; count += 1) {
        await conversations.sendAsVisitor(world.transact, visitor, { conversationId: waiting.id, text: String(count) });
      }
      const missed = await conversations.messagesAfter(waiting, { after: 4, limit: 2 });
      assert.deepEqual(
        missed.map(({ sequence, text }) => [sequence, text]),
        [
          [5, '5'],
          [6, '6'],
        ],
      );
      await world.end();
    });

    test('messages are returned byte for byte, for any text', async () => {
      const world = await World.create(open);
      const { conversations } = world.installation;
      const visitor = await world.createVisitor();
      await world.createOperator({}, { away: true });
      const waiting = await world.startConversation({}, visitor);
      const texts = fc.sample(fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }).filter(isStorable), 200);
      texts.push(
        '\u{1F469}\u200D\u{1F4BB}',
        '\u202Eright to left',
        'e\u0301',
        '\r\n\t',
        '\uFFFE',
        "'; drop table messages; --",
      );
      for (const text of texts)
        await conversations.sendAsVisitor(world.transact, visitor, { conversationId: waiting.id, text });
      const back = await conversations.messagesAfter(waiting, { after: 0, limit: 1000 });
      assert.deepEqual(
        back.map((message) => message.text),
        texts,
      );
      await world.end();
    });

    test('rule 16: a conversation records the time of each state, and who closed it', async () => {
      const world = await World.create(open);
      const { clock, conversations } = world.installation;
      const id = await world.createOperator();
      const start = clock.now;
      const offered = await world.startConversation();
      clock.advance(2000);
      await world.accept(offered);
      clock.advance(3000);
      await conversations.send(world.transact, world.callerFor(id), { conversationId: offered.id, text: 'Hello' });
      clock.advance(4000);
      await world.close({ id: offered.id, operatorId: id });
      const { createdAt, offeredAt, acceptedAt, firstAnswerAt, closedAt, closedBy, closedById } =
        await world.loadConversation(offered.id);
      assert.deepEqual(
        [createdAt, offeredAt, acceptedAt, firstAnswerAt, closedAt].map((time) => (time ?? 0) - start),
        [0, 0, 2000, 5000, 9000],
      );
      assert.deepEqual([closedBy, closedById], ['operator', id]);
      await assert.rejects(world.close({ id: offered.id, operatorId: id }), { kind: 'state' }, 'closing twice');
      await world.end();
    });
  });
}
