import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { listAllFiles } from '../../scripts/test-run/files.ts';

const ROOT = join(import.meta.dirname, '../..');
const extractQuoted = (text = '') => [...text.matchAll(/'([^']+)'/g)].map(([, folder = '']) => folder);

test('npm test runs every suite', () => {
  const all = listAllFiles(ROOT);
  // A file that selects suites repeats them on another database.
  const together = globSync('test/together/*.test.ts', { cwd: ROOT })
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .filter((text) => !/\bonly:/.test(text))
    .flatMap((text) => extractQuoted(text.match(/runTogether\(\[([^\]]*)\]/)?.[1]));
  assert.ok(together.length > 10, 'the lists were not found');
  const isRun = (file: string) => {
    const folder = dirname(file);
    const includesFolder = (path: string) =>
      folder === path.replace(/\/$/, '') || (!path.endsWith('/') && folder.startsWith(`${path}/`));
    return all.includes(`test/${file}`) || together.some(includesFolder);
  };
  const suites = globSync('**/*.test.ts', { cwd: join(ROOT, 'test'), exclude: ['node_modules'] }).filter(
    (file) => !file.startsWith('together/'),
  );
  assert.deepEqual(
    suites.filter((file) => !isRun(file)),
    [],
  );
});
