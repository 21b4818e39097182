import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
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
import { computePresence } from '../../../../src/core/live/live.ts';
import { databases, explainQuery } from '../../../support/databases/databases.ts';
import { EngineFixture } from '../../../support/fixtures/engine-fixture.ts';
import { createMemberships, insertOperators, pick } from '../../../support/fixtures/random-operators.ts';

/** `npm run differential` uses all. */
const NEEDS = process.env.FULL === '1' ? 200 : 40;

for (const { name, open } of databases) {
  describe(`candidates on ${name}`, () => {
    for (const count of [80, process.env.FULL === '1' ? 1500 : 300]) {
      test(`rules 10 and 11: SQL finds the same best candidates among ${count} as \`chooseOperator\``, async () => {
        const fixture = await EngineFixture.create(open);
        const memberships = await createMemberships(fixture);
        const lists = [
          ...memberships.skills.map((id) => `skill ${id}`),
          ...memberships.groups.map((id) => `group ${id}`),
          ...memberships.websites.map((id) => `website ${id}`),
          ...['en', 'fr', 'de', 'it'].map((code) => `language ${code}`),
        ];
        const { accountId } = fixture;
        const keep = (needs: readonly string[]) =>
          fixture.transact(async ({ db }) => {
            await db
              .insertInto('routingLists')
              .values(needs.map((need) => ({ accountId, need })))
              .execute();
          });
        const early = lists.filter((_, index) => index % 2 === 0);
        await keep(early);
        const rows = await insertOperators(fixture, count, memberships, count);
        await keep(lists.filter((list) => !early.includes(list)));
        const need = fc.record({
          channel: pick(CHANNELS),
          websiteId: pick(memberships.websites),
          skillId: pick([null, ...memberships.skills]),
          groupId: pick([null, ...memberships.groups]),
          language: pick(['en', 'fr', 'de', 'it']),
          lowestPriorityFirst: fc.boolean(),
          routingLists: fc.oneof(
            fc.constant(new Set<string>()),
            fc.constant(new Set(lists)),
            fc.subarray(lists).map((some) => new Set(some)),
          ),
        });
        let found = 0;
        await fixture.transact(async (tx) => {
          for (const { lowestPriorityFirst, routingLists, ...input } of fc.sample(need, { numRuns: NEEDS, seed: 7 })) {
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
              routingLists,
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
        assert.ok(found > NEEDS / 2, `${found} candidates were compared`);
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
      const needs = new Map<number, Awaited<ReturnType<typeof resolveNeed>>>();
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
            const full = needs.get(conversation.id) ?? (await resolveNeed(tx, conversation));
            needs.set(conversation.id, full);
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
        'list0',
      ];
      const args = Object.fromEntries(names.map((name) => [name, sql`${name === 'language' ? 'en' : 1}`]));
      for (const channel of CHANNELS) {
        const shape = { channel, requiresSkill: false, requiresGroup: false };
        const plan = explainQuery(database, prepareCandidates(shape).build(database.read, args as never));
        const text = plan.join(' | ');
        assert.match(
          text,
          new RegExp(
            `SEARCH live USING INDEX operator_live_${channel} \\(account_id=\\? AND ${channel}_priority=\\?\\)`,
          ),
        );
        assert.doesNotMatch(text, /TEMP B-TREE/);

        const lists = { kind: 'skill', count: 1 } as const;
        const ofList = prepareCandidates({ ...shape, requiresSkill: true, lists });
        const steps = explainQuery(database, ofList.build(database.read, args as never));
        const walk =
          'SEARCH o USING COVERING INDEX sqlite_autoindex_listed_operators_1 (account_id=? AND need=? AND channel=? AND priority=?)';
        assert.equal(steps.filter((step) => step === walk).length, 2, steps.join(' | ')); // one for each priority
        for (const [index, step] of steps.entries())
          if (/TEMP B-TREE/.test(step)) assert.equal(steps[index - 1], 'SCAN first', 'only what was found is sorted');
      }
      await fixture.end();
    });
  });
}

function sorted(counts: object): [string, number][] {
  return Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
}
