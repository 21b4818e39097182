import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../../..');

test('every rule of docs/rules.md has a test whose title carries its number', () => {
  const rules = [...readFileSync(join(ROOT, 'docs/rules.md'), 'utf8').matchAll(/^(\d+)\. /gm)].map(([, number]) =>
    Number(number),
  );
  assert.deepEqual(
    rules,
    [...new Set(rules)].sort((first, second) => first - second),
    'in order, each once',
  );
  assert.ok(rules.length >= 23, 'no rule was lost');
  const sources = globSync('test/**/*.test.ts', { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), 'utf8'));
  const covered = new Set<number>();
  for (const [, first, word, second] of sources.join('\n').matchAll(/['"`]rules? (\d+)(?: (and|to) (\d+))?:/g)) {
    const [from, to] = [Number(first), Number(second ?? first)];
    for (let rule = from; rule <= to; rule += word === 'to' ? 1 : Math.max(to - from, 1)) covered.add(rule);
  }
  assert.deepEqual(
    rules.filter((rule) => !covered.has(rule)),
    [],
  );
});
