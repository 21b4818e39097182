import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { VisitorSessions } from '../../../src/core/visitors/visitor-sessions.ts';
import { databases } from '../../support/databases/databases.ts';
import { EngineFixture } from '../../support/fixtures/engine-fixture.ts';

const DAY_MS = 24 * 3600 * 1000;

for (const { name, open } of databases) {
  describe(`visitor tokens on ${name}`, () => {
    test("rule 17: a token is valid for 24 hours by the database's clock, and deleted afterwards", async () => {
      const fixture = await EngineFixture.create(open);
      const {
        database,
        secrets,
        clock,
        visitors: { sessions: visitorSessions, websites: visitorWebsites },
      } = fixture.installation;
      const website = await visitorWebsites.find(fixture.accountId, fixture.websiteId);
      assert.ok(website);
      const { token, uniqueId } = await visitorSessions.open(website, { language: 'fr' }, 'Browser/1');
      // Another node, with an empty cache.
      const findCallerOnOtherNode = () => new VisitorSessions(database, secrets).findCaller(token);
      const caller = await findCallerOnOtherNode();
      assert.ok(caller);
      assert.deepEqual(caller, {
        ...{ accountId: fixture.accountId, visitorId: caller.visitorId, websiteId: fixture.websiteId, language: 'fr' },
        actor: { type: 'visitor', id: caller.visitorId, via: 'visitor' },
      });
      const row = await database.read.selectFrom('visitors').selectAll().executeTakeFirstOrThrow();
      assert.deepEqual([row.uniqueId, row.websiteList, row.browser], [uniqueId, `[${fixture.websiteId}]`, 'Browser/1']);
      clock.advance(DAY_MS - 1);
      assert.ok(await findCallerOnOtherNode());
      await visitorSessions.deleteExpired();
      assert.ok(await findCallerOnOtherNode(), 'cleaning up keeps valid tokens');
      clock.advance(1);
      assert.equal(await findCallerOnOtherNode(), undefined);
      clock.advance(1);
      await visitorSessions.deleteExpired();
      assert.deepEqual(await database.read.selectFrom('visitorTokens').selectAll().execute(), []);
      await fixture.end();
    });

    test('rule 17: a visitor of two websites is listed for both', async () => {
      const fixture = await EngineFixture.create(open);
      const {
        secrets,
        visitors: { sessions: visitorSessions, websites: visitorWebsites, query: visitorQuery },
      } = fixture.installation;
      for (const websiteId of [fixture.websiteId, await fixture.createWebsite(), fixture.websiteId]) {
        const website = await visitorWebsites.find(fixture.accountId, websiteId);
        assert.ok(website);
        const secret = secrets.deriveVisitorSecret(fixture.accountId, websiteId, 1);
        const signature = createHmac('sha256', secret).update('ÄÖ 7').digest('hex');
        await visitorSessions.open(website, { externalId: 'ÄÖ 7', signature }, '');
      }
      const { rows } = await visitorQuery.page(fixture.accountId, {}, { limit: 10, offset: 0 });
      assert.deepEqual(
        rows.map(({ externalId, websiteList }) => [externalId, websiteList]),
        [['ÄÖ 7', [1, 2]]],
      );
      for (const id of [1, 2]) {
        const onWebsite = await visitorQuery.count(fixture.accountId, { websiteId: { kind: 'ids', ids: [id] } });
        assert.equal(onWebsite, 1);
      }
      await fixture.end();
    });
  });
}
