import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { BudgetExceeded, buildWeb } from '../../scripts/build-web.ts';
import { isWebBuildCurrent } from '../../scripts/web-build/sources.mjs';
import type { WebManifest } from '../../src/api/pages/web-manifest.ts';

const PROJECT = join(import.meta.dirname, '../..');

describe('the build of the web pages', () => {
  let root: string;
  let output: string;
  let wasCurrent: boolean;
  before(async () => {
    root = mkdtempSync(join(tmpdir(), 'switchboard-web-'));
    output = join(root, 'dist/web');
    for (const name of ['web', 'docs/api', 'package.json', 'package-lock.json', 'tsconfig.json'])
      cpSync(join(PROJECT, name), join(root, name), { recursive: true });
    // A build compresses only what is new, and the largest files take seconds.
    cpSync(join(PROJECT, 'dist/web/assets'), join(output, 'assets'), { recursive: true });
    symlinkSync(join(PROJECT, 'node_modules'), join(root, 'node_modules'));
    wasCurrent = isWebBuildCurrent(root, output);
    change('web/widget/panel/panel.css', '.probe { width: 2.5rem; margin: 0.875rem; }');
    await build();
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  /** Whatever the budgets have left. */
  const build = () => buildWeb({ root, budgets: {} });
  const change = (file: string, text: string) => appendFileSync(join(root, file), text);
  const readManifest = (): WebManifest => JSON.parse(readFileSync(join(output, 'manifest.json'), 'utf8'));
  const readAsset = (name: string) => readFileSync(join(output, 'assets', name));

  test('is current until a source changes', () => {
    assert.equal(wasCurrent, false, 'there was no build yet');
    for (const file of ['web/widget/panel/panel.css', 'package-lock.json']) {
      assert.equal(isWebBuildCurrent(root, output), true);
      const text = readFileSync(join(root, file));
      change(file, '\n');
      assert.equal(isWebBuildCurrent(root, output), false, file);
      writeFileSync(join(root, file), text);
    }
  });

  test('gives a file a new name when its content changes, and keeps the old file for builds that started before', async () => {
    const { files: earlier, widgetVersion } = readManifest();
    change('web/widget/panel/panel.css', '.other { color: red; }');
    assert.equal(isWebBuildCurrent(root, output), false);
    const { files: later, widgetVersion: laterVersion } = await build();
    assert.equal(isWebBuildCurrent(root, output), true);
    assert.notEqual(later['panel.js']?.name, earlier['panel.js']?.name);
    assert.notEqual(laterVersion, widgetVersion, 'the loader contains the address of the panel');
    const old = earlier['panel.js']?.name ?? '';
    assert.ok(existsSync(join(output, 'assets', old)));
    utimesSync(join(output, 'assets', old), 0, 0);
    await build();
    assert.ok(!existsSync(join(output, 'assets', old)));
  });

  test('contains style sheets as texts, with lengths that the website cannot change', () => {
    const { files } = readManifest();
    const script = String(readAsset(files['panel.js']?.name ?? ''));
    assert.ok(script.includes('.probe{width:40px;margin:14px}'));
    assert.ok(!/\drem\b/.test(script));
  });

  test('compresses files and leaves nothing unfinished behind', () => {
    const { files } = readManifest();
    const { name = '', bytes, brotliBytes } = files['panel.js'] ?? {};
    assert.equal(readAsset(name).length, bytes);
    assert.equal(readAsset(`${name}.br`).length, brotliBytes);
    assert.deepEqual(brotliDecompressSync(readAsset(`${name}.br`)), readAsset(name));
    assert.deepEqual(
      readdirSync(join(output, 'assets')).filter((file) => file.endsWith('.tmp')),
      [],
    );
  });

  test('over budget, with the files that it imports but not those that it loads later, an entry fails and writes nothing', async () => {
    const randomText = (length: number) => `export const text = '${randomBytes(length).toString('base64')}';`;
    const folder = join(root, 'web/widget/panel');
    writeFileSync(join(folder, 'shared.ts'), randomText(1_000));
    writeFileSync(join(folder, 'later.ts'), `export { text as shared } from './shared.ts';\n${randomText(20_000)}`);
    change(
      'web/widget/panel/main.tsx',
      `\nexport { text } from './shared.ts';\nexport const load = () => import('./later.ts');`,
    );
    const budgets = { 'panel.js': 20_000 };
    const { files } = await buildWeb({ root, budgets });
    assert.ok(Object.keys(files).length >= 4, 'the shared and the later part have separate files');
    writeFileSync(join(folder, 'shared.ts'), randomText(20_000));
    const manifest = readManifest();
    await assert.rejects(buildWeb({ root, budgets }), (error) => {
      assert.ok(error instanceof BudgetExceeded);
      assert.match(error.message, /^panel\.js has \d+,\d{3} bytes compressed, its budget is 20,000 bytes\.$/);
      return true;
    });
    assert.deepEqual(readManifest(), manifest);
  });
});
