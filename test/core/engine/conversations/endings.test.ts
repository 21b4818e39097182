import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { EstimatedWaits } from '../../../../src/core/engine/conversations/estimated-wait.ts';
import type { Conversation } from '../../../../src/core/engine/records/conversation.ts';
import type { OperatorCreate } from '../../../../src/core/operators/operator.ts';
import { databases } from '../../../support/databases/databases.ts';
import { EngineFixture } from '../../../support/fixtures/engine-fixture.ts';

const MINUTE_MS = 60_000;

for (const { name, open } of databases) {
  describe(`endings and estimates on ${name}`, () => {
    let fixture: EngineFixture;
    before(async () => {
      fixture = await EngineFixture.create(open);
    });
    after(async () => {
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.end();
    });

    const load = ({ id }: Pick<Conversation, 'id'>) => fixture.loadConversation(id);
    const loadNotices = ({ id }: Pick<Conversation, 'id'>) =>
      fixture.installation.database.read
        .selectFrom('messages')
        .select(['noticeCode', 'noticeParameters'])
        .where('conversationId', '=', id)
        .where('authorType', '=', 'notice')
        .where('noticeCode', '<>', 'operator_joined')
        .orderBy('sequence')
        .execute();
    const loadCodes = async (conversation: Pick<Conversation, 'id'>) =>
      (await loadNotices(conversation)).map(({ noticeCode }) => noticeCode);

    /** Two waiting conversations of one need, and one of another, which a second operator serves. */
    const createNeeds = async () => {
      const [websiteId, skillId, groupId] = [
        await fixture.createWebsite(),
        await fixture.createSkill(),
        await fixture.createGroup(),
      ];
      const [otherWebsiteId, oldGroupId] = [await fixture.createWebsite(), await fixture.createGroup()];
      const fields: Partial<OperatorCreate> = {
        websiteList: [websiteId, otherWebsiteId],
        skillList: [skillId],
        groupId,
        languageList: ['en', 'fr'],
      };
      const operatorId = await fixture.createOperator(fields, { connected: false });
      await fixture.createOperator({ websiteList: [websiteId], languageList: ['en'] }, { connected: false });
      const need = { skillId, groupId, language: 'fr' };
      const start = async (input: object) => fixture.startConversation(input, await fixture.createVisitor(websiteId));
      const inVain = [await start(need), await start(need)];
      return { operatorId, inVain, other: await start({}), websiteId, otherWebsiteId, oldGroupId };
    };

    type Needs = Awaited<ReturnType<typeof createNeeds>>;
    const update = (operatorId: number, input: Parameters<typeof fixture.installation.operators.update>[3]) => {
      const { operators, caller } = fixture.installation;
      return operators.update(fixture.transact, caller, operatorId, input);
    };
    const losses: Record<string, (needs: Needs) => Promise<unknown>> = {
      'is deleted': ({ operatorId }) =>
        fixture.installation.operators.delete(fixture.transact, fixture.installation.caller, operatorId),
      'loses the skill': ({ operatorId }) => update(operatorId, { skillList: [] }),
      'moves to another group': ({ operatorId, oldGroupId }) => update(operatorId, { groupId: oldGroupId }),
      'loses the website': ({ operatorId, otherWebsiteId }) => update(operatorId, { websiteList: [otherWebsiteId] }),
      'loses the language': ({ operatorId }) => update(operatorId, { languageList: ['en'] }),
      'loses the channel': ({ operatorId }) => update(operatorId, { chatEnabled: false }),
    };
    for (const [what, lose] of Object.entries(losses)) {
      test(`rule 28: when the last operator who could serve them ${what}, waiting visitors are told at once`, async () => {
        const needs = await createNeeds();
        await update(needs.operatorId, { pseudo: 'Unrelated' });
        for (const conversation of needs.inVain) assert.equal((await load(conversation)).state, 'queued');
        await lose(needs);
        for (const conversation of needs.inVain) {
          const { state, closedBy, closeReason } = await load(conversation);
          assert.deepEqual([state, closedBy, closeReason], ['closed', 'system', 'nobody_could_serve']);
          assert.deepEqual(await loadCodes(conversation), ['nobody_could_serve']);
        }
        assert.equal((await load(needs.other)).state, 'queued');
        const [figures] = await fixture.installation.statistics.compute(fixture.accountId, {
          subject: 'website',
          ids: [needs.websiteId],
        });
        assert.equal(figures?.abandonedNumber, 2);
      });
    }

    test('rule 28: another operator who can serve them keeps them waiting, and the sweep ends what was missed', async () => {
      const needs = await createNeeds();
      const { database, scheduler } = fixture.installation;
      const skills = await database.read
        .selectFrom('operatorSkills')
        .select('skillId')
        .where('operatorId', '=', needs.operatorId)
        .execute();
      const second = await fixture.createOperator(
        { skillList: skills.map(({ skillId }) => skillId), websiteList: [needs.websiteId], languageList: ['fr'] },
        { connected: false },
      );
      const { groupId } = await fixture.loadLiveRow(needs.operatorId);
      await update(second, { groupId });
      await losses['is deleted']?.(needs);
      for (const conversation of needs.inVain) assert.equal((await load(conversation)).state, 'queued');
      // As a node of the previous version would do it.
      await database.transaction(({ db }) =>
        db.deleteFrom('operatorSkills').where('operatorId', '=', second).execute(),
      );
      await scheduler.sweep();
      for (const conversation of needs.inVain)
        assert.equal((await load(conversation)).closeReason, 'nobody_could_serve');
      await database.transaction(({ db }) =>
        db
          .insertInto('operatorSkills')
          .values(skills.map(({ skillId }) => ({ accountId: fixture.accountId, skillId, operatorId: second })))
          .execute(),
      );
    });

    const startActive = async () => {
      const operatorId = await fixture.createOperator({}, { connected: false });
      const websiteId = await fixture.createWebsite();
      await update(operatorId, { websiteList: [websiteId] });
      await fixture.connect(operatorId, 'desk', 360_000);
      const visitor = await fixture.createVisitor(websiteId);
      const conversation = await fixture.startConversation({ message: 'Hello' }, visitor);
      return { operatorId, visitor, conversation: await fixture.accept({ ...conversation, operatorId }) };
    };
    const setIdleMinutes = (idleMinutes: number) =>
      fixture.installation.accounts.update(fixture.transact, fixture.installation.caller, { idleMinutes });

    test('rule 23: without the setting a silent chat stays open', async () => {
      const { conversation } = await startActive();
      await fixture.advanceTime(24 * 60 * MINUTE_MS);
      assert.equal((await load(conversation)).state, 'active');
    });

    test('rule 23: a silent chat is closed after the minutes of the account, with a warning to both half of them before', async () => {
      await setIdleMinutes(10);
      const { operatorId, conversation } = await startActive();
      await fixture.advanceTime(5 * MINUTE_MS - 1);
      assert.deepEqual(await loadNotices(conversation), []);
      await fixture.advanceTime(1);
      await fixture.advanceTime(1000); // warned only once
      const notices = await loadNotices(conversation);
      assert.deepEqual(
        notices.map(({ noticeCode, noticeParameters }) => [noticeCode, JSON.parse(noticeParameters ?? '')]),
        [['idle_warning', { minutes: '5' }]],
      );
      await fixture.advanceTime(5 * MINUTE_MS - 1001);
      assert.equal((await load(conversation)).state, 'active');
      await fixture.advanceTime(1);
      const { state, closedBy, closeReason } = await load(conversation);
      assert.deepEqual([state, closedBy, closeReason], ['closed', 'system', 'idle']);
      assert.equal((await fixture.loadLiveRow(operatorId)).chatSlots, 0);
      await setIdleMinutes(0);
    });

    test('rule 23: a message of either side after the warning keeps the chat open', async () => {
      await setIdleMinutes(10);
      const { operatorId, visitor, conversation } = await startActive();
      const { conversations } = fixture.installation;
      await fixture.advanceTime(6 * MINUTE_MS);
      await conversations.sendAsVisitor(fixture.transact, visitor, {
        conversationId: conversation.id,
        text: 'Still here',
      });
      await fixture.advanceTime(4 * MINUTE_MS + 1000);
      assert.deepEqual([(await load(conversation)).state, await loadCodes(conversation)], ['active', ['idle_warning']]);
      await fixture.advanceTime(MINUTE_MS);
      const caller = fixture.callerFor(operatorId);
      await conversations.send(fixture.transact, caller, { conversationId: conversation.id, text: 'So am I' });
      await fixture.advanceTime(4 * MINUTE_MS);
      assert.deepEqual(
        [(await load(conversation)).state, await loadCodes(conversation)],
        ['active', ['idle_warning', 'idle_warning']],
      );
      await setIdleMinutes(0);
    });

    test('rule 23: a note is no activity', async () => {
      await setIdleMinutes(10);
      const { operatorId, conversation } = await startActive();
      await fixture.advanceTime(5 * MINUTE_MS);
      await fixture.advanceTime(MINUTE_MS);
      const note = { conversationId: conversation.id, clientId: 'one', text: 'A note' };
      await fixture.installation.conversations.addNote(fixture.transact, fixture.callerFor(operatorId), note);
      await fixture.advanceTime(4 * MINUTE_MS);
      assert.equal((await load(conversation)).closeReason, 'idle');
      await setIdleMinutes(0);
    });

    test('rule 29: the wait is estimated from at least 10 starts of the same skill in 30 minutes, otherwise not at all', async () => {
      const skillId = await fixture.createSkill();
      const websiteId = await fixture.createWebsite();
      const operatorId = await fixture.createOperator({
        skillList: [skillId],
        websiteList: [websiteId],
        chatMaxNumber: 20,
      });
      const start = async () => fixture.startConversation({ skillId }, await fixture.createVisitor(websiteId));
      const estimate = (...conversations: Conversation[]) =>
        new EstimatedWaits(fixture.installation.database).load(
          fixture.accountId,
          conversations.map(({ id }) => id),
        );
      for (let count = 0; count < 9; count += 1) await fixture.accept({ ...(await start()), operatorId });
      await update(operatorId, { chatMaxNumber: 1 });
      const [first, second] = [await start(), await start()];
      assert.deepEqual(await estimate(first, second), [null, null]); // 9 starts
      await update(operatorId, { chatMaxNumber: 10 });
      await fixture.accept({ ...first, operatorId });
      const third = await start();
      // 10 starts in 30 minutes: one every 3 minutes.
      assert.deepEqual(await estimate(first, second, third), [null, 180, 360]);
      await fixture.advanceTime(31 * MINUTE_MS);
      assert.deepEqual(await estimate(second), [null]);
    });
  });
}
