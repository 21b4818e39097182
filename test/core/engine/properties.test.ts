import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ConversationRow } from '../../../src/core/engine/records/conversation-store.ts';
import type { VisitorCaller } from '../../../src/core/kernel/caller.ts';
import { CHANNELS } from '../../../src/core/kernel/channels.ts';
import { DomainError } from '../../../src/core/kernel/errors.ts';
import { databases } from '../../support/databases/databases.ts';
import { EngineFixture } from '../../support/fixtures/engine-fixture.ts';
import { Model, type ModelConversation } from './model.ts';
import { type Step, stepArbitrary, TEAM } from './steps.ts';

const STEP_INTERVAL_MS = 7;

function applyStep(model: Model, step: Step): void {
  model.now += STEP_INTERVAL_MS;
  const operator = 'operator' in step ? model.operators[step.operator % model.operators.length] : undefined;
  const conversation =
    'conversation' in step && model.conversations.length > 0
      ? model.conversations[step.conversation % model.conversations.length]
      : undefined;
  if (step.kind === 'start') model.start(step.channel, step.language, step.visitor);
  else if (step.kind === 'leave') model.leave(step.visitor);
  else if (step.kind === 'return') model.return(step.visitor);
  else if (step.kind === 'wait') model.advanceTime(step.milliseconds);
  else if (step.kind === 'available' && operator) model.setAvailable(operator, step.channel, step.available);
  else if (step.kind === 'maximum' && operator) model.setMaximum(operator, step.maximum);
  else if (step.kind === 'connect' && operator) model.connect(operator);
  else if (step.kind === 'disconnect' && operator) model.disconnect(operator);
  else if (step.kind === 'accept' && conversation) model.accept(conversation);
  else if (step.kind === 'decline' && conversation) model.decline(conversation);
  else if (step.kind === 'close' && conversation) model.close(conversation);
}

/** The slots in use, recounted from the conversations. */
function recountSlots(
  conversations: readonly Pick<ModelConversation, 'channel' | 'operatorId' | 'state'>[],
  id: number,
) {
  const held = conversations.filter(
    ({ operatorId, state }) => operatorId === id && (state === 'offered' || state === 'active'),
  );
  return CHANNELS.map((channel) => held.filter((conversation) => conversation.channel === channel).length);
}

const toSlotCounts = (slots: Record<(typeof CHANNELS)[number], number>) => CHANNELS.map((channel) => slots[channel]);

/** A test run uses a part of the sequences, fewer on PostgreSQL, which is slower. `npm run differential` uses all. */
const RUNS =
  process.env.FULL === '1' ? { model: 10_000, sqlite: 200, postgres: 200 } : { model: 2000, sqlite: 20, postgres: 6 };

test(`rules 5 and 9: ${RUNS.model} random sequences on the model: every counter equals a recount, no maximum exceeded`, () => {
  let [steps, offers] = [0, 0];
  fc.assert(
    fc.property(fc.array(stepArbitrary, { minLength: 5, maxLength: 40 }), (sequence) => {
      const model = new Model(TEAM.map((member, index) => ({ ...member, id: index + 1 })));
      for (const step of sequence) {
        applyStep(model, step);
        steps += 1;
        for (const { id, slots } of model.operators)
          assert.deepEqual(toSlotCounts(slots), recountSlots(model.conversations, id));
        assert.deepEqual(model.exceeded, []);
      }
      offers += model.conversations.filter(({ operatorId }) => operatorId !== null).length;
    }),
    { numRuns: RUNS.model },
  );
  assert.ok(
    steps > 10 * RUNS.model && offers > RUNS.model / 2,
    `${steps} steps, ${offers} conversations that had an operator`,
  );
});

/** A team with a separate website, so that many sequences share one database. */
class Team {
  readonly fixture: EngineFixture;
  readonly websiteId: number;
  readonly ids: readonly number[];
  readonly visitors: readonly VisitorCaller[];
  readonly conversations: number[] = [];
  readonly #left = new Set<number>();

  constructor(fixture: EngineFixture, fields: Pick<Team, 'websiteId' | 'ids' | 'visitors'>) {
    this.fixture = fixture;
    this.websiteId = fields.websiteId;
    this.ids = fields.ids;
    this.visitors = fields.visitors;
  }

