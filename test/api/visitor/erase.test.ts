import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { answerSatisfaction } from '../../../src/core/engine/conversations/satisfaction.ts';
import type { VisitorCaller } from '../../../src/core/kernel/caller.ts';
import { databases } from '../../support/databases/databases.ts';
import { openStoredData } from '../../support/databases/stored-data.ts';
import { EngineFixture } from '../../support/fixtures/engine-fixture.ts';

const PROFILE = {
  ...{ lastname: 'Sécrète', firstname: 'Ana', address: 'Rue Privée 1', city: 'Lyon', zip: '69001', country: 'France' },
  ...{ phone: '+33 1 23', email: 'ana@private.example' },
};
const CONTEXT = {
  ...{ page: 'https://shop.example/private-page', title: 'Private title', referrer: 'https://private.example/' },
  fields: [{ name: 'private name', value: 'private value' }],
};
const BROWSER = 'Mozilla/5.0 (Private)';

for (const { name, open } of databases) {
  describe(`erasing a visitor on ${name}`, () => {
    /** Creates a visitor with a closed and an active conversation and a survey answer. */
    const withVisitor = async (
      work: (fixture: EngineFixture, caller: VisitorCaller, token: string) => Promise<void>,
    ) => {
      const fixture = await EngineFixture.create(open);
      const {
        conversations,
        secrets,
        visitors: { sessions: visitorSessions, websites: visitorWebsites },
      } = fixture.installation;
      const website = await visitorWebsites.find(fixture.accountId, fixture.websiteId);
      assert.ok(website);
      const secret = secrets.deriveVisitorSecret(fixture.accountId, website.id, 1);
      const signature = createHmac('sha256', secret).update('customer 7').digest('hex');
      const session = { ...PROFILE, context: CONTEXT, externalId: 'customer 7', signature, language: 'en' };
      const { token } = await visitorSessions.open(website, session, BROWSER);
      const caller = await visitorSessions.findCaller(token);
      assert.ok(caller);
      const operatorId = await fixture.createOperator();
      const closed = await fixture.accept(
        await fixture.startConversation({ message: 'secret words', clientId: 'c1' }, caller),
      );
      await conversations.send(fixture.transact, fixture.callerFor(operatorId), {
        conversationId: closed.id,
        text: 'secret answer',
      });
      const note = { conversationId: closed.id, clientId: 'note-1', text: 'secret note' };
      await conversations.addNote(fixture.transact, fixture.callerFor(operatorId), note);
      await fixture.close(closed);
      const answer = { welcome: 5, resolution: 4, delay: 3, comment: 'secret comment' };
      await answerSatisfaction(fixture.transact, caller, closed.id, answer);
      await fixture.accept(await fixture.startConversation({ message: 'more secret words' }, caller));
      await work(fixture, caller, token);
      await fixture.end();
    };
    const erase = (fixture: EngineFixture, id: number) =>
      fixture.installation.visitors.erasure.erase(fixture.transact, fixture.installation.caller, id);

    test('rule 17: no personal data is left in any table, and statistics are unchanged', () =>
      withVisitor(async (fixture, { visitorId }) => {
        const { database, statistics } = fixture.installation;
        const figures = async () => {
          const [{ satisfactionRate, conversationNumber, answeredNumber } = {}] = await statistics.compute(
            fixture.accountId,
            {
              subject: 'account',
              ids: [fixture.accountId],
              filters: {},
            },
          );
          return { satisfactionRate, conversationNumber, answeredNumber };
        };
        assert.match(await dump(fixture), /private-page.*private value/s);
        const before = await figures();
        const position = await fixture.readPosition();
        const erased = await erase(fixture, visitorId);
        assert.equal(erased.erasedAt, fixture.installation.clock.now);

        const stored = await dump(fixture);
        for (const secret of [
          ...Object.values(PROFILE),
          BROWSER,
          ...['private-page', 'Private title', 'https://private.example/', 'private name', 'private value'],
          'customer 7',
          'secret words',
          'secret answer',
          'secret comment',
          'secret note',
          '"c1"',
        ]) {
          assert.ok(!stored.includes(secret), `${secret} was not erased`);
        }
        assert.deepEqual(await figures(), before);
        const conversations = await database.read.selectFrom('conversations').selectAll().orderBy('id').execute();
        assert.deepEqual(
          conversations.map(({ state, messageCount }) => [state, messageCount]),
          [
            ['closed', 4],
            ['closed', 3],
          ],
        );
        const texts = await database.read
          .selectFrom('messages')
          .select(['text', 'authorType'])
          .orderBy('conversationId')
          .orderBy('sequence')
          .execute();
        assert.deepEqual(texts, [
          ...[
            { text: '', authorType: 'visitor' },
            { text: '', authorType: 'notice' },
            { text: '', authorType: 'operator' },
          ],
          { text: 'The messages in this conversation were removed on request.', authorType: 'notice' },
          ...[
            { text: '', authorType: 'visitor' },
            { text: '', authorType: 'notice' },
          ],
          { text: 'The messages in this conversation were removed on request.', authorType: 'notice' },
        ]);
        assert.deepEqual(await fixture.findBrokenInvariants(), []);
        const events = await fixture.loadEventsAfter(position);
        const updates = events.filter(({ type }) => type === 'visitor.updated');
        assert.deepEqual(updates[0]?.changes.values, {});
        assert.ok(updates[0]?.changes.fields.includes('email'));
        assert.deepEqual(
          events.map(({ type }) => type).filter((type) => type === 'conversation.closed'),
          ['conversation.closed'],
        );
      }));

    test('rule 17: tokens are revoked immediately, and the same customer becomes a new visitor', () =>
      withVisitor(async (fixture, caller, token) => {
        const {
          secrets,
          visitors: { sessions: visitorSessions, websites: visitorWebsites, profiles: visitors },
        } = fixture.installation;
        await erase(fixture, caller.visitorId);
        assert.equal(await visitorSessions.findCaller(token), undefined);
        await assert.rejects(visitors.update(fixture.transact, caller, { city: 'Paris' }), { kind: 'state' });
        const website = await visitorWebsites.find(fixture.accountId, fixture.websiteId);
        assert.ok(website);
        const secret = secrets.deriveVisitorSecret(fixture.accountId, website.id, 1);
        const signature = createHmac('sha256', secret).update('customer 7').digest('hex');
        const newSession = await visitorSessions.open(website, { externalId: 'customer 7', signature }, '');
        assert.notEqual((await visitorSessions.findCaller(newSession.token))?.visitorId, caller.visitorId);
      }));

    test('no note is added about an erased visitor, not even one that is resent', () =>
      withVisitor(async (fixture, { visitorId }) => {
        const { conversations, database } = fixture.installation;
        const { conversationId } = await database.read.selectFrom('notes').selectAll().executeTakeFirstOrThrow();
        await erase(fixture, visitorId);
        const note = { conversationId, clientId: 'note-2', text: 'more' };
        const added = conversations.addNote(fixture.transact, fixture.installation.caller, note);
        await assert.rejects(added, { kind: 'state', message: 'The data of this visitor was erased.' });
      }));

    test('erasing twice changes nothing; an unknown visitor cannot be erased', () =>
      withVisitor(async (fixture, { visitorId }) => {
        const first = await erase(fixture, visitorId);
        const position = await fixture.readPosition();
        fixture.installation.clock.advance(1000);
        assert.deepEqual(await erase(fixture, visitorId), first);
        assert.deepEqual(await fixture.loadEventsAfter(position), []);
        await assert.rejects(erase(fixture, 900_001), { kind: 'unknown' });
      }));

    test('other visitors are not affected', () =>
      withVisitor(async (fixture, { visitorId }) => {
        const other = await fixture.startConversation({ message: 'from another visitor' });
        await erase(fixture, visitorId);
        assert.equal((await fixture.loadConversation(other.id)).state, 'offered');
        assert.ok((await dump(fixture)).includes('from another visitor'));
      }));
  });
}

/** All rows of all tables, as text. */
async function dump({ installation: { config } }: EngineFixture): Promise<string> {
  const stored = openStoredData(config.DATABASE_URL);
  const rows = await stored.dumpRows();
  await stored.end();
  return rows;
}
