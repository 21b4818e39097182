import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../../..');

test('every rule of docs/rules.md has a test whose title carries its number', () => {
  const rules = [...readFileSync(join(ROOT, 'docs/rules.md'), 'utf8').matchAll(/^(\d+)\. /gm)].map(([, number]) =>
    Number(number),
  );
  const numbered = Array.from({ length: 29 }, (_, index) => index + 1).filter((number) => number !== 25);
  assert.deepEqual(rules, numbered, 'all but the rule about calls, which are not built yet');
  const sources = globSync('test/**/*.test.ts', { cwd: ROOT, exclude: ['**/node_modules'] }).map((file) =>
    readFileSync(join(ROOT, file), 'utf8'),
  );
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