  static async create(fixture: EngineFixture): Promise<Team> {
    const websiteId = await fixture.createWebsite();
    // No conversation ends for absence: here only the queue matters.
    const { websites, caller } = fixture.installation;
    const settings = { waitingAbsenceMinutes: 1440, activeAbsenceMinutes: 0 };
    await websites.update(fixture.transact, caller, websiteId, settings);
    const ids: number[] = [];
    for (const { languages, chatAndCall, priority, chatMaximum } of TEAM) {
      const priorities = { chatPriority: priority, callPriority: priority, videoPriority: priority };
      const capacity = {
        callEnabled: true,
        videoEnabled: true,
        chatMaxNumber: chatMaximum,
        chatAndCall,
        ...priorities,
      };
      const memberships = { languageList: [...languages], websiteList: [websiteId] };
      ids.push(await fixture.createOperator({ ...capacity, ...memberships }, { connected: false }));
    }
    const visitors = await Promise.all(Array.from({ length: 6 }, () => fixture.createVisitor(websiteId)));
    return new Team(fixture, { websiteId, ids, visitors });
  }

  async apply(step: Step): Promise<void> {
    const { fixture, ids } = this;
    const { conversations, operators, caller } = fixture.installation;
    const operatorId = 'operator' in step ? (ids[step.operator % ids.length] as number) : 0;
    const id =
      'conversation' in step && this.conversations.length > 0
        ? (this.conversations[step.conversation % this.conversations.length] as number)
        : 0;
    if (step.kind === 'start') {
      const { channel, language } = step;
      await this.#setPresent(this.visitors[step.visitor] as VisitorCaller, true);
      const started = await fixture.startConversation(
        { channel, language },
        this.visitors[step.visitor] as VisitorCaller,
      );
      this.conversations.push(started.id);
    } else if (step.kind === 'leave' || step.kind === 'return')
      await this.#setPresent(this.visitors[step.visitor] as VisitorCaller, step.kind === 'return');
    else if (step.kind === 'wait') await fixture.advanceTime(step.milliseconds);
    else if (step.kind === 'available') await fixture.setAvailable(operatorId, step.channel, step.available);
    else if (step.kind === 'maximum')
      await operators.update(fixture.transact, caller, operatorId, { chatMaxNumber: step.maximum });
    else if (step.kind === 'connect') await fixture.connect(operatorId, 'desk', 1_000_000);
    else if (step.kind === 'disconnect') await fixture.disconnect(operatorId);
    else if (id !== 0 && step.kind === 'close')
      await conversations.close(fixture.transact, fixture.callerFor(0, 'admin'), { id });
    else if (id !== 0) {
      const { operatorId: assignedOperatorId } = await fixture.loadConversation(id);
      if (assignedOperatorId !== null)
        await conversations[step.kind as 'accept' | 'decline'](
          fixture.transact,
          fixture.callerFor(assignedOperatorId),
          id,
        );
    }
  }

  /** Leaves or returns, by the clock of the database. */
  async #setPresent({ accountId, visitorId }: VisitorCaller, isPresent: boolean): Promise<void> {
    if (isPresent && !this.#left.delete(visitorId)) return;
    if (!isPresent) this.#left.add(visitorId);
    const { database, visitorPresence } = this.fixture.installation;
    await database.transaction((tx) => {
      const presentUntil = isPresent ? tx.now + 1e12 : tx.now;
      return tx.db
        .insertInto('visitorPresence')
        .values({ accountId, visitorId, presentUntil, leftAt: null })
        .onConflict((conflict) => conflict.columns(['accountId', 'visitorId']).doUpdateSet({ presentUntil }))
        .execute();
    });
    await visitorPresence.settle();
  }

  loadConversations(): Promise<ConversationRow[]> {
    return this.fixture.installation.database.read
      .selectFrom('conversations')
      .selectAll()
      .where('websiteId', '=', this.websiteId)
      .orderBy('id')
      .execute();
  }

