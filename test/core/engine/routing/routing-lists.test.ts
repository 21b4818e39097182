import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { CHANNELS, type Channel } from '../../../../src/core/kernel/channels.ts';
import { computeChannelLive } from '../../../../src/core/live/capacity.ts';
import { type LiveRow, toLiveState } from '../../../../src/core/live/live.ts';
import type { Database } from '../../../../src/storage/database.ts';
import { databases } from '../../../support/databases/databases.ts';
import { EngineFixture } from '../../../support/fixtures/engine-fixture.ts';
import { createMemberships, insertOperators, pick } from '../../../support/fixtures/random-operators.ts';

interface ListedOperator {
  readonly operatorId: number;
  readonly channel: Channel;
  readonly need: string;
  readonly priority: number;
  readonly share: number;
  readonly assignedAt: number;
}

/** The rows that the lists of these needs must have, from the live rows alone. */
function buildExpected(rows: readonly LiveRow[], lists: ReadonlySet<string>): ListedOperator[] {
  return rows.flatMap((row) => {
    const state = toLiveState(row, { connected: row.routableUntil > 0, inGrace: false });
    const needs = [
      ...(row.groupId === null ? [] : [`group ${row.groupId}`]),
      ...(JSON.parse(row.skillList) as number[]).map((id) => `skill ${id}`),
      ...(JSON.parse(row.websiteList) as number[]).map((id) => `website ${id}`),
      ...(JSON.parse(row.languageList) as string[]).map((code) => `language ${code}`),
    ];
    return CHANNELS.filter((channel) => computeChannelLive(state, channel).routable).flatMap((channel) =>
      needs
        .filter((need) => lists.has(need))
        .map((need) => ({
          ...{ operatorId: row.operatorId, channel, need, priority: row[`${channel}Priority`] },
          share: channel === 'chat' ? Math.floor((row.chatSlots * 1_000_000) / row.chatMaxNumber) : 0,
          assignedAt: row.assignedAt,
        })),
    );
  });
}

const sort = (rows: readonly ListedOperator[]) =>
  rows
    .map(({ operatorId, channel, need, priority, share, assignedAt }) =>
      [operatorId, channel, need, priority, share, assignedAt].join(' '),
    )
    .sort();

async function assertListsMatch(database: Database, message = 'the lists'): Promise<number> {
  const [lists, listed, rows] = await Promise.all([
    database.read.selectFrom('routingLists').select('need').execute(),
    database.read.selectFrom('listedOperators').selectAll().execute(),
    database.read.selectFrom('operatorLive').selectAll().execute(),
  ]);
  const expected = buildExpected(rows, new Set(lists.map(({ need }) => need)));
  assert.deepEqual(sort(listed as unknown as ListedOperator[]), sort(expected), message);
  return expected.length;
}

const flag = pick([0, 1, 1]);
/** What any version writes into a live row. */
const change = fc.record(
  {
    routableUntil: pick([0, 5, 4_000_000_000_000]),
    ...{ chatEnabled: flag, callEnabled: flag, videoEnabled: flag },
    ...{ chatAvailable: flag, callAvailable: flag, videoAvailable: flag },
    ...{ chatSlots: pick([0, 1, 2]), callSlots: pick([0, 0, 1]), videoSlots: pick([0, 0, 1]) },
    ...{ chatMaxNumber: pick([1, 2, 3]), chatAndCall: flag, chatPriority: pick([0, 10]), callPriority: pick([0, 10]) },
    ...{ assignedAt: fc.nat(1000), chatMissed: pick([1, 2]) },
    groupId: pick([null, 1, 2, 12]),
    skillList: pick(['[]', '[1]', '[12,1]', '[2,3]']),
    websiteList: pick(['[]', '[1]', '[1,2]']),
    languageList: pick(['["en"]', '["fr","en"]', '["de"]']),
  },
  { requiredKeys: [] },
);
const need = pick(['skill 1', 'skill 12', 'skill 2', 'group 1', 'group 12', 'website 1', 'language en', 'language de']);
const operatorId = fc.integer({ min: 10_000, max: 10_005 });
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('change' as const), operatorId, change }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('keep' as const), need }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop' as const), need }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), operatorId }) },
);

