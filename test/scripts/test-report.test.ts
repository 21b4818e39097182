import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeFailures, FailureCollector } from '../../scripts/test-run/failures.ts';
import { FigureCollector } from '../../scripts/test-run/figures.ts';
import { describeTimes, findExceededBudgets } from '../../scripts/test-run/summary.ts';

const TIMES = new Map([
  ['test/api/rest/lists.test.ts', 12],
  ['test/api/rest/lists.test.ts on PostgreSQL', 61],
  ['test/web/words.test.ts', 2],
  ['PostgreSQL', 20],
]);

test('the slowest files come first, and each folder has its processor time', () => {
  const lines = describeTimes(TIMES, TIMES).map((line) => line.replaceAll(/\s+/g, ' ').trim());
  assert.equal(lines[1], '61.0 s 61.0 s test/api/rest/lists.test.ts on PostgreSQL');
  assert.equal(
    lines.find((line) => line.startsWith('processor time')),
    'processor time: 95.0 s, by folder with its budget:',
  );
  assert.match(lines.join('\n'), /^73\.0 s \d+\.0 s test\/api$/m);
});

test('a file over 60 seconds and a folder over its budget are found', () => {
  assert.deepEqual(findExceededBudgets(TIMES), [
    'over budget: test/api/rest/lists.test.ts on PostgreSQL took 61 s of the processor, may take 60 s',
  ]);
  const [folder] = findExceededBudgets(
    new Map([
      ['test/web/words.test.ts', 50],
      ['test/web/frame.test.ts', 50],
    ]),
  );
  assert.match(folder ?? '', /^over budget: test\/web took 100 s/);
});

test('each failed test has the command that runs it alone, and the picture of its page', () => {
  const collector = new FailureCollector();
  const add = (type: string, name: string, nesting: number, data: object = {}) =>
    collector.add({ type, data: { name, nesting, ...data } }, 'test/api/lists.test.ts');
  add('test:start', 'api/lists on PostgreSQL', 1);
  add('test:start', "a list (it's long)", 2);
  add('test:fail', "a list (it's long)", 2);
  collector.add({ type: 'test:diagnostic', data: { message: 'picture: /tmp/a list.png' } }, '');
  add('test:fail', 'api/lists on PostgreSQL', 1, { details: { error: { failureType: 'subtestsFailed' } } });
  add('test:start', 'test/api/lists.test.ts', 0);
  add('test:fail', 'test/api/lists.test.ts', 0);
  assert.deepEqual(describeFailures(collector.failures), [
    'failed tests, each alone:',
    "  TEST_DATABASE=postgres npm test -- test/api/lists.test.ts --test-name-pattern='a list \\(it.s long\\)'",
    '    picture: /tmp/a list.png',
    '  npm test -- test/api/lists.test.ts',
  ]);
});

test('long tests end with the sums of the figures that they name', () => {
  const collector = new FigureCollector();
  for (const message of ['figure: 50 kills', 'figure: 1200 writes', 'figure: 2 kills', 'anything else'])
    collector.add({ type: 'test:diagnostic', data: { message } });
  const counts = { tests: 12, passed: 10, skipped: 1, todo: 0 };
  collector.add({ type: 'test:summary', data: { file: 'one.test.ts', counts, duration_ms: 1 } });
  collector.add({ type: 'test:summary', data: { counts, duration_ms: 90_000 } });
  assert.equal(collector.describe('fault'), 'fault: 10 tests passed, 1 failed in 1.5 min; 52 kills, 1,200 writes');
});
