import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { closeConversation } from '../../../../src/core/engine/conversations/conversation-service.ts';
import type { CloseReason } from '../../../../src/core/engine/records/conversation.ts';
import { systemContext } from '../../../../src/core/kernel/caller.ts';
import { isStorable } from '../../../../src/core/kernel/text.ts';
import { databases, shareInstallation } from '../../../support/databases/databases.ts';
import { EngineFixture } from '../../../support/fixtures/engine-fixture.ts';

for (const { name, open } of databases) {
  describe(`messages on ${name}`, () => {
    const openAccount = shareInstallation(open);
    test('rule 16: sequence numbers have no gaps, with concurrent writers', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const { conversations } = fixture.installation;
      const id = await fixture.createOperator();
      const visitor = await fixture.createVisitor();
      const running = await fixture.accept(await fixture.startConversation({ message: 'Hello' }, visitor));
      const sent = await Promise.all(
        Array.from({ length: 50 }, (_, index) => {
          const input = { conversationId: running.id, clientId: `m${index}`, text: `text ${index}` };
          return index % 2 === 0
            ? conversations.send(fixture.transact, fixture.callerFor(id), input)
            : conversations.sendAsVisitor(fixture.transact, visitor, input);
        }),
      );
      const numbers = sent.map((message) => message.sequence).sort((a, b) => a - b);
      assert.deepEqual(
        numbers,
        Array.from({ length: 50 }, (_, index) => index + 3),
      );
      const all = await conversations.loadMessagesAfter(running, { after: 0, limit: 100 });
      assert.deepEqual(
        all.map((message) => message.sequence),
        Array.from({ length: 52 }, (_, index) => index + 1),
      );
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.end();
    });

    test('rule 18: a client id makes a resend harmless, even concurrently and after the close', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const { conversations } = fixture.installation;
      const id = await fixture.createOperator();
      const visitor = await fixture.createVisitor();
      const running = await fixture.accept(await fixture.startConversation({}, visitor));
      const input = { conversationId: running.id, clientId: 'same', text: 'once' };
      const sent = await Promise.all(
        Array.from({ length: 10 }, () => conversations.sendAsVisitor(fixture.transact, visitor, input)),
      );
      assert.deepEqual(new Set(sent.map((message) => message.sequence)), new Set([2]));
      const operatorMessage = await conversations.send(fixture.transact, fixture.callerFor(id), input);
      assert.equal(operatorMessage.sequence, 3, 'client ids are separate for each author');
      await assert.rejects(conversations.send(fixture.transact, fixture.callerFor(id), { ...input, text: 'other' }), {
        kind: 'conflict',
      });
      const position = await fixture.readPosition();
      assert.equal((await conversations.send(fixture.transact, fixture.callerFor(id), input)).sequence, 3);
      assert.deepEqual(await fixture.loadEventsAfter(position), [], 'a resend creates no event');
      await fixture.close(running);
      assert.equal((await conversations.sendAsVisitor(fixture.transact, visitor, input)).sequence, 2);
      await assert.rejects(conversations.sendAsVisitor(fixture.transact, visitor, { ...input, clientId: 'new' }), {
        kind: 'state',
      });
      await fixture.end();
    });

    test('rule 18: a start that is sent again returns the same conversation', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const visitor = await fixture.createVisitor();
      await fixture.createOperator();
      const first = await fixture.startConversation({ message: 'Hello', clientId: 'start-1' }, visitor);
      const repeated = await fixture.startConversation({ message: 'Hello', clientId: 'start-1' }, visitor);
      assert.equal(repeated.id, first.id);
      const stranger = await fixture.startConversation({ message: 'Hello', clientId: 'start-1' });
      assert.notEqual(stranger.id, first.id);
      await fixture.end();
    });

    test('rule 18: reading after sequence n returns exactly the missed messages', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const { conversations } = fixture.installation;
      const visitor = await fixture.createVisitor();
      await fixture.createOperator({}, { connected: false });
      const waiting = await fixture.startConversation({ message: '1' }, visitor);
      for (let count = 2; count <= 7; count += 1) {
        await conversations.sendAsVisitor(fixture.transact, visitor, {
          conversationId: waiting.id,
          text: String(count),
        });
      }
      const missed = await conversations.loadMessagesAfter(waiting, { after: 4, limit: 2 });
      assert.deepEqual(
        missed.map(({ sequence, text }) => [sequence, text]),
        [
          [5, '5'],
          [6, '6'],
        ],
      );
      await fixture.end();
    });

    test('messages are returned byte for byte, for any text', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const { conversations } = fixture.installation;
      const visitor = await fixture.createVisitor();
      await fixture.createOperator({}, { connected: false });
      const waiting = await fixture.startConversation({}, visitor);
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
        await conversations.sendAsVisitor(fixture.transact, visitor, { conversationId: waiting.id, text });
      const storedMessages = await conversations.loadMessagesAfter(waiting, { after: 0, limit: 1000 });
      assert.deepEqual(
        storedMessages.map((message) => message.text),
        texts,
      );
      await fixture.end();
    });

    test('rule 16: a conversation records the time of each state, and who closed it', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const { clock, conversations } = fixture.installation;
      const id = await fixture.createOperator();
      const start = clock.now;
      const offered = await fixture.startConversation();
      clock.advance(2000);
      await fixture.accept(offered);
      clock.advance(3000);
      await conversations.send(fixture.transact, fixture.callerFor(id), { conversationId: offered.id, text: 'Hello' });
      clock.advance(4000);
      await fixture.close({ id: offered.id, operatorId: id });
      const { createdAt, offeredAt, acceptedAt, firstAnswerAt, closedAt, closedBy, closedById } =
        await fixture.loadConversation(offered.id);
      assert.deepEqual(
        [createdAt, offeredAt, acceptedAt, firstAnswerAt, closedAt].map((time) => (time ?? 0) - start),
        [0, 0, 2000, 5000, 9000],
      );
      assert.deepEqual([closedBy, closedById], ['operator', id]);
      await assert.rejects(fixture.close({ id: offered.id, operatorId: id }), { kind: 'state' }, 'closing twice');
      await fixture.end();
    });

    test('rules 22 and 28: a conversation records why the service closed it; a visitor who left has closed it', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const { accountId } = fixture;
      const id = await fixture.createOperator({ chatMaxNumber: 5 });
      const visitor = await fixture.createVisitor();
      const position = await fixture.readPosition();
      const close = async (reason: CloseReason) => {
        const running = await fixture.accept(await fixture.startConversation({}, visitor));
        await fixture.transact((tx) =>
          closeConversation(tx, systemContext(accountId), running, { closeReason: reason }),
        );
        const { closedBy, closedById, closeReason } = await fixture.loadConversation(running.id);
        return [closedBy, closedById, closeReason];
      };
      assert.deepEqual(await close('visitor_left'), ['visitor', visitor.visitorId, 'visitor_left']);
      assert.deepEqual(await close('idle'), ['system', null, 'idle']);
      const purposely = await fixture.accept(await fixture.startConversation({}, visitor));
      await fixture.close({ id: purposely.id, operatorId: id });
      assert.equal((await fixture.loadConversation(purposely.id)).closeReason, null);
      const events = (await fixture.loadEventsAfter(position)).filter(({ type }) => type === 'conversation.closed');
      assert.deepEqual(
        events.map(({ changes }) => changes.values.closeReason),
        ['visitor_left', 'idle', null],
      );
      await fixture.end();
    });
  });
}
