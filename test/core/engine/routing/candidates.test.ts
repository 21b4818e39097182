import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { BEST, bestCandidates, bestStatement, candidateOf } from '../../../../src/core/engine/routing/candidates.ts';
import { chooseOperator, obstacles } from '../../../../src/core/engine/routing/choose-operator.ts';
import { exclusionCounts } from '../../../../src/core/engine/routing/exclusions.ts';
import { isServable, needOf } from '../../../../src/core/engine/routing/needs.ts';
import { drainFor } from '../../../../src/core/engine/routing/queue.ts';
import { CHANNELS } from '../../../../src/core/kernel/channels.ts';
import { type LiveRow, presenceAt } from '../../../../src/core/live/live.ts';
import type { Tables } from '../../../../src/storage/tables.ts';
import { databases, explain } from '../../../support/databases/databases.ts';
import { World } from '../../../support/people/world.ts';

const pick = <T>(values: readonly T[]) => fc.constantFrom(...values);
const flag = pick([0, 1, 1, 1]);

/** Thousands are made by hand: through the services it would take minutes. */
async function fill(world: World, count: number, places: Places, seed: number): Promise<LiveRow[]> {
  const { accountId } = world;
  const { clock, database } = world.installation;
  const member = fc.record({
    presence: pick(['away', 'there', 'there', 'there', 'in grace']),
    flags: fc.array(flag, { minLength: 6, maxLength: 6 }),
    slots: fc.tuple(pick([0, 0, 1, 2]), pick([0, 0, 0, 1]), pick([0, 0, 0, 1])),
    chatMaxNumber: fc.integer({ min: 1, max: 4 }),
    chatAndCall: pick([0, 1]),
    priorities: fc.tuple(pick([0, 10]), pick([0, 10]), pick([0, 10])),
    assignedAt: fc.integer({ min: 0, max: 20 }),
    groupId: pick([null, ...places.groups]),
    websites: fc.subarray([...places.websites], { minLength: 1 }),
    skills: fc.subarray([...places.skills], { maxLength: 2 }),
    languages: fc.subarray(['en', 'fr', 'de'], { minLength: 1 }),
  });
  const first = 10_000;
  const members = fc.sample(member, { numRuns: count, seed });
  const rows = members.map((one, index): LiveRow => {
    const [chatEnabled, callEnabled, videoEnabled, chatAvailable, callAvailable, videoAvailable] = one.flags as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const [chatSlots, callSlots, videoSlots] = one.slots;
    const [chatPriority, callPriority, videoPriority] = one.priorities;
    return {
      ...{
        accountId,
        operatorId: first + index,
        version: 1,
        firstLoginAt: null,
        namedOnly: 0,
        keptOffline: 0,
        lostAt: null,
      },
      leaseUntil: one.presence === 'away' ? 0 : clock.now + 60_000,
      routableUntil: one.presence === 'there' ? clock.now + 60_000 : 0,
      ...{ chatEnabled, callEnabled, videoEnabled, chatAvailable, callAvailable, videoAvailable },
      ...{ chatSlots, callSlots, videoSlots, chatPriority, callPriority, videoPriority },
      ...{ chatMissed: 0, callMissed: 0, videoMissed: 0, chatToVideo: 0 },
      ...{
        chatMaxNumber: one.chatMaxNumber,
        chatAndCall: one.chatAndCall,
        assignedAt: one.assignedAt,
        groupId: one.groupId,
      },
      websiteList: JSON.stringify(one.websites),
      skillList: JSON.stringify(one.skills),
      languageList: JSON.stringify(one.languages),
    };
  });
  await database.transaction(async ({ db }) => {
    for (const [index, row] of rows.entries()) {
      await db.insertInto('operatorLive').values(row).execute();
      const { websites, skills, groupId } = members[index] as (typeof members)[number];
      const { operatorId } = row;
      for (const websiteId of websites)
        await db.insertInto('operatorWebsites').values({ accountId, websiteId, operatorId }).execute();
      for (const skillId of skills)
        await db.insertInto('operatorSkills').values({ accountId, skillId, operatorId }).execute();
      for (const id of websites) await bump(db, 'websites', id);
      for (const id of skills) await bump(db, 'skills', id);
      if (groupId !== null) await bump(db, 'groups', groupId);
    }
    await db
      .updateTable('accounts')
      .set((eb) => ({ operatorCount: eb('operatorCount', '+', rows.length) }))
      .execute();
  });
  const admin = await world.installation.database.read
    .selectFrom('operatorLive')
    .selectAll()
    .where('operatorId', '<', first)
    .execute();
  return [...admin, ...rows];
}

