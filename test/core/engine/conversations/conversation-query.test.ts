import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ConversationFilters } from '../../../../src/core/engine/conversations/conversation-filter.ts';
import type { ConversationRow } from '../../../../src/core/engine/records/conversation-store.ts';
import { CHANNELS } from '../../../../src/core/kernel/channels.ts';
import type { IdFilter } from '../../../../src/core/kernel/filters.ts';
import type { Period } from '../../../../src/core/kernel/period.ts';
import { databases, explainQuery, type TestInstallation } from '../../../support/databases/databases.ts';
import { createRowSeeder } from '../../../support/databases/row-seeder.ts';

const ids = (...list: number[]): IdFilter => ({ kind: 'ids', ids: list });
const WINDOW = { offset: 0, limit: 20 };

/** Deterministic: the same numbers in every run. */
let state = 11;
function random(limit: number): number {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
  return Math.floor((state / 2 ** 31) * limit);
}
const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
const maybe = <T>(value: () => T): T | undefined => (random(3) === 0 ? value() : undefined);

for (const { name, open } of databases) {
  let installation: TestInstallation;
  const tags = new Map<number, number[]>();
  let groups: ReadonlyMap<number, number | null>;
  before(async () => {
    installation = await open();
    const { database, caller } = installation;
    const transact = database.transaction.bind(database);
    await installation.groups.create(transact, caller, { name: 'A' });
    await installation.groups.create(transact, caller, { name: 'B' });
    const groupByOperator = new Map<number, number | null>([[1, null]]);
    for (const groupId of [1, 1, 2, null]) {
      const email = `person${groupByOperator.size}@example.com`;
      const operator = await installation.operators.create(transact, caller, {
        name: 'P',
        email,
        groupId,
        websiteList: [],
      });
      groupByOperator.set(operator.id, groupId);
    }
    groups = groupByOperator;
    const rows = createRowSeeder(database);
    for (let number = 0; number < 250; number++) {
      const id = await rows.addConversation({
        channel: pick(CHANNELS),
        websiteId: 1 + random(3),
        operatorId: pick([null, 1, 2, 3, 4, 5]),
        visitorId: pick([null, 1, 2, 12]),
        skillId: pick([null, 1, 2]),
        groupId: pick([null, 1, 2]),
        state: pick(['queued', 'offered', 'active', 'closed', 'closed'] as const),
        language: pick(['en', 'fr']),
        createdAt: random(1000),
        closedAt: maybe(() => random(1000)) ?? null,
      });
      tags.set(id, []);
      for (const tagId of [1, 2]) {
        if (random(4) !== 0) continue;
        tags.get(id)?.push(tagId);
        await rows.addTag(id, tagId);
      }
    }
  });
  after(() => installation.end());

  function randomFilters(): ConversationFilters {
    return {
      id: maybe(() => (random(2) === 0 ? ids(5, 50, 150, 999) : { kind: 'pattern', parts: ['1', ''] })),
      channels: maybe(() => [pick(CHANNELS), pick(CHANNELS)]),
      period: maybe(() => ({ from: maybe(() => random(600)), to: maybe(() => 400 + random(700)) })),
      closedPeriod: maybe(() => ({ from: maybe(() => random(400)), to: maybe(() => 600 + random(500)) })),
      websiteId: maybe(() => ids(1 + random(3), 3)),
      operatorId: maybe(() => (random(2) === 0 ? ids(1 + random(5)) : { kind: 'pattern', parts: ['', ''] })),
      visitorId: maybe(() => (random(2) === 0 ? ids(1, 2) : { kind: 'pattern', parts: ['1', ''] })),
      skillId: maybe(() => ids(1)),
      groupId: maybe(() => ids(1 + random(2))),
      tagId: maybe(() => ids(1 + random(2))),
      states: maybe(() => [pick(['queued', 'active', 'closed'] as const), 'offered']),
      language: maybe(() => 'fr'),
      waiting: maybe(() => random(2) === 0),
      closed: maybe(() => random(2) === 0),
      scope: maybe(() => ({ operatorId: pick([null, 2, 3]), groups: pick([[], [1], [1, 2]]) })),
    };
  }

  const has = (filter: IdFilter | undefined, value: number | null): boolean => {
    if (!filter) return true;
    if (value === null) return false;
    return filter.kind === 'ids' ? filter.ids.includes(value) : String(value).startsWith(filter.parts[0] ?? '');
  };
  const groupOf = (c: ConversationRow) => (c.operatorId === null ? c.groupId : (groups.get(c.operatorId) ?? null));

  function isClosedIn({ closedAt }: ConversationRow, { from, to }: Period = {}): boolean {
    if (from === undefined && to === undefined) return true;
    return closedAt !== null && closedAt >= (from ?? 0) && closedAt < (to ?? Number.POSITIVE_INFINITY);
  }

  function passes(c: ConversationRow, f: ConversationFilters): boolean {
    const isWaiting = c.state === 'queued' || c.state === 'offered';
    const isOwn = f.scope?.operatorId !== null && f.scope?.operatorId === c.operatorId;
    return (
      has(f.id, c.id) &&
      (!f.channels || f.channels.includes(c.channel)) &&
      c.createdAt >= (f.period?.from ?? 0) &&
      c.createdAt < (f.period?.to ?? Number.POSITIVE_INFINITY) &&
      isClosedIn(c, f.closedPeriod) &&
      has(f.websiteId, c.websiteId) &&
      has(f.operatorId, c.operatorId) &&
      has(f.visitorId, c.visitorId) &&
      has(f.skillId, c.skillId) &&
      has(f.groupId, groupOf(c)) &&
      (!f.tagId || (tags.get(c.id) ?? []).some((tag) => has(f.tagId, tag))) &&
      (!f.states || f.states.includes(c.state)) &&
      (!f.language || f.language === c.language) &&
      (f.waiting === undefined || f.waiting === isWaiting) &&
      (f.closed === undefined || f.closed === (c.state === 'closed')) &&
      (!f.scope || isOwn || f.scope.groups.includes(groupOf(c) ?? 0))
    );
  }

  test(`${name}: rule 16: pages, slices and counts equal a scan of all rows, for any filters`, async () => {
    const { conversationQuery, accountId, database } = installation;
    const all = await database.read.selectFrom('conversations').selectAll().orderBy('id', 'desc').execute();
    let found = 0;
    for (let round = 0; round < 300; round++) {
      // Only a few filters at a time, or no row passes.
      const entries = Object.entries(randomFilters()).filter(([, value]) => value !== undefined && random(2) === 0);
      const filters = Object.fromEntries(entries) as ConversationFilters;
      const expected = all.filter((conversation) => passes(conversation, filters)).map(({ id }) => id);
      found += expected.length;
      const offset = random(2) * 3;
      const page = await conversationQuery.page(accountId, filters, { offset, limit: 5 });
      const description = JSON.stringify(filters);
      assert.deepEqual(
        page.rows.map((row) => row.id),
        expected.slice(offset, offset + 5),
        description,
      );
      assert.equal(page.count, expected.length, description);
      const cursor = 1 + random(250);
      const older = expected.filter((id) => id < cursor);
      const after = await conversationQuery.slice(accountId, filters, { limit: 4, after: cursor, backwards: false });
      assert.deepEqual(
        after.rows.map((row) => row.id),
        older.slice(0, 4),
        description,
      );
      assert.equal(after.hasNext, older.length > 4, description);
      const newer = expected.filter((id) => id > cursor);
      const before = await conversationQuery.slice(accountId, filters, { limit: 4, before: cursor, backwards: true });
      assert.deepEqual(
        before.rows.map((row) => row.id),
        newer.slice(-4),
        description,
      );
    }
    assert.ok(found > 3000);
  });

  const period = { from: 10, to: 20 };
  const PLANS: readonly (readonly [string, ConversationFilters, RegExp])[] = [
    ['no filter', {}, /\(account_id=\? AND id>\?\)/],
    ['a period', { period }, /conversations_created \(account_id=\? AND created_at>\? AND created_at<\?\)/],
    ['a period and a website', { period, websiteId: ids(1) }, /conversations_created/],
    ['the time of the close', { closedPeriod: period }, /conversations_closed \(account_id=\? AND closed_at>\? AND/],
    [
      'what an operator closed today',
      { operatorId: ids(1), closedPeriod: { from: 10 }, scope: { operatorId: 1, groups: [] } },
      /conversations_operator_closed \(account_id=\? AND operator_id=\? AND closed_at>\?\)/,
    ],
    [
      'what was closed today in all skills',
      { period, closedPeriod: { from: 10 }, skillId: ids(1) },
      /conversations_closed/,
    ],
    ['an operator', { operatorId: ids(1), period }, /conversations_operator \(account_id=\? AND operator_id=\?\)/],
    ["the caller's own conversations", { scope: { operatorId: 1, groups: [] } }, /conversations_operator/],
    ['a visitor', { visitorId: ids(1), period }, /conversations_visitor \(account_id=\? AND visitor_id=\?\)/],
    ['a skill', { skillId: ids(1), period }, /conversations_skill \(account_id=\? AND skill_id=\? AND created_at>\?/],
    ['a tag', { tagId: ids(1) }, /conversation_tags_tag \(account_id=\? AND tag_id=\?\)/],
    ['an id', { id: ids(1), period }, /\(account_id=\? AND id=\?\)/],
    ['waiting conversations', { waiting: true }, /open USING INDEX conversations_open/],
    ['a state', { states: ['active'] }, /open USING INDEX conversations_open/],
  ];
  if (name !== 'sqlite') continue;
  for (const [filter, filters, expected] of PLANS) {
    test(`${name}: a list by ${filter} and its count use an index`, (t) => {
      const { conversationQuery, database } = installation;
      for (const query of [conversationQuery.pageQuery(1, filters, WINDOW), conversationQuery.countQuery(1, filters)]) {
        const plan = explainQuery(database, query).join(' | ');
        t.diagnostic(plan);
        assert.match(plan, expected);
      }
    });
  }

  test(`${name}: the newest conversations of a period are read from the end, without sorting`, () => {
    const { conversationQuery, database } = installation;
    const plan = explainQuery(database, conversationQuery.pageQuery(1, { period: { from: 10 } }, WINDOW)).join(' | ');
    assert.doesNotMatch(plan, /TEMP B-TREE|SCAN (?!page)/);
  });
}
