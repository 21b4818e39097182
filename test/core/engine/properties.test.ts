import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ConversationRow } from '../../../src/core/engine/records/conversation-store.ts';
import type { VisitorCaller } from '../../../src/core/kernel/caller.ts';
import { CHANNELS } from '../../../src/core/kernel/channels.ts';
import { DomainError } from '../../../src/core/kernel/errors.ts';
import { databases } from '../../support/databases/databases.ts';
import { World } from '../../support/fixtures/world.ts';
import { Model, type ModelConversation } from './model.ts';
import { type Step, step, TEAM } from './steps.ts';

const STEP_INTERVAL_MS = 7;

function applyStep(model: Model, step: Step): void {
  model.now += STEP_INTERVAL_MS;
  const operator = 'operator' in step ? model.operators[step.operator % model.operators.length] : undefined;
  const conversation =
    'conversation' in step && model.conversations.length > 0
      ? model.conversations[step.conversation % model.conversations.length]
      : undefined;
  if (step.kind === 'start') model.start(step.channel, step.language, step.visitor);
  else if (step.kind === 'pass') model.advanceTime(step.milliseconds);
  else if (step.kind === 'available' && operator) model.setAvailable(operator, step.channel, step.available);
  else if (step.kind === 'maximum' && operator) model.setMaximum(operator, step.maximum);
  else if (step.kind === 'connect' && operator) model.connect(operator);
  else if (step.kind === 'disconnect' && operator) model.disconnect(operator);
  else if (step.kind === 'accept' && conversation) model.accept(conversation);
  else if (step.kind === 'decline' && conversation) model.decline(conversation);
  else if (step.kind === 'close' && conversation) model.close(conversation);
}

/** The slots in use, recounted from the conversations. */
function recount(conversations: readonly Pick<ModelConversation, 'channel' | 'operatorId' | 'state'>[], id: number) {
  const held = conversations.filter(
    ({ operatorId, state }) => operatorId === id && (state === 'offered' || state === 'active'),
  );
  return CHANNELS.map((channel) => held.filter((one) => one.channel === channel).length);
}

const toSlotCounts = (slots: Record<(typeof CHANNELS)[number], number>) => CHANNELS.map((channel) => slots[channel]);

test('rules 5 and 9: 10,000 random sequences on the model: every counter equals a recount, no maximum exceeded', () => {
  let [steps, offers] = [0, 0];
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), (sequence) => {
      const model = new Model(TEAM.map((member, index) => ({ ...member, id: index + 1 })));
      for (const one of sequence) {
        applyStep(model, one);
        steps += 1;
        for (const { id, slots } of model.operators)
          assert.deepEqual(toSlotCounts(slots), recount(model.conversations, id));
        assert.deepEqual(model.exceeded, []);
      }
      offers += model.conversations.filter(({ operatorId }) => operatorId !== null).length;
    }),
    { numRuns: 10_000 },
  );
  assert.ok(steps > 100_000 && offers > 5000, `${steps} steps, ${offers} conversations that had an operator`);
});

/** A team with a separate website, so that many sequences share one database. */
class Team {
  readonly world: World;
  readonly websiteId: number;
  readonly ids: readonly number[];
  readonly visitors: readonly VisitorCaller[];
  readonly conversations: number[] = [];

  constructor(world: World, fields: Pick<Team, 'websiteId' | 'ids' | 'visitors'>) {
    this.world = world;
    this.websiteId = fields.websiteId;
    this.ids = fields.ids;
    this.visitors = fields.visitors;
  }

