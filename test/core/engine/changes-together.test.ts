import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { VisitorCaller } from '../../../src/core/kernel/caller.ts';
import { databases } from '../../support/databases/databases.ts';
import { EngineFixture } from '../../support/fixtures/engine-fixture.ts';

const RUNS = process.env.FULL === '1' ? 100 : 3;
const KINDS = [
  ...(['start', 'start', 'accept', 'accept', 'decline', 'close', 'close', 'closeAsVisitor'] as const),
  ...(['send', 'sendAsVisitor', 'turnOn', 'turnOff'] as const),
];

/** What a person does: with one of the conversations that they know, and as its operator or as any other. */
interface Action {
  readonly kind: (typeof KINDS)[number];
  readonly conversation: number;
  readonly person: number;
  readonly isOwn: boolean;
}

const action: fc.Arbitrary<Action> = fc.record({
  kind: fc.constantFrom(...KINDS),
  conversation: fc.nat({ max: 50 }),
  person: fc.nat({ max: 50 }),
  isOwn: fc.integer({ min: 0, max: 9 }).map((number) => number > 0),
});
/** The actions of a burst wait for each other; between bursts everyone sees what happened. */
const bursts = fc.array(fc.array(action, { minLength: 4, maxLength: 14 }), { minLength: 3, maxLength: 6 });

/** Few slots, so that conversations wait, and actions concern the same operators and conversations. */
class Office {
  readonly #fixture: EngineFixture;
  readonly #operators: number[] = [];
  readonly #visitors: VisitorCaller[] = [];

  constructor(fixture: EngineFixture) {
    this.#fixture = fixture;
  }

  async open(): Promise<void> {
    for (const chatMaxNumber of [1, 1, 2]) this.#operators.push(await this.#fixture.createOperator({ chatMaxNumber }));
    for (let count = 0; count < 6; count += 1) this.#visitors.push(await this.#fixture.createVisitor());
  }

  /** Runs a burst and returns what each action led to. */
  async run(actions: readonly Action[], { together }: { readonly together: boolean }): Promise<string[]> {
    const works = await this.#prepare(actions);
    const outcomes: string[] = [];
    if (together) {
      const allWait = Promise.withResolvers<void>();
      const first = this.#fixture.transact(() => allWait.promise);
      const running = works.map(describe);
      allWait.resolve();
      await first;
      outcomes.push(...(await Promise.all(running)));
    } else {
      for (const work of works) outcomes.push(await describe(work));
    }
    this.#fixture.installation.clock.advance(1000);
    return outcomes;
  }

  async #prepare(actions: readonly Action[]) {
    const fixture = this.#fixture;
    const { conversations, database } = fixture.installation;
    const known = await database.read.selectFrom('conversations').selectAll().orderBy('id').execute();
    return actions.map(({ kind, conversation: index, person, isOwn }) => {
      const operatorId = this.#operators[person % this.#operators.length] ?? 0;
      const visitor = this.#visitors[person % this.#visitors.length] as VisitorCaller;
      const row = known[index % known.length];
      if (kind === 'start' || !row) return () => fixture.startConversation({ message: 'Hello' }, visitor);
      const conversation = { id: row.id, operatorId: isOwn ? row.operatorId : operatorId };
      const own = this.#visitors.find(({ visitorId }) => visitorId === row.visitorId) as VisitorCaller;
      const content = { conversationId: row.id, text: 'Hello' };
      const caller = fixture.callerFor(conversation.operatorId ?? operatorId);
      const works = {
        accept: () => fixture.accept(conversation),
        decline: () => fixture.decline(conversation),
        close: () => fixture.close(conversation),
        closeAsVisitor: () => conversations.closeAsVisitor(fixture.transact, isOwn ? own : visitor, row.id),
        send: () => conversations.send(fixture.transact, caller, content),
        sendAsVisitor: () => conversations.sendAsVisitor(fixture.transact, isOwn ? own : visitor, content),
        turnOn: () => fixture.setAvailable(operatorId, 'chat', true),
        turnOff: () => fixture.setAvailable(operatorId, 'chat', false),
      };
      return works[kind];
    });
  }

  /** All that the actions can have changed. */
  async describe() {
    const { read } = this.#fixture.installation.database;
    return {
      conversations: await read.selectFrom('conversations').selectAll().orderBy('id').execute(),
      live: await read.selectFrom('operatorLive').selectAll().orderBy('operatorId').execute(),
      history: await read.selectFrom('liveHistory').selectAll().orderBy('operatorId').orderBy('version').execute(),
      messages: await read.selectFrom('messages').selectAll().orderBy('conversationId').orderBy('sequence').execute(),
      pauses: await read.selectFrom('offerPauses').selectAll().orderBy('conversationId').execute(),
      events: await read
        .selectFrom('events')
        .select(['type', 'subjectId', 'changes'])
        .where('subjectType', '=', 'conversation')
        .orderBy('position')
        .execute(),
      broken: await this.#fixture.findBrokenInvariants(),
    };
  }
}

function describe(work: () => Promise<unknown>): Promise<string> {
  return work().then(
    (result) => JSON.stringify(result),
    ({ message }) => `refused: ${message}`,
  );
}

for (const { name, open } of databases) {
  test(`changes that share a transaction lead to the same as one after the other, on ${name}`, async () => {
    await fc.assert(
      fc.asyncProperty(bursts, async (actions) => {
        const fixtures = [await EngineFixture.create(open), await EngineFixture.create(open)] as const;
        const [shared, separate] = fixtures.map((fixture) => new Office(fixture)) as [Office, Office];
        try {
          await shared.open();
          await separate.open();
          for (const burst of actions)
            assert.deepEqual(
              await shared.run(burst, { together: true }),
              await separate.run(burst, { together: false }),
            );
          assert.deepEqual(await shared.describe(), await separate.describe());
        } finally {
          for (const fixture of fixtures) await fixture.end();
        }
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });
}
