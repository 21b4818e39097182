import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Insertable, Selectable } from 'kysely';
import type { ConversationFilters } from '../../../src/core/engine/conversations/conversation-filter.ts';
import { CHANNELS } from '../../../src/core/kernel/channels.ts';
import type { IdFilter } from '../../../src/core/kernel/filters.ts';
import type { StatisticsRequest } from '../../../src/core/reports/counted-conversations.ts';
import type { Figures } from '../../../src/core/reports/statistics.ts';
import type { Tables } from '../../../src/storage/tables.ts';
import { databases, type TestInstallation } from '../../support/databases/databases.ts';
import { createRowSeeder } from '../../support/databases/row-seeder.ts';

type Conversation = Selectable<Tables['conversations']>;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ids = (...list: number[]): IdFilter => ({ kind: 'ids', ids: list });

/** Deterministic: the same numbers in every run. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * limit);
  };
}

for (const { name, open } of databases) {
  describe(`${name}: statistics`, () => {
    let installation: TestInstallation;
    let operators: { id: number; groupId: number | null; skillList: number[]; websiteList: number[] }[];
    const random = createRandom(7);
    const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;

    before(async () => {
      installation = await open();
      const { database, caller, groups, skills, websites, clock } = installation;
      const transact = database.transaction.bind(database);
      for (const label of ['A', 'B']) {
        await websites.create(transact, caller, { label, url: 'https://example.com' });
      }
      for (const title of ['A', 'B', 'C']) {
        await groups.create(transact, caller, { name: title });
        await skills.create(transact, caller, { name: title });
      }
      operators = [];
      for (let number = 1; number <= 8; number++) {
        const fields = {
          groupId: number % 4 === 0 ? null : 1 + (number % 3),
          skillList: [1 + (number % 3)],
          websiteList: number % 2 === 0 ? [1, 2] : [1],
        };
        const email = `person${number}@example.com`;
        const { id } = await installation.operators.create(transact, caller, {
          name: `Person ${number}`,
          email,
          ...fields,
        });
        operators.push({ id, ...fields });
      }
      const rows = createRowSeeder(database);
      for (let number = 0; number < 600; number++) {
        const conversation = randomConversation(clock.now);
        const id = await rows.addConversation(conversation);
        if (random(3) !== 0) continue;
        const notes = { noteWelcome: 1 + random(5), noteResolution: 1 + random(5), noteDelay: 1 + random(5) };
        await rows.addSatisfaction(id, { ...notes, operatorId: conversation.operatorId ?? null });
      }
    });
    after(() => installation.end());

    function randomConversation(now: number): Partial<Insertable<Tables['conversations']>> {
      const createdAt = now - random(100 * DAY);
      const acceptedAt = random(4) === 0 ? null : createdAt + random(HOUR);
      const answered = acceptedAt !== null && random(5) !== 0;
      const state = random(6) === 0 ? (acceptedAt === null ? 'queued' : 'active') : 'closed';
      return {
        createdAt,
        state,
        acceptedAt,
        firstAnswerAt: answered ? acceptedAt + random(HOUR) - (random(10) === 0 ? HOUR : 0) : null,
        closedAt: state === 'closed' ? createdAt + 2 * HOUR : null,
        closedBy: state === 'closed' ? pick(['operator', 'visitor', 'api_key', 'system'] as const) : null,
        hasWaited: random(2),
        operatorId: acceptedAt === null ? null : pick(operators).id,
        skillId: pick([null, 1, 2, 3]),
        groupId: pick([null, 1, 2, 3]),
        websiteId: pick([1, 2]),
        channel: pick(CHANNELS),
      };
    }

    /** Recounted row by row, by the definition of the rules. */
    async function recount(matches: (conversation: Conversation) => boolean): Promise<Figures> {
      const { read } = installation.database;
      const conversations = (await read.selectFrom('conversations').selectAll().execute()).filter(matches);
      const surveys = await read.selectFrom('satisfactions').selectAll().execute();
      const accepted = conversations.filter((c) => c.acceptedAt !== null);
      const answered = accepted.filter((c) => c.firstAnswerAt !== null);
      const first = answered.map((c) => Number(c.firstAnswerAt) - Number(c.acceptedAt)).filter((ms) => ms >= 0);
      const notes = surveys
        .filter((survey) => conversations.some((c) => c.id === survey.conversationId))
        .map((survey) => (survey.noteWelcome + survey.noteResolution + survey.noteDelay) / 3 / 5);
      const abandoned = conversations.filter(
        (c) => c.state === 'closed' && c.acceptedAt === null && (c.closedBy === 'visitor' || c.closedBy === 'system'),
      );
      const mean = (list: readonly number[]) =>
        list.length === 0 ? null : list.reduce((sum, value) => sum + value, 0) / list.length;
      const inSeconds = (ms: number | null) => (ms === null ? null : Math.round(ms) / 1000);
      const rate = mean(notes);
      const handled = accepted.filter((c) => c.closedAt !== null);
      const queued = conversations.filter((c) => c.hasWaited === 1);
      const queuedUntil = (c: Conversation) => c.acceptedAt ?? c.closedAt ?? installation.clock.now;
      return {
        conversationNumber: accepted.length,
        answeredNumber: answered.length,
        firstAnswerSeconds: inSeconds(mean(first)),
        waitingSeconds: inSeconds(mean(accepted.map((c) => Number(c.acceptedAt) - c.createdAt))),
        durationSeconds: inSeconds(mean(handled.map((c) => Number(c.closedAt) - Number(c.acceptedAt)))),
        queuedNumber: queued.length,
        queuedSeconds: inSeconds(mean(queued.map((c) => queuedUntil(c) - c.createdAt))),
        abandonedNumber: abandoned.length,
        satisfactionRate: rate === null ? null : Math.round(rate * 100) / 100,
        experience: answered.filter((c) => c.state === 'closed').length * 10,
      };
    }

    /** The average number of active conversations, recounted between each two changes of that number. */
    async function recountSimultaneous(matches: (conversation: Conversation) => boolean): Promise<number | null> {
      const { read } = installation.database;
      const accepted = (await read.selectFrom('conversations').selectAll().execute())
        .filter(matches)
        .filter((c) => c.acceptedAt !== null);
      const intervals = accepted.map((c) => [Number(c.acceptedAt), c.closedAt ?? installation.clock.now] as const);
      const times = [...new Set(intervals.flat())].sort((a, b) => a - b);
      let handled = 0;
      let covered = 0;
      for (const [index, start] of times.slice(0, -1).entries()) {
        const length = (times[index + 1] as number) - start;
        const active = intervals.filter(([from, until]) => from <= start && until > start).length;
        handled += active * length;
        covered += active > 0 ? length : 0;
      }
      return covered === 0 ? null : Math.round((handled / covered) * 100) / 100;
    }

    function groupOf(conversation: Conversation): number | null {
      if (conversation.operatorId === null) return conversation.groupId;
      return operators.find(({ id }) => id === conversation.operatorId)?.groupId ?? null;
    }

    const owners: Record<Exclude<StatisticsRequest['subject'], 'account'>, (c: Conversation) => number | null> = {
      operator: (c) => c.operatorId,
      skill: (c) => c.skillId,
      website: (c) => c.websiteId,
      group: groupOf,
    };

    for (const [subject, ownerOf] of Object.entries(owners) as [keyof typeof owners, (typeof owners)['group']][]) {
      test(`rule 19: the figures of each ${subject} equal a recount of the rows`, async () => {
        const { statistics, accountId } = installation;
        const subjectIds = subject === 'operator' ? operators.map(({ id }) => id) : [1, 2, 3, 99];
        const found = await statistics.compute(accountId, { subject, ids: subjectIds });
        for (const [index, id] of subjectIds.entries()) {
          assert.deepEqual(found[index], await recount((c) => ownerOf(c) === id), `${subject} ${id}`);
        }
        assert.ok(found.some((figures) => figures.conversationNumber > 20));
        assert.ok(subject === 'operator' || found.some((figures) => figures.abandonedNumber > 5));
      });
    }

    test('rule 19: by website, channel, group, skill, operator and period together', async () => {
      const { statistics, accountId, clock } = installation;
      const period = { from: clock.now - 60 * DAY, to: clock.now - 20 * DAY };
      const inPeriod = (c: Conversation) => c.createdAt >= period.from && c.createdAt < period.to;
      const cases: [ConversationFilters, (c: Conversation) => boolean][] = [
        [{}, () => true],
        [{ period }, inPeriod],
        [{ period: { from: period.from } }, (c) => c.createdAt >= period.from],
        [{ period: { to: period.to } }, (c) => c.createdAt < period.to],
        [{ channels: ['chat'] }, (c) => c.channel === 'chat'],
        [{ channels: ['call', 'video'], period }, (c) => c.channel !== 'chat' && inPeriod(c)],
        [{ websiteId: ids(2), skillId: ids(1, 3) }, (c) => c.websiteId === 2 && [1, 3].includes(c.skillId ?? 0)],
        [{ groupId: ids(1), channels: ['chat'] }, (c) => groupOf(c) === 1 && c.channel === 'chat'],
        [{ operatorId: ids(3), websiteId: ids(1) }, (c) => c.operatorId === 3 && c.websiteId === 1],
        [{ scope: { operatorId: null, groups: [1, 2] } }, (c) => [1, 2].includes(groupOf(c) ?? 0)],
        [{ scope: { operatorId: null, groups: [] } }, () => false],
        [{ scope: { operatorId: 3, groups: [2] } }, (c) => groupOf(c) === 2 || c.operatorId === 3],
      ];
      for (const [filters, matches] of cases) {
        const [found] = await statistics.compute(accountId, { subject: 'account', ids: [0], filters });
        assert.deepEqual(found, await recount(matches), JSON.stringify(filters));
      }
      const byWebsite = await statistics.compute(accountId, { subject: 'website', ids: [2], filters: { period } });
      assert.deepEqual(byWebsite, [await recount((c) => c.websiteId === 2 && inPeriod(c))]);
    });

    test('the average number of simultaneous conversations equals a recount of the intervals', async () => {
      const { simultaneousConversations, accountId, clock } = installation;
      for (const [subject, ownerOf] of Object.entries(owners) as [keyof typeof owners, (typeof owners)['group']][]) {
        const subjectIds = subject === 'operator' ? operators.map(({ id }) => id) : [1, 2, 3, 99];
        const found = await simultaneousConversations.average(accountId, { subject, ids: subjectIds });
        for (const [index, id] of subjectIds.entries()) {
          assert.equal(found[index], await recountSimultaneous((c) => ownerOf(c) === id), `${subject} ${id}`);
        }
      }
      const period = { from: clock.now - 60 * DAY, to: clock.now - 20 * DAY };
      const filters: ConversationFilters = { period, channels: ['chat'] };
      const [found] = await simultaneousConversations.average(accountId, { subject: 'account', ids: [0], filters });
      const matches = (c: Conversation) =>
        c.createdAt >= period.from && c.createdAt < period.to && c.channel === 'chat';
      assert.equal(found, await recountSimultaneous(matches));
      assert.ok((found ?? 0) > 1);
    });

    test('refused conversations are counted by website and day', async () => {
      const { statistics, accountId, database } = installation;
      await database.transaction(async ({ db }) => {
        for (const [day, websiteId, count] of [
          ['2026-01-01', 1, 3],
          ['2026-01-02', 1, 4],
          ['2026-01-02', 2, 5],
        ] as const) {
          await db.insertInto('refusals').values({ accountId, day, websiteId, reason: 'queue_full', count }).execute();
        }
      });
      const second = Date.UTC(2026, 0, 2);
      assert.equal(await statistics.countRefused(accountId, {}), 12);
      assert.equal(await statistics.countRefused(accountId, { websiteId: ids(1) }), 7);
      assert.equal(await statistics.countRefused(accountId, { period: { from: second + HOUR } }), 9);
      assert.equal(await statistics.countRefused(accountId, { period: { to: second } }), 3);
      assert.equal(await statistics.countRefused(accountId, { period: { from: second, to: second + 1 } }), 9);
    });

    test('rule 4: hours worked are the sum of the intervals in which operators were connected', async () => {
      const { connectedTime, accountId, clock, database } = installation;
      const history: { operatorId: number; at: number; connected: number }[] = [];
      for (const { id } of operators.slice(0, 6)) {
        let at = clock.now - 40 * DAY;
        while (at < clock.now - DAY) {
          history.push({ operatorId: id, at, connected: random(2) });
          at += random(10) === 0 ? 0 : random(2 * DAY);
        }
      }
      // Two are connected at the end: one still is, the lease of the other has expired without a history row.
      const [connected, expired] = operators as [(typeof operators)[0], (typeof operators)[0]];
      for (const { id } of [connected, expired]) history.push({ operatorId: id, at: clock.now - HOUR, connected: 1 });
      await database.transaction(async ({ db }) => {
        await db.deleteFrom('liveHistory').execute(); // written when the operators were created
        for (const [version, row] of history.entries()) {
          await db
            .insertInto('liveHistory')
            .values(liveRow(accountId, version + 100, row))
            .execute();
        }
        for (const [id, leaseUntil] of [
          [connected.id, clock.now + HOUR],
          [expired.id, clock.now - HOUR / 2],
        ] as const) {
          await db.updateTable('operatorLive').set({ leaseUntil }).where('operatorId', '=', id).execute();
        }
      });

      const connectedMs = (operatorId: number, from: number, to: number) => {
        const operatorHistory = history.filter((row) => row.operatorId === operatorId);
        let sum = 0;
        for (const [index, row] of operatorHistory.entries()) {
          const last =
            operatorId === connected.id ? clock.now : operatorId === expired.id ? clock.now - HOUR / 2 : row.at;
          const end = Math.min(operatorHistory[index + 1]?.at ?? last, to);
          const start = Math.max(row.at, from);
          if (row.connected === 1 && end > start) sum += end - start;
        }
        return sum;
      };
      const all = operators.map(({ id }) => id);
      for (const [from, to] of [
        [undefined, undefined],
        [clock.now - 30 * DAY, clock.now - 10 * DAY],
        [clock.now - 30 * DAY, undefined],
        [undefined, clock.now - 10 * DAY],
        [clock.now - 2 * HOUR, clock.now + DAY],
      ] as const) {
        const period = { from, to };
        const msInPeriod = (id: number) => connectedMs(id, from ?? 0, to ?? Number.MAX_SAFE_INTEGER);
        const seconds = (list: readonly number[]) => Math.round(list.map(msInPeriod).reduce((a, b) => a + b, 0) / 1000);
        const sumSeconds = async (subject: StatisticsRequest['subject'], subjectIds: readonly number[], filters = {}) =>
          connectedTime.sumSeconds(accountId, { subject, ids: subjectIds, filters: { period, ...filters } });
        assert.deepEqual(
          await sumSeconds('operator', all),
          all.map((id) => seconds([id])),
        );
        const selectIds = (matches: (operator: (typeof operators)[0]) => boolean) =>
          operators.filter(matches).map(({ id }) => id);
        assert.deepEqual(
          await sumSeconds('group', [1, 2, 3]),
          [1, 2, 3].map((group) => seconds(selectIds(({ groupId }) => groupId === group))),
        );
        assert.deepEqual(
          await sumSeconds('skill', [1, 2, 9]),
          [1, 2, 9].map((skill) => seconds(selectIds(({ skillList }) => skillList.includes(skill)))),
        );
        assert.deepEqual(await sumSeconds('website', [2]), [
          seconds(selectIds(({ websiteList }) => websiteList.includes(2))),
        ]);
        assert.deepEqual(await sumSeconds('account', [0]), [seconds(all)]);
        assert.deepEqual(await sumSeconds('account', [0], { groupId: ids(2), skillId: ids(1, 3) }), [
          seconds(selectIds(({ groupId, skillList }) => groupId === 2 && !skillList.includes(2))),
        ]);
        assert.deepEqual(await sumSeconds('account', [0], { scope: { operatorId: null, groups: [1] } }), [
          seconds(selectIds(({ groupId }) => groupId === 1)),
        ]);
      }
      assert.ok(connectedMs(connected.id, 0, clock.now) > DAY);
    });
  });
}

function liveRow(
  accountId: number,
  version: number,
  row: { operatorId: number; at: number; connected: number },
): Insertable<Tables['liveHistory']> {
  const flags = { chatEnabled: 1, callEnabled: 0, videoEnabled: 0, chatAvailable: 1, callAvailable: 0 };
  const slots = { videoAvailable: 0, chatSlots: 0, callSlots: 0, videoSlots: 0, chatMaxNumber: 3, chatAndCall: 0 };
  const rest = { chatToVideo: 0, chatPriority: 0, callPriority: 0, videoPriority: 0, assignedAt: 0, inGrace: 0 };
  const lists = { websiteList: '[]', skillList: '[]', languageList: '[]' };
  return { accountId, version, kind: 'test', actorType: 'system', ...flags, ...slots, ...rest, ...lists, ...row };
}
