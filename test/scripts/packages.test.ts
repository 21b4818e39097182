import assert from 'node:assert/strict';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const SERVICE_PACKAGES = join(ROOT, 'node_modules');
const TEST_PACKAGES = join(ROOT, 'test/node_modules');

test('tests import the packages of the service, not another version that a package of the tests brought', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const shadowed = Object.keys({ ...dependencies, ...devDependencies }).filter(
    (name) =>
      existsSync(join(TEST_PACKAGES, name)) &&
      realpathSync(join(TEST_PACKAGES, name)) !== realpathSync(join(SERVICE_PACKAGES, name)),
  );
  assert.deepEqual(shadowed, [], 'add "<name>": "file:../node_modules/<name>" to test/package.json');
});