  static async create(world: World): Promise<Team> {
    const websiteId = await world.createWebsite();
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
      ids.push(await world.createOperator({ ...capacity, ...memberships }, { away: true }));
    }
    const visitors = await Promise.all(Array.from({ length: 6 }, () => world.createVisitor(websiteId)));
    return new Team(world, { websiteId, ids, visitors });
  }

  async apply(step: Step): Promise<void> {
    const { world, ids } = this;
    const { conversations, operators, caller } = world.installation;
    const operatorId = 'operator' in step ? (ids[step.operator % ids.length] as number) : 0;
    const id =
      'conversation' in step && this.conversations.length > 0
        ? (this.conversations[step.conversation % this.conversations.length] as number)
        : 0;
    if (step.kind === 'start') {
      const { channel, language } = step;
      const started = await world.startConversation(
        { channel, language },
        this.visitors[step.visitor] as VisitorCaller,
      );
      this.conversations.push(started.id);
    } else if (step.kind === 'pass') await world.advanceTime(step.milliseconds);
    else if (step.kind === 'available') await world.setAvailable(operatorId, step.channel, step.available);
    else if (step.kind === 'maximum')
      await operators.update(world.transact, caller, operatorId, { chatMaxNumber: step.maximum });
    else if (step.kind === 'connect') await world.connect(operatorId, 'desk', 1_000_000);
    else if (step.kind === 'disconnect') await world.disconnect(operatorId);
    else if (id !== 0 && step.kind === 'close')
      await conversations.close(world.transact, world.callerFor(0, 'admin'), id);
    else if (id !== 0) {
      const { operatorId: to } = await world.loadConversation(id);
      if (to !== null) await conversations[step.kind as 'accept' | 'decline'](world.transact, world.callerFor(to), id);
    }
  }

  rows(): Promise<ConversationRow[]> {
    return this.world.installation.database.read
      .selectFrom('conversations')
      .selectAll()
      .where('websiteId', '=', this.websiteId)
      .orderBy('id')
      .execute();
  }

  async assertConsistent(rows: readonly ConversationRow[]): Promise<void> {
    for (const id of this.ids) {
      const { chatSlots, callSlots, videoSlots } = await this.world.loadLiveRow(id);
      assert.deepEqual([chatSlots, callSlots, videoSlots], recount(rows, id));
    }
    const exceeded = await this.world.installation.database.read
      .selectFrom('liveHistory')
      .selectAll()
      .where('operatorId', 'in', this.ids)
      .where('kind', '=', 'slot_taken')
      .where((eb) =>
        eb.or([eb('chatSlots', '>', eb.ref('chatMaxNumber')), eb('callSlots', '>', 1), eb('videoSlots', '>', 1)]),
      )
      .execute();
    // After a lowered maximum more conversations may be active than fit; only a chat slot claimed then would be an
    // error.
    for (const row of exceeded)
      assert.match(row.reason ?? '', row.chatSlots > row.chatMaxNumber ? /^(call|video)/ : /never/);
  }
}

/** Expected refusals are ignored: the offer is no longer open, or the visitor has too many open conversations. */
const ignoreRefusal = (error: unknown) => {
  if (!(error instanceof DomainError) || !['state', 'limit'].includes(error.kind)) throw error;
};

/**
 * A part of the sequences in every test run, fewer on a database server, which is slower; all with `npm run
 * differential`.
 */
const RUNS = process.env.FULL === '1' ? { sqlite: 200, postgres: 200 } : { sqlite: 50, postgres: 16 };

for (const { name, open } of databases) {
  const runs = RUNS[name];
  describe(`random sequences on ${name}`, () => {
    test('rules 5 to 14: the engine does what the model does, step by step', async () => {
      const world = await World.create(open);
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (sequence) => {
          const team = await Team.create(world);
          const model = new Model(TEAM.map((member, index) => ({ ...member, id: team.ids[index] as number })));
          model.now = world.installation.clock.now;
          for (const one of sequence) {
            if (one.kind === 'start' && hasMaxOpenConversations(model, one.visitor)) continue; // would be refused
            world.installation.clock.advance(STEP_INTERVAL_MS);
            applyStep(model, one);
            await team.apply(one).catch(ignoreRefusal);
            const rows = await team.rows();
            await team.assertConsistent(rows);
            assert.deepEqual(
              rows.map(({ state, operatorId }) => [state, state === 'closed' ? 0 : operatorId]),
              model.conversations.map(({ state, operatorId }) => [state, state === 'closed' ? 0 : operatorId]),
            );
            for (const { id, slots, available } of model.operators) {
              const live = await world.loadLiveState(id);
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
          for (const id of team.ids) await world.disconnect(id);
          for (const row of await team.rows()) {
            if (row.state !== 'closed')
              await world.installation.conversations.close(world.transact, world.callerFor(0, 'admin'), row.id);
          }
        }),
        { numRuns: runs / 2 },
      );
      assert.deepEqual(await world.findBrokenInvariants(), []);
      await world.end();
    });

    test(`rules 5 and 9: ${runs} sequences with concurrent callers: every counter equals a recount, no maximum exceeded`, async () => {
      const world = await World.create(open);
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 3, maxLength: 10 }),
          async (sequence) => {
            const team = await Team.create(world);
            for (const id of team.ids) await world.connect(id, 'desk', 1_000_000);
            for (const concurrentSteps of sequence) {
              world.installation.clock.advance(STEP_INTERVAL_MS);
              await Promise.all(concurrentSteps.map((one) => team.apply(one).catch(ignoreRefusal)));
              await team.assertConsistent(await team.rows());
            }
            for (const id of team.ids) await world.disconnect(id);
          },
        ),
        { numRuns: runs },
      );
      assert.deepEqual(await world.findBrokenInvariants(), []);
      await world.end();
    });
  });
}

function hasMaxOpenConversations({ conversations }: Model, visitor: number): boolean {
  return conversations.filter((one) => one.visitor === visitor && one.state !== 'closed').length >= 5;
}
