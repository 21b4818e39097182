import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { databases, shareInstallation } from '../../../support/databases/databases.ts';
import { EngineFixture } from '../../../support/fixtures/engine-fixture.ts';

for (const { name, open } of databases) {
  describe(`conversations that change hands on ${name}`, () => {
    const openAccount = shareInstallation(open);
    const loadOperatorFigures = async (fixture: EngineFixture, ids: readonly number[]) =>
      (await fixture.installation.statistics.compute(fixture.accountId, { subject: 'operator', ids })).map(
        ({ conversationNumber, answeredNumber, firstAnswerSeconds, experience }) => [
          conversationNumber,
          answeredNumber,
          firstAnswerSeconds,
          experience,
        ],
      );
    const loadAccountFigures = async (fixture: EngineFixture) =>
      (await fixture.installation.statistics.compute(fixture.accountId, { subject: 'account', ids: [0] }))[0];

    test('rule 19: after a transfer each operator keeps their figures, and the conversation its first acceptance and answer', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const { conversations, clock } = fixture.installation;
      const first = await fixture.createOperator();
      const started = await fixture.startConversation();
      clock.advance(2000);
      await fixture.accept(started);
      clock.advance(3000);
      await conversations.send(fixture.transact, fixture.callerFor(first), {
        conversationId: started.id,
        text: 'Hello',
      });
      const second = await fixture.createOperator();
      clock.advance(4000);
      const moved = await conversations.transfer(fixture.transact, fixture.callerFor(first), {
        id: started.id,
        operatorId: second,
      });
      assert.deepEqual(await loadOperatorFigures(fixture, [first, second]), [
        [1, 1, 3, 0],
        [0, 0, null, 0],
      ]);
      await fixture.accept(moved);
      clock.advance(1000);
      assert.deepEqual(await loadOperatorFigures(fixture, [first, second]), [
        [1, 1, 3, 0],
        [1, 0, null, 0],
      ]);
      await conversations.send(fixture.transact, fixture.callerFor(second), {
        conversationId: started.id,
        text: 'Now me',
      });
      await fixture.close({ id: started.id, operatorId: second });
      assert.deepEqual(await loadOperatorFigures(fixture, [first, second]), [
        [1, 1, 3, 10],
        [1, 1, 1, 10],
      ]);
      const all = await loadAccountFigures(fixture);
      assert.deepEqual(
        [
          all?.conversationNumber,
          all?.answeredNumber,
          all?.firstAnswerSeconds,
          all?.waitingSeconds,
          all?.abandonedNumber,
        ],
        [1, 1, 3, 2, 0],
      );
      await fixture.end();
    });

    test('rule 19: a conversation that was answered and then requeued is not abandoned', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const { conversations } = fixture.installation;
      const skill = await fixture.createSkill();
      await fixture.createOperator({ skillList: [skill] }, { connected: false });
      const first = await fixture.createOperator();
      const visitor = await fixture.createVisitor();
      const running = await fixture.accept(await fixture.startConversation({}, visitor));
      await conversations.send(fixture.transact, fixture.callerFor(first), {
        conversationId: running.id,
        text: 'Hello',
      });
      await conversations.transfer(fixture.transact, fixture.callerFor(first), { id: running.id, skillId: skill });
      const closed = await conversations.closeAsVisitor(fixture.transact, visitor, running.id);
      assert.ok(closed.acceptedAt !== null && closed.firstAnswerAt !== null);
      assert.equal((await loadAccountFigures(fixture))?.abandonedNumber, 0);
      assert.deepEqual(await loadOperatorFigures(fixture, [first]), [[1, 1, 0, 10]]);
      await fixture.end();
    });

    test('rule 19: an operator who gets a conversation back is counted once', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const { conversations } = fixture.installation;
      const [first, second] = [await fixture.createOperator(), await fixture.createOperator()];
      const running = await fixture.accept(await fixture.startConversation());
      const transfer = async (from: number, to: number) =>
        fixture.accept(
          await conversations.transfer(fixture.transact, fixture.callerFor(from), { id: running.id, operatorId: to }),
        );
      await transfer(first, second);
      await transfer(second, first);
      await fixture.close({ id: running.id, operatorId: first });
      assert.deepEqual(
        (await loadOperatorFigures(fixture, [first, second])).map(([accepted]) => accepted),
        [1, 1],
      );
      await fixture.end();
    });

    test('rule 14: a conversation lost by going offline stays in the figures of the operator', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const first = await fixture.createOperator();
      await fixture.accept(await fixture.startConversation());
      await fixture.disconnect(first);
      await fixture.advanceTime(60_000);
      assert.deepEqual(
        (await loadOperatorFigures(fixture, [first])).map(([accepted]) => accepted),
        [1],
      );
      await fixture.end();
    });

    test('rule 12: offers that expired while the service was down are not counted as missed', async () => {
      const fixture = await EngineFixture.create(open);
      const { scheduler, clock } = fixture.installation;
      const id = await fixture.createOperator({ chatMaxNumber: 3 });
      for (let count = 0; count < 3; count += 1) await fixture.startConversation();
      scheduler.holdLeases();
      clock.advance(40_000);
      await scheduler.tick();
      const live = await fixture.loadLiveState(id);
      assert.equal(live.chat.available, true);
      assert.equal((await fixture.loadLiveRow(id)).chatMissed, 0);
      await fixture.end();
    });

    test('rule 11: an operator who has just declined is counted among the excluded', async () => {
      const fixture = await EngineFixture.create(openAccount);
      await fixture.createOperator();
      const next = await fixture.createOperator();
      const offered = await fixture.startConversation();
      await fixture.decline(offered);
      const decisions = await fixture.installation.database.read
        .selectFrom('routingDecisions')
        .selectAll()
        .where('accountId', '=', fixture.accountId)
        .orderBy('id')
        .execute();
      assert.equal(decisions.at(-1)?.operatorId, next);
      assert.equal(JSON.parse(decisions.at(-1)?.excluded ?? '{}').REFUSED_LATELY, 1);
      await fixture.end();
    });
  });
}
