import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { buildSchema, type GraphQLEnumType } from 'graphql';
import { CAUSES, OBSTACLES, type RoutingDecision } from '../../../web/desk/visitor-panel/routing/decision.ts';
import {
  type DescribeOptions,
  describeCause,
  describeChoice,
  describeExcluded,
  describeObstacle,
  describeRank,
} from '../../../web/desk/visitor-panel/routing/describe-decision.ts';
import { routingTexts } from '../../../web/desk/visitor-panel/routing/texts.ts';
import { createTranslate } from '../../../web/shared/texts/texts.ts';

const schema = buildSchema(readFileSync(join(import.meta.dirname, '../../../docs/api/schema.graphql'), 'utf8'));
const listValues = (name: string) =>
  (schema.getType(name) as GraphQLEnumType)
    .getValues()
    .map((value) => value.name)
    .sort();

const LANGUAGES = ['en', 'de', 'es', 'fr'] as const;
const optionsIn = (locale: (typeof LANGUAGES)[number]): DescribeOptions => ({
  ...{ viewerId: '1', visitorName: 'Lea', locale, t: createTranslate(routingTexts, locale) },
});
const english = optionsIn('en');

const rank = (id: string, others: object = {}) => ({
  ...{ servedLast: false, priority: null, share: 0, assignedAt: null, operator: { id, pseudo: `Operator ${id}` } },
  ...others,
});
const decide = (others: Partial<RoutingDecision> = {}): RoutingDecision => ({
  ...{ id: '9', at: '2030-01-31T10:02:04Z', cause: 'STARTED', forced: false },
  operator: { id: '1', pseudo: 'Ana' },
  actor: { type: 'OPERATOR', id: '2', name: 'Bo' },
  need: { language: 'fr', skill: { name: 'Delivery' }, group: { name: 'North' }, website: { label: 'Shop EU' } },
  ranked: [],
  excluded: [],
  ...others,
});
const isWhole = (text: string) => text.trim() !== '' && !/[{}]|undefined/.test(text);

describe('why a conversation came to its operator, in words', () => {
  test('the desk knows every cause and obstacle of the schema', () => {
    assert.deepEqual([...CAUSES].sort(), listValues('RoutingCause'));
    assert.deepEqual([...OBSTACLES].sort(), listValues('Obstacle'));
  });

  for (const language of LANGUAGES) {
    const options = optionsIn(language);
    test(`every cause, obstacle and actor has its words in ${language}`, () => {
      const { need } = decide();
      const obstacles = OBSTACLES.map((reason) => describeObstacle(reason, need, options));
      const causes = CAUSES.map((cause) => describeCause(decide({ cause, ranked: [rank('1')] }), options) ?? '');
      for (const words of [obstacles, causes]) {
        assert.equal(new Set(words).size, words.length);
        assert.deepEqual(
          words.filter((text) => !isWhole(text)),
          [],
        );
      }
      for (const type of listValues('ActorType')) {
        const actor = { type, id: null, name: null } as RoutingDecision['actor'];
        assert.ok(isWhole(describeChoice(decide({ actor, cause: 'TRANSFER' }), options)), type);
      }
    });

    test(`the choice is a whole sentence in ${language}, for the viewer and for others`, () => {
      const many = Array.from({ length: 20 }, (_, index) => rank(String(index + 1)));
      const cases = [
        { forced: true },
        { cause: 'TAKE' },
        { cause: 'TAKE', actor: { type: 'OPERATOR', id: '1', name: 'Ana' } },
        { cause: 'TRANSFER' },
        { cause: 'ESCALATION' },
        { ranked: many.slice(0, 1) },
        { ranked: many.slice(0, 3) },
        { ranked: many.slice(0, 3).reverse() },
        { ranked: many },
      ] as const;
      const texts = cases.flatMap((each) =>
        ['1', '3'].map((viewerId) => describeChoice(decide(each), { ...options, viewerId })),
      );
      assert.equal(new Set(texts).size, texts.length);
      for (const text of texts) assert.ok(isWhole(text), text);
    });
  }

  test('the sentences of the reference', () => {
    const decision = decide({
      ranked: [rank('1', { servedLast: true, priority: 5 }), rank('2', { priority: 5, share: 2 / 3 }), rank('3')],
      excluded: [
        { reason: 'LACKS_SKILL', count: 1 },
        { reason: 'NOT_AVAILABLE', count: 1 },
        { reason: 'SLOTS_FULL', count: 2 },
        { reason: 'OFFLINE', count: 1500 },
        { reason: 'ON_CALL', count: 0 },
      ],
    });
    assert.match(describeChoice(decision, english), /^You ranked first of 3 eligible operators at \d+:02:04/);
    assert.deepEqual(
      decision.ranked.map((each) => describeRank(each, english)),
      ['Served Lea last · priority 5', 'Priority 5', ''],
    );
    assert.equal(
      describeExcluded(decision, english),
      'Excluded: offline 1,500, slots full 2, not available 1, lacks the skill Delivery 1.',
    );
    assert.equal(describeExcluded(decide(), english), undefined);
  });

  test('where someone named the operator, no other was considered', () => {
    const excluded = [{ reason: 'OFFLINE' as const, count: 10 }];
    for (const cause of ['TRANSFER', 'TAKE'] as const)
      assert.equal(describeExcluded(decide({ cause, excluded }), english), undefined);
    assert.match(describeChoice(decide({ cause: 'TRANSFER' }), english), /^Transferred to you by Bo at/);
    assert.equal(describeExcluded(decide({ operator: null, excluded }), english), 'Excluded: offline 10.');
  });

  test('what a newer service adds is left out, and a deleted operator has a name', () => {
    const excluded = [{ reason: 'ON_THE_MOON' as 'OFFLINE', count: 3 }];
    assert.equal(describeExcluded(decide({ excluded, ranked: [rank('1')] }), english), undefined);
    assert.match(describeChoice(decide({ operator: null, ranked: [rank('1')] }), english), /^Deleted operator was/);
    const need = { language: '??', skill: null, group: null, website: null };
    assert.deepEqual(
      OBSTACLES.map((reason) => describeObstacle(reason, need, english)).filter((text) => !isWhole(text)),
      [],
    );
  });
});