function bump(db: Kysely<Tables>, table: 'websites' | 'skills' | 'groups', id: number) {
  return db
    .updateTable(table as 'skills')
    .set((eb) => ({ operatorCount: eb('operatorCount', '+', 1) }))
    .where('id', '=', id)
    .execute();
}

interface Places {
  readonly websites: readonly number[];
  readonly skills: readonly number[];
  readonly groups: readonly number[];
}

async function placesOf(world: World): Promise<Places> {
  const skill = await world.skill();
  const group = await world.group();
  return {
    websites: [world.websiteId, await world.website()],
    skills: [skill, await world.skill(skill), await world.skill()],
    groups: [group, await world.group(group), await world.group()],
  };
}

for (const { name, open } of databases) {
  describe(`candidates on ${name}`, () => {
    // A server takes longer for each: fewer of them in every run, all by `npm run differential`.
    for (const count of [80, name === 'postgres' && process.env.FULL !== '1' ? 500 : 1500]) {
      test(`rules 10 and 11: what SQL finds among ${count} is what the one definition ranks first`, async () => {
        const world = await World.on(open);
        const places = await placesOf(world);
        const rows = await fill(world, count, places, count);
        const { accountId } = world;
        const need = fc.record({
          channel: pick(CHANNELS),
          websiteId: pick(places.websites),
          skillId: pick([null, ...places.skills]),
          groupId: pick([null, ...places.groups]),
          language: pick(['en', 'fr', 'de', 'it']),
          lowestPriorityFirst: fc.boolean(),
        });
        let found = 0;
        await world.transact(async (tx) => {
          for (const { lowestPriorityFirst, ...asked } of fc.sample(need, { numRuns: 150, seed: 7 })) {
            const wanted = { accountId, ...asked };
            const full = await needOf(tx, wanted);
            const everybody = rows.map((row) => candidateOf(row, asked.channel, presenceAt(row, tx.now)));
            const { ranked, excluded } = chooseOperator(full, everybody, { lowestPriorityFirst });
            const { skillId, groupId } = asked;
            const best = await bestCandidates(tx, {
              accountId,
              conversationId: 1,
              need: full,
              skillId,
              groupId,
              lowestPriorityFirst,
            });
            assert.deepEqual(
              best.map(({ operatorId }) => operatorId),
              ranked.slice(0, BEST).map(({ operatorId }) => operatorId),
            );
            found += best.length;

            const ever = everybody.some((one) => {
              const free = {
                ...one.state,
                connected: true,
                inGrace: false,
                [asked.channel]: { ...one.state[asked.channel], available: true },
              };
              const idle = Object.fromEntries(CHANNELS.map((channel) => [channel, { ...free[channel], slots: 0 }]));
              return obstacles(full, { ...one, state: { ...free, ...idle } as typeof one.state }).length === 0;
            });
            assert.equal(await isServable(tx, wanted), ever);

            if (count > 200) continue; // then the counts of one moment serve for a second
            const counts: Record<string, number> = {};
            for (const { operatorId, because } of excluded) {
              const online = everybody.find((one) => one.operatorId === operatorId)?.state.connected;
              const places = because.filter((reason) =>
                ['OFFLINE', 'OTHER_WEBSITE', 'LACKS_SKILL', 'OTHER_GROUP'].includes(reason),
              );
              for (const reason of online ? because : places) counts[reason] = (counts[reason] ?? 0) + 1;
            }
            assert.deepEqual(sorted(await exclusionCounts(tx, wanted)), sorted(counts));
          }
        });
        assert.ok(found > 100, `${found} candidates were compared`);
        await world.end();
      });
    }

    test('rules 10 and 13: what an operator is given from the queue is what the one definition says they can serve', async () => {
      const world = await World.on(open);
      const places = await placesOf(world);
      const [able] = await fill(world, 60, places, 3).then((rows) => rows.slice(1));
      assert.ok(able);
      const { database } = world.installation;
      // Everybody can do everything, and nobody is there: the queue fills up.
      await world.transact((tx) =>
        tx.db.updateTable('operatorLive').set({ leaseUntil: 0, routableUntil: 0 }).execute(),
      );
      const asks = fc.sample(
        fc.record({
          channel: pick(CHANNELS),
          skillId: pick([null, ...places.skills]),
          groupId: pick([null, ...places.groups]),
          language: pick(['en', 'fr', 'de']),
          websiteId: pick(places.websites),
        }),
        { numRuns: 60, seed: 5 },
      );
      const waiting: number[] = [];
      for (const { websiteId, ...input } of asks) {
        const started = await world.start(input, await world.visitor(websiteId)).catch(() => undefined);
        if (started) waiting.push(started.id);
        world.installation.clock.advance(1);
      }
      assert.ok(waiting.length > 30);
      for (const row of await database.read
        .selectFrom('operatorLive')
        .selectAll()
        .where('operatorId', '>=', 10_000)
        .execute()) {
        const { operatorId } = row;
        const ready = {
          ...row,
          leaseUntil: world.installation.clock.now + 1000,
          routableUntil: world.installation.clock.now + 1000,
        };
        const queue = await database.read
          .selectFrom('conversations')
          .selectAll()
          .where('state', '=', 'queued')
          .orderBy('queueOrder')
          .orderBy('id')
          .execute();
        await world.transact(async (tx) => {
          await tx.db
            .updateTable('operatorLive')
            .set({ leaseUntil: ready.leaseUntil, routableUntil: ready.routableUntil })
            .where('operatorId', '=', operatorId)
            .execute();
          let expected: number | undefined;
          for (const one of queue) {
            const full = await needOf(tx, one);
            if (obstacles(full, candidateOf(ready, one.channel, presenceAt(ready, tx.now))).length > 0) continue;
            expected = one.id;
            break;
          }
          await drainFor(tx, world.as(operatorId), operatorId, 'connected');
          const given = await tx.db
            .selectFrom('conversations')
            .selectAll()
            .where('operatorId', '=', operatorId)
            .where('state', '=', 'offered')
            .orderBy('queueOrder')
            .execute();
          assert.equal(given[0]?.id, expected);
        });
        await world.transact((tx) =>
          tx.db
            .updateTable('operatorLive')
            .set({ leaseUntil: 0, routableUntil: 0 })
            .where('operatorId', '=', operatorId)
            .execute(),
        );
      }
      await world.end();
    });

    test('rule 11: the best are read in order from an index, without a look at the others', async (t) => {
      if (name !== 'sqlite') return t.skip('the embedded database explains itself in these words');
      const world = await World.on(open);
      const { database } = world.installation;
      const names = ['accountId', 'conversationId', 'websiteId', 'skillId', 'groupId', 'language', 'first', 'second'];
      const given = Object.fromEntries(names.map((one) => [one, sql`${one === 'language' ? 'en' : 1}`]));
      for (const channel of CHANNELS) {
        const shape = { channel, bySkill: false, byGroup: false, fewHoldIt: false };
        const plan = explain(database, bestStatement(shape).build(database.read, given as never));
        const text = plan.join(' | ');
        assert.match(
          text,
          new RegExp(
            `SEARCH live USING INDEX operator_live_${channel} \\(account_id=\\? AND ${channel}_priority=\\?\\)`,
          ),
        );
        assert.doesNotMatch(text, /TEMP B-TREE/);
      }
      await world.end();
    });
  });
}

function sorted(counts: object): [string, number][] {
  return Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
}
