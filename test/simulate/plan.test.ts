import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  arrivalRate,
  CHANNELS,
  createPlan,
  type Plan,
  type PlanOptions,
  UNSPOKEN_LANGUAGE,
} from '../../simulate/plan.ts';
import { Random } from '../../simulate/random.ts';

const OPTIONS: PlanOptions = {
  ...{ seed: 'a seed', durationMs: 600_000, operators: 20, arrival: { kind: 'steady', perMinute: 60 } },
  ...{ handlingMs: 60_000, decline: 0.1, ignore: 0.1, disconnect: 0.5, abandon: 0.2, speed: 10 },
  ...{ leave: 0.2, typing: 0.5, read: 0.5, files: 0.1, absenceMinutes: 1 },
  ...{ channels: { chat: 8, call: 1, video: 1 }, websites: 3, skills: 4, groups: 2, languages: ['en', 'fr'] },
};

test('the same seed gives the same plan, and another seed gives another plan', () => {
  assert.deepEqual(createPlan(OPTIONS), createPlan(OPTIONS));
  assert.notDeepEqual(createPlan(OPTIONS).visitors, createPlan({ ...OPTIONS, seed: 'another' }).visitors);
});

test('one more operator does not change the others', () => {
  const { operators } = createPlan({ ...OPTIONS, operators: 21 });
  assert.deepEqual(operators.slice(0, 20), createPlan(OPTIONS).operators);
});

test('visitors arrive at the given rate', () => {
  const { visitors } = createPlan(OPTIONS);
  assert.ok(Math.abs(visitors.length - 600) < 100, `${visitors.length} instead of about 600`);
  assert.deepEqual(
    visitors.map(({ arriveMs }) => arriveMs),
    visitors.map(({ arriveMs }) => arriveMs).toSorted((a, b) => a - b),
  );
});

test('a rush hour rises above the capacity of the operators, and falls again', () => {
  const options: PlanOptions = { ...OPTIONS, arrival: { kind: 'rush', peak: 1.5 } };
  const { operators, visitors } = createPlan(options);
  const rate = arrivalRate(options, operators);
  assert.ok(rate(0) < rate(250_000) && rate(599_000) < rate(0));
  assert.ok(arrivalRate({ ...options, arrival: { kind: 'rush', peak: 3 } }, operators)(250_000) > 1.9 * rate(250_000));
  const within = (from: number, to: number) =>
    visitors.filter(({ arriveMs }) => arriveMs >= from && arriveMs < to).length;
  assert.ok(within(200_000, 300_000) > 2 * within(500_000, 600_000));
});

test('every visitor needs what some operator can serve, or a language that no operator speaks', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 5 }), (seed, count, skills) => {
      const plan = createPlan({ ...OPTIONS, seed, operators: count, skills, durationMs: 60_000 });
      for (const { need } of plan.visitors) {
        if (need.language !== UNSPOKEN_LANGUAGE) assert.ok(canServe(plan, need), JSON.stringify(need));
      }
      for (const operator of plan.operators) {
        assert.ok(operator.channels.length > 0 && operator.websites.length > 0 && operator.languages.length > 0);
        for (const { atMs } of [...operator.absences, ...operator.breaks]) assert.ok(atMs < plan.options.durationMs);
      }
    }),
    { numRuns: 50 },
  );
});

function canServe({ operators }: Plan, need: Plan['visitors'][number]['need']): boolean {
  return operators.some(
    ({ channels, websites, skills, group, languages }) =>
      channels.includes(need.channel) &&
      websites.includes(need.website) &&
      (need.skill === null || skills.includes(need.skill)) &&
      (need.group === null || group === need.group) &&
      languages.includes(need.language),
  );
}

test('random numbers have the expected distribution', () => {
  const random = new Random('spread');
  const drawn = Array.from({ length: 20_000 }, () => random.next());
  assert.ok(drawn.every((value) => value >= 0 && value < 1));
  assert.ok(Math.abs(drawn.reduce((sum, value) => sum + value, 0) / drawn.length - 0.5) < 0.01);
  const mean =
    Array.from({ length: 20_000 }, () => random.exponential(5)).reduce((sum, value) => sum + value, 0) / 20_000;
  assert.ok(Math.abs(mean - 5) < 0.2, String(mean));
  const chosen = Array.from({ length: 10_000 }, () => random.pickWeighted({ chat: 8, call: 1, video: 1 }));
  const counts = CHANNELS.map((channel) => chosen.filter((chosenChannel) => chosenChannel === channel).length);
  assert.ok(Math.abs((counts[0] ?? 0) - 8000) < 200, String(counts));
});
