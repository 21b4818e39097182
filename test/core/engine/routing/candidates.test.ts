import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import {
  findBestCandidates,
  MAX_RANKED,
  prepareCandidates,
  toCandidate,
} from '../../../../src/core/engine/routing/candidates.ts';
import { chooseOperator, findObstacles } from '../../../../src/core/engine/routing/choose-operator.ts';
import { countExclusions } from '../../../../src/core/engine/routing/exclusions.ts';
import { isServable, resolveNeed } from '../../../../src/core/engine/routing/needs.ts';
import { routeQueueForOperator } from '../../../../src/core/engine/routing/queue.ts';
import { CHANNELS } from '../../../../src/core/kernel/channels.ts';
import { computePresence, type LiveRow } from '../../../../src/core/live/live.ts';
import type { Tables } from '../../../../src/storage/tables.ts';
import { databases, explainQuery } from '../../../support/databases/databases.ts';
import { EngineFixture } from '../../../support/fixtures/engine-fixture.ts';

const pick = <T>(values: readonly T[]) => fc.constantFrom(...values);
const flag = pick([0, 1, 1, 1]);

/** Inserts rows directly: creating thousands of operators through the services would take minutes. */
async function insertOperators(
  fixture: EngineFixture,
  count: number,
  memberships: Memberships,
  seed: number,
): Promise<LiveRow[]> {
  const { accountId } = fixture;
  const { clock, database } = fixture.installation;
  const member = fc.record({
    presence: pick(['away', 'there', 'there', 'there', 'in grace']),
    flags: fc.array(flag, { minLength: 6, maxLength: 6 }),
    slots: fc.tuple(pick([0, 0, 1, 2]), pick([0, 0, 0, 1]), pick([0, 0, 0, 1])),
    chatMaxNumber: fc.integer({ min: 1, max: 4 }),
    chatAndCall: pick([0, 1]),
    priorities: fc.tuple(pick([0, 10]), pick([0, 10]), pick([0, 10])),
    assignedAt: fc.integer({ min: 0, max: 20 }),
    groupId: pick([null, ...memberships.groups]),
    websites: fc.subarray([...memberships.websites], { minLength: 1 }),
    skills: fc.subarray([...memberships.skills], { maxLength: 2 }),
    languages: fc.subarray(['en', 'fr', 'de'], { minLength: 1 }),
  });
  const first = 10_000;
  const members = fc.sample(member, { numRuns: count, seed });
  const rows = members.map((member, index): LiveRow => {
    const [chatEnabled, callEnabled, videoEnabled, chatAvailable, callAvailable, videoAvailable] = member.flags as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const [chatSlots, callSlots, videoSlots] = member.slots;
    const [chatPriority, callPriority, videoPriority] = member.priorities;
    return {
      ...{
        accountId,
        operatorId: first + index,
        version: 1,
        firstLoginAt: null,
        namedOnly: 0,
        keptOffline: 0,
        lostAt: null,
        pauseReason: null,
        takenOffline: null,
      },
      ...{ chatChanged: null, callChanged: null, videoChanged: null },
      leaseUntil: member.presence === 'away' ? 0 : clock.now + 60_000,
      routableUntil: member.presence === 'there' ? clock.now + 60_000 : 0,
      ...{ chatEnabled, callEnabled, videoEnabled, chatAvailable, callAvailable, videoAvailable },
      ...{ chatSlots, callSlots, videoSlots, chatPriority, callPriority, videoPriority },
      ...{ chatMissed: 0, callMissed: 0, videoMissed: 0, chatToVideo: 0 },
      ...{
        chatMaxNumber: member.chatMaxNumber,
        chatAndCall: member.chatAndCall,
        assignedAt: member.assignedAt,
        groupId: member.groupId,
      },
      websiteList: JSON.stringify(member.websites),
      skillList: JSON.stringify(member.skills),
      languageList: JSON.stringify(member.languages),
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
      for (const id of websites) await incrementOperatorCount(db, 'websites', id);
      for (const id of skills) await incrementOperatorCount(db, 'skills', id);
      if (groupId !== null) await incrementOperatorCount(db, 'groups', groupId);
    }
    await db
      .updateTable('accounts')
      .set((eb) => ({ operatorCount: eb('operatorCount', '+', rows.length) }))
      .execute();
  });
  const admin = await fixture.installation.database.read
    .selectFrom('operatorLive')
    .selectAll()
    .where('operatorId', '<', first)
    .execute();
  return [...admin, ...rows];
}

