import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { answerSatisfaction } from '../../../src/core/engine/conversations/satisfaction.ts';
import type { VisitorCaller } from '../../../src/core/kernel/caller.ts';
import { databases } from '../../support/databases/databases.ts';
import { openStoredData } from '../../support/databases/stored-data.ts';
import { World } from '../../support/fixtures/world.ts';

const PROFILE = {
  ...{ lastname: 'Sécrète', firstname: 'Ana', address: 'Rue Privée 1', city: 'Lyon', zip: '69001', country: 'France' },
  ...{ phone: '+33 1 23', email: 'ana@private.example' },
};
const BROWSER = 'Mozilla/5.0 (Private)';

for (const { name, open } of databases) {
  describe(`erasing a visitor on ${name}`, () => {
    /** Creates a visitor with a closed and an active conversation and a survey answer. */
    const withVisitor = async (work: (world: World, caller: VisitorCaller, token: string) => Promise<void>) => {
      const world = await World.create(open);
      const {
        conversations,
        secrets,
        visitors: { sessions: visitorSessions, websites: visitorWebsites },
      } = world.installation;
      const website = await visitorWebsites.find(world.accountId, world.websiteId);
      assert.ok(website);
      const secret = secrets.websiteSecret(world.accountId, website.id, 1);
      const signature = createHmac('sha256', secret).update('customer 7').digest('hex');
      const session = { ...PROFILE, externalId: 'customer 7', signature, language: 'en' };
      const { token } = await visitorSessions.open(website, session, BROWSER);
      const caller = await visitorSessions.findCaller(token);
      assert.ok(caller);
      const operatorId = await world.createOperator();
      const closed = await world.accept(
        await world.startConversation({ message: 'secret words', clientId: 'c1' }, caller),
      );
      await conversations.send(world.transact, world.callerFor(operatorId), {
        conversationId: closed.id,
        text: 'secret answer',
      });
      await world.close(closed);
      const answer = { welcome: 5, resolution: 4, delay: 3, comment: 'secret comment' };
      await answerSatisfaction(world.transact, caller, closed.id, answer);
      await world.accept(await world.startConversation({ message: 'more secret words' }, caller));
      await work(world, caller, token);
      await world.end();
    };
    const erase = (world: World, id: number) =>
      world.installation.visitors.erasure.erase(world.transact, world.installation.caller, id);

    test('rule 17: no personal data is left in any table, and statistics are unchanged', () =>
      withVisitor(async (world, { visitorId }) => {
        const { database, statistics } = world.installation;
        const figures = async () => {
          const [{ satisfactionRate, conversationNumber, answeredNumber } = {}] = await statistics.compute(
            world.accountId,
            {
              subject: 'account',
              ids: [world.accountId],
              filters: {},
            },
          );
          return { satisfactionRate, conversationNumber, answeredNumber };
        };
        const before = await figures();
        const position = await world.readPosition();
        const erased = await erase(world, visitorId);
        assert.equal(erased.erasedAt, world.installation.clock.now);

        const stored = await dump(world);
        for (const secret of [
          ...Object.values(PROFILE),
          BROWSER,
          'customer 7',
          'secret words',
          'secret answer',
          'secret comment',
          '"c1"',
        ]) {
          assert.ok(!stored.includes(secret), `${secret} was not erased`);
        }
        assert.deepEqual(await figures(), before);
        const conversations = await database.read.selectFrom('conversations').selectAll().orderBy('id').execute();
        assert.deepEqual(
          conversations.map(({ state, messageCount }) => [state, messageCount]),
          [
            ['closed', 3],
            ['closed', 2],
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
            { text: '', authorType: 'operator' },
          ],
          { text: 'The messages in this conversation were removed on request.', authorType: 'notice' },
          ...[{ text: '', authorType: 'visitor' }],
          { text: 'The messages in this conversation were removed on request.', authorType: 'notice' },
        ]);
        assert.deepEqual(await world.findBrokenInvariants(), []);
        const events = await world.loadEventsAfter(position);
        const updates = events.filter(({ type }) => type === 'visitor.updated');
        assert.deepEqual(updates[0]?.changes.values, {});
        assert.ok(updates[0]?.changes.fields.includes('email'));
        assert.deepEqual(
          events.map(({ type }) => type).filter((type) => type === 'conversation.closed'),
          ['conversation.closed'],
        );
      }));

    test('rule 17: tokens are revoked immediately, and the same customer becomes a new visitor', () =>
      withVisitor(async (world, caller, token) => {
        const {
          secrets,
          visitors: { sessions: visitorSessions, websites: visitorWebsites, profiles: visitors },
        } = world.installation;
        await erase(world, caller.visitorId);
        assert.equal(await visitorSessions.findCaller(token), undefined);
        await assert.rejects(visitors.update(world.transact, caller, { city: 'Paris' }), { kind: 'state' });
        const website = await visitorWebsites.find(world.accountId, world.websiteId);
        assert.ok(website);
        const secret = secrets.websiteSecret(world.accountId, website.id, 1);
        const signature = createHmac('sha256', secret).update('customer 7').digest('hex');
        const again = await visitorSessions.open(website, { externalId: 'customer 7', signature }, '');
        assert.notEqual((await visitorSessions.findCaller(again.token))?.visitorId, caller.visitorId);
      }));

    test('erasing twice changes nothing; an unknown visitor cannot be erased', () =>
      withVisitor(async (world, { visitorId }) => {
        const first = await erase(world, visitorId);
        const position = await world.readPosition();
        world.installation.clock.advance(1000);
        assert.deepEqual(await erase(world, visitorId), first);
        assert.deepEqual(await world.loadEventsAfter(position), []);
        await assert.rejects(erase(world, 900_001), { kind: 'unknown' });
      }));

    test('other visitors are not affected', () =>
      withVisitor(async (world, { visitorId }) => {
        const other = await world.startConversation({ message: 'from another visitor' });
        await erase(world, visitorId);
        assert.equal((await world.loadConversation(other.id)).state, 'offered');
        assert.ok((await dump(world)).includes('from another visitor'));
      }));
  });
}

/** All rows of all tables, as text. */
async function dump({ installation: { config } }: World): Promise<string> {
  const stored = openStoredData(config.DATABASE_URL);
  const rows = await stored.dumpRows();
  await stored.end();
  return rows;
}
