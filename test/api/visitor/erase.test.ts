import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { answerSatisfaction } from '../../../src/core/engine/conversations/satisfaction.ts';
import type { VisitorCaller } from '../../../src/core/kernel/caller.ts';
import { databases } from '../../support/databases/databases.ts';
import { storedAt } from '../../support/databases/stored.ts';
import { World } from '../../support/people/world.ts';

const PROFILE = {
  ...{ lastname: 'Sécrète', firstname: 'Ana', address: 'Rue Privée 1', city: 'Lyon', zip: '69001', country: 'France' },
  ...{ phone: '+33 1 23', email: 'ana@private.example' },
};
const BROWSER = 'Mozilla/5.0 (Private)';

for (const { name, open } of databases) {
  describe(`erasing a visitor on ${name}`, () => {
    /** Somebody with a past: two conversations, one of them still running, and a survey. */
    const withPast = async (work: (world: World, caller: VisitorCaller, token: string) => Promise<void>) => {
      const world = await World.on(open);
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
      const caller = await visitorSessions.caller(token);
      assert.ok(caller);
      const operatorId = await world.operator();
      const over = await world.accept(await world.start({ message: 'secret words', clientId: 'c1' }, caller));
      await conversations.send(world.transact, world.as(operatorId), {
        conversationId: over.id,
        text: 'secret answer',
      });
      await world.close(over);
      const answer = { welcome: 5, resolution: 4, delay: 3, comment: 'secret comment' };
      await answerSatisfaction(world.transact, caller, over.id, answer);
      await world.accept(await world.start({ message: 'more secret words' }, caller));
      await work(world, caller, token);
      await world.end();
    };
    const erase = (world: World, id: number) =>
      world.installation.visitors.erasure.erase(world.transact, world.installation.caller, id);

    test('rule 17: nothing of a person is left in any table, and the numbers stay', () =>
      withPast(async (world, { visitorId }) => {
        const { database, statistics } = world.installation;
        const figures = async () => {
          const [{ satisfactionRate, conversationNumber, answeredNumber } = {}] = await statistics.of(world.accountId, {
            subject: 'account',
            ids: [world.accountId],
            filters: {},
          });
          return { satisfactionRate, conversationNumber, answeredNumber };
        };
        const before = await figures();
        const position = await world.position();
        const erased = await erase(world, visitorId);
        assert.equal(erased.erasedAt, world.installation.clock.now);

        const everything = await dump(world);
        for (const secret of [
          ...Object.values(PROFILE),
          BROWSER,
          'customer 7',
          'secret words',
          'secret answer',
          'secret comment',
          '"c1"',
        ]) {
          assert.ok(!everything.includes(secret), `${secret} is still there`);
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
          { text: 'What was said here was removed on request.', authorType: 'notice' },
          ...[{ text: '', authorType: 'visitor' }],
          { text: 'What was said here was removed on request.', authorType: 'notice' },
        ]);
        assert.deepEqual(await world.brokenInvariants(), []);
        const events = await world.eventsAfter(position);
        const told = events.filter(({ type }) => type === 'visitor.updated');
        assert.deepEqual(told[0]?.changes.values, {});
        assert.ok(told[0]?.changes.fields.includes('email'));
        assert.deepEqual(
          events.map(({ type }) => type).filter((type) => type === 'conversation.closed'),
          ['conversation.closed'],
        );
      }));

    test('rule 17: tokens end at once, and the same customer is somebody new afterwards', () =>
      withPast(async (world, caller, token) => {
        const {
          secrets,
          visitors: { sessions: visitorSessions, websites: visitorWebsites, profiles: visitors },
        } = world.installation;
        await erase(world, caller.visitorId);
        assert.equal(await visitorSessions.caller(token), undefined);
        await assert.rejects(visitors.update(world.transact, caller, { city: 'Paris' }), { kind: 'state' });
        const website = await visitorWebsites.find(world.accountId, world.websiteId);
        assert.ok(website);
        const secret = secrets.websiteSecret(world.accountId, website.id, 1);
        const signature = createHmac('sha256', secret).update('customer 7').digest('hex');
        const again = await visitorSessions.open(website, { externalId: 'customer 7', signature }, '');
        assert.notEqual((await visitorSessions.caller(again.token))?.visitorId, caller.visitorId);
      }));

    test('erasing twice changes nothing more; erasing nobody is unknown', () =>
      withPast(async (world, { visitorId }) => {
        const first = await erase(world, visitorId);
        const position = await world.position();
        world.installation.clock.advance(1000);
        assert.deepEqual(await erase(world, visitorId), first);
        assert.deepEqual(await world.eventsAfter(position), []);
        await assert.rejects(erase(world, 900_001), { kind: 'unknown' });
      }));

    test('others are left alone', () =>
      withPast(async (world, { visitorId }) => {
        const other = await world.start({ message: 'of somebody else' });
        await erase(world, visitorId);
        assert.equal((await world.conversation(other.id)).state, 'offered');
        assert.ok((await dump(world)).includes('of somebody else'));
      }));
  });
}

/** All rows of all tables, as text. */
async function dump({ installation: { config } }: World): Promise<string> {
  const stored = storedAt(config.DATABASE_URL);
  const rows = await stored.everyRow();
  await stored.end();
  return rows;
}