  async assertConsistent(rows: readonly ConversationRow[]): Promise<void> {
    for (const id of this.ids) {
      const { chatSlots, callSlots, videoSlots } = await this.fixture.loadLiveRow(id);
      assert.deepEqual([chatSlots, callSlots, videoSlots], recountSlots(rows, id));
    }
    const overCapacity = await this.fixture.installation.database.read
      .selectFrom('liveHistory')
      .selectAll()
      .where('operatorId', 'in', this.ids)
      .where('kind', '=', 'slot_taken')
      .where((eb) =>
        eb.or([eb('chatSlots', '>', eb.ref('chatMaxNumber')), eb('callSlots', '>', 1), eb('videoSlots', '>', 1)]),
      )
      .execute();
    // When the maximum is lowered, more conversations may be active than fit. It is an error only if a chat slot is
    // claimed in that state.
    for (const row of overCapacity)
      assert.match(row.reason ?? '', row.chatSlots > row.chatMaxNumber ? /^(call|video)/ : /never/);
  }
}

/** Expected refusals are ignored: the offer is no longer open, or the visitor has too many open conversations. */
const ignoreRefusal = (error: unknown) => {
  if (!(error instanceof DomainError) || !['state', 'limit'].includes(error.kind)) throw error;
};

for (const { name, open } of databases) {
  const runs = RUNS[name];
  describe(`random sequences on ${name}`, () => {
    test('rules 5 to 14: the engine matches the model after every step, also when visitors leave and return', async () => {
      const fixture = await EngineFixture.create(open);
      await fc.assert(
        fc.asyncProperty(fc.array(stepArbitrary, { minLength: 10, maxLength: 30 }), async (sequence) => {
          const team = await Team.create(fixture);
          const model = new Model(TEAM.map((member, index) => ({ ...member, id: team.ids[index] as number })));
          model.now = fixture.installation.clock.now;
          for (const step of sequence) {
            if (step.kind === 'start' && hasMaxOpenConversations(model, step.visitor)) continue; // would be refused
            fixture.installation.clock.advance(STEP_INTERVAL_MS);
            applyStep(model, step);
            await team.apply(step).catch(ignoreRefusal);
            const rows = await team.loadConversations();
            await team.assertConsistent(rows);
            assert.deepEqual(
              rows.map(({ state, operatorId }) => [state, state === 'closed' ? 0 : operatorId]),
              model.conversations.map(({ state, operatorId }) => [state, state === 'closed' ? 0 : operatorId]),
            );
            for (const { id, slots, available } of model.operators) {
              const live = await fixture.loadLiveState(id);
              assert.deepEqual(
                CHANNELS.map((channel) => live[channel].slots),
                toSlotCounts(slots),
              );
              assert.deepEqual(
                CHANNELS.map((channel) => live[channel].available),
                CHANNELS.map((channel) => available[channel]),
              );
            }
          }
          for (const id of team.ids) await fixture.disconnect(id);
          for (const row of await team.loadConversations()) {
            if (row.state !== 'closed')
              await fixture.installation.conversations.close(fixture.transact, fixture.callerFor(0, 'admin'), {
                id: row.id,
              });
          }
        }),
        { numRuns: runs / 2 },
      );
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.end();
    });

    test(`rules 5 and 9: ${runs} sequences with concurrent callers: every counter equals a recount, no maximum exceeded`, async () => {
      const fixture = await EngineFixture.create(open);
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(stepArbitrary, { minLength: 1, maxLength: 6 }), { minLength: 3, maxLength: 10 }),
          async (sequence) => {
            const team = await Team.create(fixture);
            for (const id of team.ids) await fixture.connect(id, 'desk', 1_000_000);
            for (const concurrentSteps of sequence) {
              fixture.installation.clock.advance(STEP_INTERVAL_MS);
              await Promise.all(concurrentSteps.map((step) => team.apply(step).catch(ignoreRefusal)));
              await team.assertConsistent(await team.loadConversations());
            }
            for (const id of team.ids) await fixture.disconnect(id);
          },
        ),
        { numRuns: runs },
      );
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.end();
    });
  });
}

function hasMaxOpenConversations({ conversations }: Model, visitor: number): boolean {
  return (
    conversations.filter((conversation) => conversation.visitor === visitor && conversation.state !== 'closed')
      .length >= 5
  );
}
