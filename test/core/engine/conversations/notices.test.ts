import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { closeConversation } from '../../../../src/core/engine/conversations/conversation-service.ts';
import type { Conversation } from '../../../../src/core/engine/records/conversation.ts';
import { NOTICE_TEXTS, OLD_NOTICE_SENTENCES } from '../../../../src/core/engine/records/notice-texts.ts';
import { parseNotice, renderNotice, renderText } from '../../../../src/core/engine/records/notices.ts';
import { fullAccessCaller, SYSTEM, systemContext } from '../../../../src/core/kernel/caller.ts';
import { databases, shareInstallation } from '../../../support/databases/databases.ts';
import { EngineFixture } from '../../../support/fixtures/engine-fixture.ts';

const stored = (noticeCode: string | null, noticeParameters: string | null, text = 'stored') => ({
  noticeCode,
  noticeParameters,
  text,
});

test('rule 27: every notice has a text in every language, with and without its parameters', () => {
  for (const language of Object.keys(NOTICE_TEXTS)) {
    for (const code of Object.keys(NOTICE_TEXTS.en)) {
      for (const parameters of [{}, { pseudo: 'Ana', minutes: '5' }]) {
        const text = renderNotice({ code, parameters }, language);
        assert.match(text ?? '', /^\S.*\S$/, `${language} ${code}`);
        assert.doesNotMatch(text ?? '', /undefined/);
      }
    }
  }
  const joined = stored('operator_joined', '{"pseudo":"Ana"}');
  assert.equal(renderText(joined, 'fr'), 'Ana a rejoint la conversation.');
  assert.equal(renderText(joined, 'de'), 'Ana ist der Unterhaltung beigetreten.');
});

test('rule 27: what this version cannot render keeps its stored text', () => {
  assert.equal(renderText(stored(null, null), 'fr'), 'stored');
  assert.equal(parseNotice(stored(null, null)), null);
  assert.equal(renderText(stored('of_a_newer_version', '{}'), 'fr'), 'stored');
  assert.equal(renderText(stored('operator_back', null), 'it'), 'stored');
  assert.equal(renderText(stored('operator_back', null), 'constructor'), 'stored');
  assert.equal(renderText(stored('constructor', null), 'en'), 'stored');
});

test('rule 27: the sentences of earlier versions have codes with the same sentence in English', () => {
  for (const [sentence, code] of OLD_NOTICE_SENTENCES)
    assert.equal(renderNotice({ code, parameters: {} }, 'en'), sentence);
  assert.equal(OLD_NOTICE_SENTENCES.size, 4);
});

for (const { name, open } of databases) {
  describe(`notices on ${name}`, () => {
    const openAccount = shareInstallation(open);
    const noticesOf = async (fixture: EngineFixture, conversation: Pick<Conversation, 'id'>) => {
      const current = await fixture.loadConversation(conversation.id);
      const { conversations } = fixture.installation;
      const messages = await conversations.loadMessagesAfter(current, { after: 0, limit: 50 });
      assert.deepEqual(
        messages.map(({ sequence }) => sequence),
        messages.map((_, index) => index + 1),
      );
      assert.equal(current.messageCount, messages.length);
      return messages.map(({ noticeCode, noticeParameters }) => [noticeCode, JSON.parse(noticeParameters ?? 'null')]);
    };

    test('rule 27: an operator who accepts has joined, which is no answer', async () => {
      const fixture = await EngineFixture.create(openAccount);
      await fixture.createOperator({ pseudo: 'Bob' });
      const accepted = await fixture.accept(await fixture.startConversation({ message: 'Hello' }));
      assert.deepEqual(await noticesOf(fixture, accepted), [
        [null, null],
        ['operator_joined', { pseudo: 'Bob' }],
      ]);
      const { messageCount, firstAnswerAt } = await fixture.loadConversation(accepted.id);
      assert.deepEqual([accepted.messageCount, messageCount, firstAnswerAt], [2, 2, null]);
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.end();
    });

    test('rule 27: an operator without a pseudonym is named as an operator', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const id = await fixture.createOperator();
      const { conversations } = fixture.installation;
      await fixture.transact(async (tx) => {
        await tx.db.updateTable('operators').set({ pseudo: ' ' }).where('id', '=', id).execute();
      });
      const accepted = await fixture.accept(await fixture.startConversation());
      assert.deepEqual(await noticesOf(fixture, accepted), [['operator_joined', {}]]);
      const [message] = await conversations.loadMessagesAfter(accepted, { after: 0, limit: 1 });
      assert.equal(message?.text, 'An operator joined the conversation.');
      await fixture.end();
    });

    test('rule 27: both sides read who has joined after a transfer and after a take', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const { conversations, accountId } = fixture.installation;
      const first = await fixture.createOperator({ pseudo: 'First' });
      const running = await fixture.accept(await fixture.startConversation());
      const second = await fixture.createOperator({ pseudo: 'Second' });
      const move = { id: running.id, operatorId: second };
      await fixture.accept(await conversations.transfer(fixture.transact, fixture.callerFor(first), move));
      const manager = fullAccessCaller(accountId, SYSTEM);
      await conversations.take(fixture.transact, manager, { id: running.id, operatorId: first });
      assert.deepEqual(await noticesOf(fixture, running), [
        ['operator_joined', { pseudo: 'First' }],
        ['transferred', {}],
        ['operator_joined', { pseudo: 'Second' }],
        ['transferred', {}],
        ['operator_joined', { pseudo: 'First' }],
      ]);
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.end();
    });

    test('rule 27: both sides read why the service closed a conversation, before it is closed', async () => {
      const fixture = await EngineFixture.create(openAccount);
      await fixture.createOperator({ pseudo: 'Bob', chatMaxNumber: 5 });
      const position = await fixture.readPosition();
      const running = await fixture.accept(await fixture.startConversation());
      const context = systemContext(fixture.accountId);
      const closed = await fixture.transact((tx) =>
        closeConversation(tx, context, running, { closeReason: 'visitor_left' }),
      );
      assert.equal(closed.messageCount, 2);
      assert.deepEqual((await noticesOf(fixture, running)).at(-1), ['visitor_left', {}]);
      const events = (await fixture.loadEventsAfter(position)).filter(({ subjectId }) => subjectId === running.id);
      assert.deepEqual(
        events.slice(-2).map(({ type, changes }) => [type, changes.values.noticeCode ?? null]),
        [
          ['message.created', 'visitor_left'],
          ['conversation.closed', null],
        ],
      );
      assert.ok(
        events.every(({ changes }) => !JSON.stringify(changes).includes('Bob')),
        'no parameters in events',
      );
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.end();
    });

    test("rule 27: the row keeps a sentence in the website's language", async () => {
      const fixture = await EngineFixture.create(openAccount);
      const { websiteId } = fixture;
      const { conversations } = fixture.installation;
      await fixture.transact(async (tx) => {
        await tx.db.updateTable('websites').set({ languageAdmin: 'es' }).where('id', '=', websiteId).execute();
      });
      const id = await fixture.createOperator({ pseudo: 'Ana', languageList: ['en'] });
      const running = await fixture.accept(await fixture.startConversation({}));
      await fixture.disconnect(id);
      const messages = await conversations.loadMessagesAfter(running, { after: 0, limit: 10 });
      assert.deepEqual(
        messages.map(({ text }) => text),
        ['Ana se ha unido a la conversación.', 'El agente ha perdido la conexión. Espere un momento, por favor.'],
      );
      await fixture.end();
    });
  });
}
