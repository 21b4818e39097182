import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { VisitorCaller } from '../../../src/core/kernel/caller.ts';
import { databases } from '../../support/databases/databases.ts';
import { EngineFixture } from '../../support/fixtures/engine-fixture.ts';

const MINUTE_MS = 60_000;
/** Longer than a socket counts without an answer, and than a request. */
const AWAY_MS = 71_000;

for (const { name, open } of databases) {
  describe(`the presence of identified visitors on ${name}`, () => {
    let fixture: EngineFixture;
    let secret: string;
    before(async () => {
      fixture = await EngineFixture.create(open);
      const { installation, websiteId } = fixture;
      const website = await installation.websites.find(fixture.accountId, websiteId);
      assert.ok(website);
      secret = installation.websites.deriveIdentitySecret(installation.caller, website);
    });
    after(async () => {
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.end();
    });

    const signToken = (sub: string) => {
      const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const exp = Math.floor(fixture.installation.clock.now / 1000) + 3600;
      const content = `${encode({ alg: 'HS256' })}.${encode({ sub, exp })}`;
      return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
    };
    const identify = (visitor: VisitorCaller, sub: string) =>
      fixture.installation.visitors.identities.identify(fixture.transact, visitor, signToken(sub));
    const answerPing = async (visitor: VisitorCaller) => {
      fixture.installation.visitorPresence.noteSocket(visitor);
      await fixture.installation.visitorPresence.flush();
    };
    const createKnown = async (sub: string) => {
      const known = await fixture.createVisitor();
      await identify(known, sub);
      return known;
    };
    const loadState = async ({ id }: { readonly id: number }) => (await fixture.loadConversation(id)).state;

    test('rule 22: a visitor who was absent and comes back identified has the place in the queue again', async () => {
      const known = await createKnown('back');
      const anonymous = await fixture.createVisitor();
      await answerPing(anonymous);
      const operatorId = await fixture.createOperator({}, { connected: false });
      const conversation = await fixture.startConversation({}, anonymous);
      await fixture.advanceTime(AWAY_MS); // at the page where they log in
      await fixture.connect(operatorId);
      assert.equal(await loadState(conversation), 'queued', 'it is passed over');
      await identify(anonymous, 'back');
      await fixture.installation.scheduler.watchVisitors();
      const { state, visitorId } = await fixture.loadConversation(conversation.id);
      assert.deepEqual([state, visitorId], ['offered', known.visitorId]);
      await fixture.disconnect(operatorId);
    });

    test('rule 22: the conversation of a visitor who leaves after being identified ends', async () => {
      await createKnown('gone');
      const anonymous = await fixture.createVisitor();
      await answerPing(anonymous);
      const conversation = await fixture.startConversation({}, anonymous);
      await identify(anonymous, 'gone');
      await fixture.advanceTime(AWAY_MS);
      await fixture.advanceTime(5 * MINUTE_MS);
      const { state, closeReason } = await fixture.loadConversation(conversation.id);
      assert.deepEqual([state, closeReason], ['closed', 'visitor_left']);
    });

    test('rule 22: the earlier absence of a visitor ends nothing of theirs when they are identified', async () => {
      const known = await createKnown('earlier');
      await answerPing(known);
      const earlier = await fixture.startConversation({}, known);
      await fixture.advanceTime(AWAY_MS);
      const anonymous = await fixture.createVisitor();
      const conversation = await fixture.startConversation({}, anonymous);
      await fixture.advanceTime(4.9 * MINUTE_MS);
      await identify(anonymous, 'earlier');
      await fixture.advanceTime(MINUTE_MS / 2);
      assert.deepEqual([await loadState(earlier), await loadState(conversation)], ['queued', 'queued']);
    });
  });
}
