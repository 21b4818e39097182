import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

test('every source file that the documentation names is there', () => {
  const pages = ['CONTRIBUTING.md', 'README.md', ...globSync('docs/**/*.md', { cwd: ROOT })];
  const named = pages.flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/`([\w./-]+\/[\w-]+(?:\.test)?\.m?ts)`/g)].map(
      ([, path = '']) => ({
        page,
        path,
      }),
    ),
  );
  assert.ok(named.length > 40, 'paths are found');
  const gone = named.filter(({ path }) => !['', 'src'].some((folder) => existsSync(join(ROOT, folder, path))));
  assert.deepEqual(gone, []);
});