function incrementOperatorCount(db: Kysely<Tables>, table: 'websites' | 'skills' | 'groups', id: number) {
  return db
    .updateTable(table as 'skills')
    .set((eb) => ({ operatorCount: eb('operatorCount', '+', 1) }))
    .where('id', '=', id)
    .execute();
}

interface Memberships {
  readonly websites: readonly number[];
  readonly skills: readonly number[];
  readonly groups: readonly number[];
}

async function createMemberships(fixture: EngineFixture): Promise<Memberships> {
  const skill = await fixture.createSkill();
  const group = await fixture.createGroup();
  return {
    websites: [fixture.websiteId, await fixture.createWebsite()],
    skills: [skill, await fixture.createSkill(skill), await fixture.createSkill()],
    groups: [group, await fixture.createGroup(group), await fixture.createGroup()],
  };
}

for (const { name, open } of databases) {
  describe(`candidates on ${name}`, () => {
    // Fewer on a database server, which is slower; all with `npm run differential`.
    for (const count of [80, name === 'postgres' && process.env.FULL !== '1' ? 500 : 1500]) {
      test(`rules 10 and 11: SQL finds the same best candidates among ${count} as \`chooseOperator\``, async () => {
        const fixture = await EngineFixture.create(open);
        const memberships = await createMemberships(fixture);
        const rows = await insertOperators(fixture, count, memberships, count);
        const { accountId } = fixture;
        const need = fc.record({
          channel: pick(CHANNELS),
          websiteId: pick(memberships.websites),
          skillId: pick([null, ...memberships.skills]),
          groupId: pick([null, ...memberships.groups]),
          language: pick(['en', 'fr', 'de', 'it']),
          lowestPriorityFirst: fc.boolean(),
        });
        let found = 0;
        await fixture.transact(async (tx) => {
          for (const { lowestPriorityFirst, ...input } of fc.sample(need, { numRuns: 150, seed: 7 })) {
            const routingNeed = { accountId, ...input };
            const full = await resolveNeed(tx, routingNeed);
            const candidates = rows.map((row) => toCandidate(row, input.channel, computePresence(row, tx.now)));
            const { ranked, excluded } = chooseOperator(full, candidates, { lowestPriorityFirst });
            const { skillId, groupId } = input;
            const best = await findBestCandidates(tx, {
              accountId,
              conversationId: 1,
              need: full,
              skillId,
              groupId,
              lowestPriorityFirst,
            });
            assert.deepEqual(
              best.map(({ operatorId }) => operatorId),
              ranked.slice(0, MAX_RANKED).map(({ operatorId }) => operatorId),
            );
            found += best.length;

            const isEverServable = candidates.some((candidate) => {
              const free = {
                ...candidate.state,
                connected: true,
                inGrace: false,
                [input.channel]: { ...candidate.state[input.channel], available: true },
              };
              const idle = Object.fromEntries(CHANNELS.map((channel) => [channel, { ...free[channel], slots: 0 }]));
              return (
                findObstacles(full, { ...candidate, state: { ...free, ...idle } as typeof candidate.state }).length ===
                0
              );
            });
            assert.equal(await isServable(tx, routingNeed), isEverServable);

            if (count > 200) continue; // the counts are cached then
            const counts: Record<string, number> = {};
            for (const { operatorId, obstacles } of excluded) {
              const online = candidates.find((candidate) => candidate.operatorId === operatorId)?.state.connected;
              const membershipObstacles = obstacles.filter((reason) =>
                ['OFFLINE', 'OTHER_WEBSITE', 'LACKS_SKILL', 'OTHER_GROUP'].includes(reason),
              );
              for (const reason of online ? obstacles : membershipObstacles) counts[reason] = (counts[reason] ?? 0) + 1;
            }
            assert.deepEqual(sorted(await countExclusions(tx, routingNeed)), sorted(counts));
          }
        });
        assert.ok(found > 100, `${found} candidates were compared`);
        await fixture.end();
      });
    }

    test('rules 10 and 13: an operator gets the first queued conversation that they can serve by `findObstacles`', async () => {
      const fixture = await EngineFixture.create(open);
      const memberships = await createMemberships(fixture);
      const [firstOperator] = await insertOperators(fixture, 60, memberships, 3).then((rows) => rows.slice(1));
      assert.ok(firstOperator);
      const { database } = fixture.installation;
      // All operators are offline, so that the queue fills up.
      await fixture.transact((tx) =>
        tx.db.updateTable('operatorLive').set({ leaseUntil: 0, routableUntil: 0 }).execute(),
      );
      const inputs = fc.sample(
        fc.record({
          channel: pick(CHANNELS),
          skillId: pick([null, ...memberships.skills]),
          groupId: pick([null, ...memberships.groups]),
          language: pick(['en', 'fr', 'de']),
          websiteId: pick(memberships.websites),
        }),
        { numRuns: 60, seed: 5 },
      );
      const waiting: number[] = [];
      for (const { websiteId, ...input } of inputs) {
        const started = await fixture
          .startConversation(input, await fixture.createVisitor(websiteId))
          .catch(() => undefined);
        if (started) waiting.push(started.id);
        fixture.installation.clock.advance(1);
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
          leaseUntil: fixture.installation.clock.now + 1000,
          routableUntil: fixture.installation.clock.now + 1000,
        };
        const queue = await database.read
          .selectFrom('conversations')
          .selectAll()
          .where('state', '=', 'queued')
          .orderBy('queueOrder')
          .orderBy('id')
          .execute();
        await fixture.transact(async (tx) => {
          await tx.db
            .updateTable('operatorLive')
            .set({ leaseUntil: ready.leaseUntil, routableUntil: ready.routableUntil })
            .where('operatorId', '=', operatorId)
            .execute();
          let expected: number | undefined;
          for (const conversation of queue) {
            const full = await resolveNeed(tx, conversation);
            if (
              findObstacles(full, toCandidate(ready, conversation.channel, computePresence(ready, tx.now))).length > 0
            )
              continue;
            expected = conversation.id;
            break;
          }
          await routeQueueForOperator(tx, fixture.callerFor(operatorId), operatorId, 'connected');
          const offered = await tx.db
            .selectFrom('conversations')
            .selectAll()
            .where('operatorId', '=', operatorId)
            .where('state', '=', 'offered')
            .orderBy('queueOrder')
            .execute();
          assert.equal(offered[0]?.id, expected);
        });
        await fixture.transact((tx) =>
          tx.db
            .updateTable('operatorLive')
            .set({ leaseUntil: 0, routableUntil: 0 })
            .where('operatorId', '=', operatorId)
            .execute(),
        );
      }
      await fixture.end();
    });

    test('rule 11: the best candidates are read in order from an index, without reading the others', async (t) => {
      if (name !== 'sqlite') return t.skip('the expected query plan is that of SQLite');
      const fixture = await EngineFixture.create(open);
      const { database } = fixture.installation;
      const names = [
        'accountId',
        'conversationId',
        'websiteId',
        'skillId',
        'groupId',
        'language',
        'firstPriority',
        'secondPriority',
      ];
      const args = Object.fromEntries(names.map((name) => [name, sql`${name === 'language' ? 'en' : 1}`]));
      for (const channel of CHANNELS) {
        const shape = { channel, requiresSkill: false, requiresGroup: false, scansSkilledOperators: false };
        const plan = explainQuery(database, prepareCandidates(shape).build(database.read, args as never));
        const text = plan.join(' | ');
        assert.match(
          text,
          new RegExp(
            `SEARCH live USING INDEX operator_live_${channel} \\(account_id=\\? AND ${channel}_priority=\\?\\)`,
          ),
        );
        assert.doesNotMatch(text, /TEMP B-TREE/);
      }
      await fixture.end();
    });
  });
}

function sorted(counts: object): [string, number][] {
  return Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
}