for (const { name, open } of databases) {
  describe(`lists of routing on ${name}`, () => {
    test('after any changes of live rows and lists, each list has those who are routable and meet the need, in their order', async () => {
      const fixture = await EngineFixture.create(open);
      const { accountId } = fixture;
      const { database } = fixture.installation;
      const noMemberships = { websites: [1, 2], skills: [1, 2, 12], groups: [1, 2, 12] };
      const templates = await insertOperators(fixture, 6, noMemberships, 5);
      let compared = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 15 }), async (steps) => {
          for (const each of steps) {
            await fixture.transact(async ({ db }) => {
              if (each.do === 'keep')
                await db
                  .insertInto('routingLists')
                  .values({ accountId, need: each.need })
                  .onConflict((conflict) => conflict.doNothing())
                  .execute();
              if (each.do === 'drop') await db.deleteFrom('routingLists').where('need', '=', each.need).execute();
              if (each.do === 'delete')
                await db.deleteFrom('operatorLive').where('operatorId', '=', each.operatorId).execute();
              if (each.do === 'change') {
                const { operatorId } = each;
                const row = templates.find((template) => template.operatorId === operatorId);
                assert.ok(row);
                await db
                  .insertInto('operatorLive')
                  .values(row)
                  .onConflict((conflict) => conflict.doNothing())
                  .execute();
                if (Object.keys(each.change).length > 0)
                  await db.updateTable('operatorLive').set(each.change).where('operatorId', '=', operatorId).execute();
              }
            });
            compared += await assertListsMatch(database, JSON.stringify(each));
          }
        }),
        { numRuns: process.env.FULL === '1' ? 80 : 20 },
      );
      assert.ok(compared > 100, `${compared} rows were compared`);
      await fixture.end();
    });

    test('a list is kept for what most of many connected operators lack, and the best of those who have it is chosen', async () => {
      const fixture = await EngineFixture.create(open);
      const memberships = await createMemberships(fixture);
      await insertOperators(fixture, 420, memberships, 11);
      const { database, clock } = fixture.installation;
      const connect = (max: number) =>
        fixture.transact(({ db }) =>
          db
            .updateTable('operatorLive')
            .set({ leaseUntil: clock.now + 60_000, routableUntil: clock.now + 60_000, languageList: '["en"]' })
            .where('operatorId', '>=', 10_000)
            .where('operatorId', '<', 10_000 + max)
            .execute(),
        );
      await fixture.transact(({ db }) =>
        db
          .updateTable('operatorLive')
          .set({ leaseUntil: 0, routableUntil: 0 })
          .where('operatorId', '>=', 10_000)
          .execute(),
      );
      const loadLists = async () =>
        (await database.read.selectFrom('routingLists').select('need').orderBy('need').execute()).map(
          (row) => row.need,
        );
      const expert = await fixture.createOperator({
        languageList: ['en', 'sv'],
        websiteList: [fixture.websiteId],
        chatMaxNumber: 5,
      });
      await connect(190);
      assert.equal((await fixture.startConversation({ language: 'sv' })).operatorId, expert);
      assert.deepEqual(await loadLists(), [], 'few are passed');
      await connect(420);
      clock.advance(1000); // counts of many operators are cached
      await fixture.createOperator({ languageList: ['da'], websiteList: [fixture.websiteId] }, { connected: false });
      assert.equal((await fixture.startConversation({ language: 'da' })).state, 'queued');
      assert.deepEqual(await loadLists(), [], 'a start that was not assigned may still be refused');
      assert.equal((await fixture.startConversation({ language: 'sv' })).operatorId, expert);
      assert.deepEqual(await loadLists(), ['language sv']);
      const other = await fixture.createOperator({ languageList: ['sv'], websiteList: [fixture.websiteId] });
      assert.equal((await fixture.startConversation({ language: 'sv' })).operatorId, other, 'the share is smaller');
      const [parent = 0, child = 0] = memberships.skills;
      const skilled = await fixture.createOperator({ skillList: [child], websiteList: [fixture.websiteId] });
      await fixture.transact(({ db }) =>
        db.updateTable('operatorLive').set({ skillList: '[]' }).where('operatorId', '<>', skilled).execute(),
      );
      await fixture.transact(({ db }) => db.deleteFrom('operatorSkills').where('operatorId', '<>', skilled).execute());
      for (const wanted of ['before', 'after'])
        assert.equal((await fixture.startConversation({ skillId: parent })).operatorId, skilled, `${wanted} its lists`);
      assert.deepEqual(await loadLists(), ['language sv', `skill ${parent}`, `skill ${child}`].sort());
      await assertListsMatch(database);
      await fixture.end();
    });
  });
}
