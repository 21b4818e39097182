import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { endAbandoned } from '../../../../src/core/engine/conversations/abandoned.ts';
import { VisitorPresence, type VisitorPresenceChange } from '../../../../src/core/engine/presence/visitor-presence.ts';
import type { Conversation } from '../../../../src/core/engine/records/conversation.ts';
import { renewPresences } from '../../../../src/core/engine/records/visitor-presence-store.ts';
import { Scheduler } from '../../../../src/core/engine/scheduler/scheduler.ts';
import { systemContext, type VisitorCaller } from '../../../../src/core/kernel/caller.ts';
import { visitorPresence } from '../../../../src/storage/migrations/0012-visitor-presence.ts';
import { databases } from '../../../support/databases/databases.ts';
import { EngineFixture } from '../../../support/fixtures/engine-fixture.ts';

const MINUTE_MS = 60_000;
/** Longer than a socket counts without an answer, and than a request. */
const AWAY_MS = 71_000;

for (const { name, open } of databases) {
  describe(`visitor presence on ${name}`, () => {
    let fixture: EngineFixture;
    before(async () => {
      fixture = await EngineFixture.create(open);
    });
    after(async () => {
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.end();
    });

    /** The visitor's socket opens or answers a ping. */
    const answerPing = async (visitor: VisitorCaller) => {
      fixture.installation.visitorPresence.noteSocket(visitor);
      await fixture.installation.visitorPresence.flush();
    };
    /** A request of a visitor whom this node has not seen lately. */
    const ask = async (visitor: VisitorCaller) => {
      fixture.installation.visitorPresence.noteRequest(visitor);
      await fixture.installation.visitorPresence.flush();
    };
    const startWithSocket = async (websiteId = fixture.websiteId) => {
      const visitor = await fixture.createVisitor(websiteId);
      await answerPing(visitor);
      return { visitor, conversation: await fixture.startConversation({}, visitor) };
    };
    const load = ({ id }: Pick<Conversation, 'id'>) => fixture.loadConversation(id);
    const loadStates = async (conversations: readonly Conversation[]) =>
      (await Promise.all(conversations.map(load))).map(({ state }) => state);
    const closeAll = async () => {
      const rows = await fixture.installation.database.read
        .selectFrom('conversations')
        .select('id')
        .where('state', '<>', 'closed')
        .execute();
      const { conversations } = fixture.installation;
      for (const { id } of rows) await conversations.close(fixture.transact, fixture.callerFor(0, 'admin'), { id });
      await fixture.installation.scheduler.watchVisitors();
    };
    const countPresences = async () =>
      (await fixture.installation.database.read.selectFrom('visitorPresence').selectAll().execute()).length;

    test('rule 22: a request before the first socket proves presence for a minute', async () => {
      const visitor = await fixture.createVisitor(fixture.websiteId);
      await ask(visitor);
      await answerPing(visitor);
      const [presence] = await fixture.installation.database.read
        .selectFrom('visitorPresence')
        .select(({ fn, eb }) => eb('presentUntil', '-', fn<number>('now_ms', [])).as('leftMs'))
        .where('visitorId', '=', visitor.visitorId)
        .execute();
      assert.ok((presence?.leftMs ?? 0) > MINUTE_MS - 1000, `${presence?.leftMs} ms are left`);
    });

    test('rule 22: a waiting conversation whose visitor left is not offered, keeps its place, and is first again on return', async () => {
      const operatorId = await fixture.createOperator({ chatMaxNumber: 1 }, { connected: false });
      const first = await startWithSocket();
      fixture.installation.clock.advance(1000);
      const second = await startWithSocket();
      const third = await startWithSocket();
      fixture.installation.clock.advance(29_000);
      for (const { visitor } of [second, third]) await answerPing(visitor);
      await fixture.advanceTime(2000); // the first has not answered for 32 s

      await fixture.connect(operatorId);
      assert.deepEqual(await loadStates([first.conversation, second.conversation, third.conversation]), [
        'queued',
        'offered',
        'queued',
      ]);
      await answerPing(first.visitor);
      await fixture.accept({ ...second.conversation, operatorId });
      await fixture.close({ ...second.conversation, operatorId });
      assert.deepEqual(await loadStates([first.conversation, third.conversation]), ['offered', 'queued']);
      await closeAll();
      await fixture.disconnect(operatorId);
      await fixture.installation.operators.delete(fixture.transact, fixture.installation.caller, operatorId);
    });

    test('rule 22: a return is offered at once to an operator who is free', async () => {
      const operatorId = await fixture.createOperator({}, { connected: false });
      const { visitor, conversation } = await startWithSocket();
      await fixture.advanceTime(AWAY_MS);
      await fixture.connect(operatorId);
      assert.equal((await load(conversation)).state, 'queued');
      assert.equal(await fixture.installation.scheduler.sweep(), 0); // the backstop passes over it too
      await ask(visitor);
      assert.equal((await load(conversation)).state, 'offered');
      const [decision] = await fixture.installation.database.read
        .selectFrom('routingDecisions')
        .select('cause')
        .where('conversationId', '=', conversation.id)
        .orderBy('id', 'desc')
        .limit(1)
        .execute();
      assert.equal(decision?.cause, 'visitor_returned');
      await closeAll();
      await fixture.installation.operators.delete(fixture.transact, fixture.installation.caller, operatorId);
    });

    test('rule 22: an open offer is withdrawn when the visitor leaves, without a missed offer', async () => {
      const operatorId = await fixture.createOperator();
      const { visitor, conversation } = await startWithSocket();
      assert.equal((await load(conversation)).state, 'offered');
      fixture.installation.clock.advance(20_000);
      const other = await fixture.startConversation(); // its offer does not expire before the presence of the first
      await fixture.installation.database.transaction((tx) =>
        tx.db
          .updateTable('conversations')
          .set({ offerUntil: tx.now + MINUTE_MS })
          .where('id', '=', conversation.id)
          .execute(),
      );
      await fixture.advanceTime(11_000);
      const { state, operatorId: holder } = await load(conversation);
      assert.deepEqual([state, holder], ['queued', null]);
      const { chatSlots, chatMissed } = await fixture.loadLiveRow(operatorId);
      assert.deepEqual([chatSlots, chatMissed], [(await load(other)).state === 'offered' ? 1 : 0, 0]);
      await answerPing(visitor);
      assert.equal((await load(conversation)).state, 'offered');
      await closeAll();
      await fixture.installation.operators.delete(fixture.transact, fixture.installation.caller, operatorId);
    });

    test('rule 22: after 5 minutes of absence a waiting conversation ends as abandoned; one minute earlier it does not', async () => {
      await fixture.createOperator({}, { connected: false });
      const { visitor, conversation } = await startWithSocket();
      await fixture.advanceTime(AWAY_MS);
      await fixture.advanceTime(4 * MINUTE_MS);
      assert.equal((await load(conversation)).state, 'queued');
      const position = await fixture.readPosition();
      await fixture.advanceTime(MINUTE_MS);
      const { state, closedBy, closedById, closeReason } = await load(conversation);
      assert.deepEqual(
        [state, closedBy, closedById, closeReason],
        ['closed', 'visitor', visitor.visitorId, 'visitor_left'],
      );
      const event = (await fixture.loadEventsAfter(position)).find(({ type }) => type === 'conversation.closed');
      assert.equal(event?.changes.values.closeReason, 'visitor_left');
      const [figures] = await fixture.installation.statistics.compute(fixture.accountId, {
        subject: 'website',
        ids: [fixture.websiteId],
      });
      assert.ok((figures?.abandonedNumber ?? 0) >= 1);
      await fixture.advanceTime(1000);
      assert.equal(await countPresences(), 0); // the service forgets visitors without an open conversation
    });

    test('rule 22: a running conversation shows that the visitor left and came back, and closes after 10 minutes', async () => {
      const operatorId = await fixture.createOperator({ chatMaxNumber: 1 });
      const { visitor, conversation } = await startWithSocket();
      await fixture.accept({ ...conversation, operatorId });
      const changes: VisitorPresenceChange[] = [];
      const stop = fixture.installation.visitorPresence.onChange((change) => changes.push(change));
      const position = await fixture.readPosition();
      await fixture.advanceTime(AWAY_MS);
      const [left] = await fixture.installation.visitorPresence.load(fixture.accountId, [visitor.visitorId]);
      assert.equal(left?.leftAt, fixture.installation.clock.now);
      await fixture.advanceTime(9 * MINUTE_MS);
      await answerPing(visitor);
      const [back] = await fixture.installation.visitorPresence.load(fixture.accountId, [visitor.visitorId]);
      assert.equal(back?.leftAt, null);
      assert.deepEqual(
        changes.map(({ isPresent, conversations }) => [isPresent, conversations.map(({ id }) => id)]),
        [
          [false, [conversation.id]],
          [true, [conversation.id]],
        ],
      );
      stop();
      assert.equal(await fixture.readPosition(), position); // a signal, not an event
      await fixture.advanceTime(AWAY_MS);
      await fixture.advanceTime(9 * MINUTE_MS);
      assert.equal((await load(conversation)).state, 'active');
      await fixture.advanceTime(MINUTE_MS);
      const { state, closeReason } = await load(conversation);
      assert.deepEqual([state, closeReason], ['closed', 'visitor_left']);
      assert.equal((await fixture.loadLiveRow(operatorId)).chatSlots, 0);
      await fixture.installation.operators.delete(fixture.transact, fixture.installation.caller, operatorId);
    });

    test('rule 22: the conversation of an operator who is lost waits at the head, passed over while its visitor is absent', async () => {
      const operatorId = await fixture.createOperator({ chatMaxNumber: 1 });
      const { visitor, conversation } = await startWithSocket();
      await fixture.accept({ ...conversation, operatorId });
      const waiting = await startWithSocket();
      await fixture.advanceTime(AWAY_MS);
      await answerPing(waiting.visitor);
      await fixture.disconnect(operatorId);
      await fixture.advanceTime(MINUTE_MS);
      await answerPing(waiting.visitor);
      assert.deepEqual(await loadStates([conversation, waiting.conversation]), ['queued', 'queued']);
      await fixture.connect(operatorId);
      assert.deepEqual(await loadStates([conversation, waiting.conversation]), ['queued', 'offered']);
      await answerPing(visitor);
      await fixture.accept({ ...waiting.conversation, operatorId });
      await fixture.startConversation();
      await fixture.close({ ...waiting.conversation, operatorId });
      assert.equal((await load(conversation)).state, 'offered');
      await closeAll();
      await fixture.installation.operators.delete(fixture.transact, fixture.installation.caller, operatorId);
    });

    test('rule 22: visitors who never had a socket are never absent; a request renews for a minute', async () => {
      const silent = await fixture.startConversation();
      const { visitor, conversation } = await startWithSocket();
      await ask(visitor);
      await fixture.advanceTime(MINUTE_MS);
      assert.ok(!(await isAway(visitor)));
      await fixture.advanceTime(11_000);
      assert.ok(await isAway(visitor));
      await fixture.advanceTime(24 * 60 * MINUTE_MS);
      assert.deepEqual(await loadStates([silent, conversation]), ['queued', 'closed']);
      await closeAll();
    });

    const isAway = async ({ visitorId }: VisitorCaller) => {
      const [presence] = await fixture.installation.visitorPresence.load(fixture.accountId, [visitorId]);
      return presence !== undefined && presence.leftAt !== null;
    };

    test('rule 22: with 0 minutes nothing ends and nothing is passed over, also what was passed over before', async () => {
      const operatorId = await fixture.createOperator({}, { connected: false });
      const { websites, caller } = fixture.installation;
      const { conversation } = await startWithSocket();
      await fixture.advanceTime(AWAY_MS);
      await fixture.connect(operatorId);
      assert.equal((await load(conversation)).state, 'queued');
      const never = { waitingAbsenceMinutes: 0, activeAbsenceMinutes: 0 };
      await websites.update(fixture.transact, caller, fixture.websiteId, never);
      assert.equal((await load(conversation)).state, 'offered');
      await fixture.accept({ ...conversation, operatorId });
      const second = await startWithSocket();
      await fixture.advanceTime(24 * 60 * MINUTE_MS);
      assert.deepEqual(await loadStates([conversation]), ['active']);
      assert.notEqual((await load(second.conversation)).state, 'closed');
      await websites.update(fixture.transact, caller, fixture.websiteId, {
        waitingAbsenceMinutes: 5,
        activeAbsenceMinutes: 10,
      });
      await closeAll();
      await fixture.installation.operators.delete(fixture.transact, fixture.installation.caller, operatorId);
    });

    test('rule 22: with minutes instead of 0, who is absent already is passed over from now on', async () => {
      const operatorId = await fixture.createOperator({}, { connected: false });
      const { websites, caller } = fixture.installation;
      const setMinutes = (waitingAbsenceMinutes: number) =>
        websites.update(fixture.transact, caller, fixture.websiteId, { waitingAbsenceMinutes });
      await setMinutes(0);
      const [absent, present] = [await startWithSocket(), await startWithSocket()];
      fixture.installation.clock.advance(29_000);
      await answerPing(present.visitor);
      await fixture.advanceTime(2000);
      await setMinutes(5);
      await fixture.connect(operatorId);
      assert.deepEqual(await loadStates([absent.conversation, present.conversation]), ['queued', 'offered']);
      await answerPing(absent.visitor);
      assert.equal((await load(absent.conversation)).state, 'offered');
      await closeAll();
      await fixture.installation.operators.delete(fixture.transact, fixture.installation.caller, operatorId);
    });

    test('rule 22: who returns at the moment of the end is kept, before the service has noticed the return', async () => {
      const { database } = fixture.installation;
      await fixture.createOperator({}, { connected: false });
      const [returning, leaving] = [await startWithSocket(), await startWithSocket()];
      await fixture.advanceTime(AWAY_MS);
      fixture.installation.clock.advance(5 * MINUTE_MS);
      // A node has read that both are due, when another one renews the presence of the first.
      await database.transaction((tx) =>
        renewPresences(tx, [{ ...returning.visitor, milliseconds: 30_000, bySocket: true }]),
      );
      for (const { id } of [returning.conversation, leaving.conversation])
        await fixture.transact((tx) => endAbandoned(tx, systemContext(fixture.accountId), id));
      assert.deepEqual(await loadStates([returning.conversation, leaving.conversation]), ['queued', 'closed']);
      await fixture.advanceTime(1000);
      assert.ok(!(await isAway(returning.visitor)));
      await closeAll();
    });

    test('rule 22: two nodes that check at once announce each departure and end each conversation once', async () => {
      const { installation } = fixture;
      const operatorId = await fixture.createOperator({ chatMaxNumber: 50 });
      const other = new VisitorPresence(installation.database);
      const changes: VisitorPresenceChange[] = [];
      const stops = [installation.visitorPresence, other].map((node) =>
        node.onChange((change) => changes.push(change)),
      );
      const otherScheduler = new Scheduler(installation.database, other);
      const watchOnBoth = () => Promise.all([installation.scheduler.watchVisitors(), otherScheduler.watchVisitors()]);
      const visitors = [];
      for (let count = 0; count < 8; count += 1) {
        const { visitor, conversation } = await startWithSocket();
        visitors.push({ visitor, conversation: await fixture.accept({ ...conversation, operatorId }) });
      }
      const ids = visitors.map(({ conversation }) => conversation.id);
      await fixture.connect(operatorId, 'desk', 360_000);
      const position = await fixture.readPosition();
      installation.clock.advance(AWAY_MS);
      await watchOnBoth();
      assert.deepEqual(
        changes.map(({ isPresent }) => isPresent),
        ids.map(() => false),
      );
      installation.clock.advance(10 * MINUTE_MS);
      await watchOnBoth();
      const events = await fixture.loadEventsAfter(position);
      const closed = events
        .filter(({ type }) => type === 'conversation.closed')
        .map(({ subjectId }) => Number(subjectId));
      assert.deepEqual(
        closed.sort((a, b) => a - b),
        ids,
      );
      assert.equal((await fixture.loadLiveRow(operatorId)).chatSlots, 0);
      for (const stop of stops) stop();
      await closeAll();
      await installation.operators.delete(fixture.transact, installation.caller, operatorId);
    });

    test('rule 22: a visitor who cannot be processed does not keep the others', async () => {
      const { installation } = fixture;
      await fixture.createOperator({}, { connected: false });
      const [failing, other] = [await startWithSocket(), await startWithSocket()];
      await fixture.advanceTime(AWAY_MS);
      await installation.database.transaction(async (tx) => {
        await renewPresences(
          tx,
          [failing, other].map(({ visitor }) => ({ ...visitor, milliseconds: 30_000, bySocket: true })),
        );
      });
      const stop = installation.visitorPresence.onChange(({ visitorId }) => {
        if (visitorId === failing.visitor.visitorId) throw new Error('on purpose');
      });
      await assert.rejects(installation.visitorPresence.settle(), /on purpose/);
      stop();
      assert.ok(!(await isAway(other.visitor)));
      await closeAll();
    });

    test('rule 22: nine absent visitors do not fill a queue limit of three, and the next visitor is offered', async () => {
      const { accounts, caller, conversations } = fixture.installation;
      const operatorId = await fixture.createOperator({}, { connected: false });
      await accounts.update(fixture.transact, caller, { queueLimit: 3 });
      const absent: Conversation[] = [];
      for (let index = 0; index < 9; index += 1) {
        absent.push((await startWithSocket()).conversation);
        if (index % 3 === 2) await fixture.advanceTime(AWAY_MS);
      }
      const { visitor, conversation } = await startWithSocket();
      await fixture.connect(operatorId);
      assert.equal((await load(conversation)).state, 'offered');
      assert.deepEqual([...new Set(await loadStates(absent))], ['queued']);
      await conversations.closeAsVisitor(fixture.transact, visitor, conversation.id);
      await accounts.update(fixture.transact, caller, { queueLimit: 1000 });
      await closeAll();
      await fixture.installation.operators.delete(fixture.transact, fixture.installation.caller, operatorId);
    });

    test('rule 22: after an outage of the database one lease time passes before anything ends', async () => {
      const { scheduler, clock } = fixture.installation;
      const { visitor, conversation } = await startWithSocket();
      await fixture.advanceTime(AWAY_MS);
      clock.advance(60 * MINUTE_MS); // no visitor could renew
      scheduler.holdLeases();
      await fixture.advanceTime(0);
      await fixture.advanceTime(29_000);
      assert.equal((await load(conversation)).state, 'queued');
      await answerPing(visitor);
      await fixture.advanceTime(2000);
      assert.equal((await load(conversation)).state, 'queued');
      await closeAll();
    });

    test('rule 22: nothing ends during the first hour after the migration', async () => {
      const { database, clock } = fixture.installation;
      const setMigrated = (appliedAt: number) =>
        database.transaction((tx) =>
          tx.db.updateTable('migrations').set({ appliedAt }).where('name', '=', visitorPresence.name).execute(),
        );
      const { appliedAt } = await database.read
        .selectFrom('migrations')
        .select('appliedAt')
        .where('name', '=', visitorPresence.name)
        .executeTakeFirstOrThrow();
      const { conversation } = await startWithSocket();
      await setMigrated(clock.now);
      const scheduler = new Scheduler(database, fixture.installation.visitorPresence);
      for (let minutes = 0; minutes < 59; minutes += 1) {
        clock.advance(MINUTE_MS);
        await scheduler.watchVisitors();
      }
      assert.equal((await load(conversation)).state, 'queued');
      clock.advance(MINUTE_MS);
      await scheduler.watchVisitors();
      assert.equal((await load(conversation)).state, 'closed');
      await setMigrated(appliedAt);
    });
  });
}
