import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { CORE_LAYERS, importRules } from '../../scripts/import-rules.ts';

const ROOT = join(import.meta.dirname, '../..');
const LINTER = join(ROOT, 'test/node_modules/.bin/biome');

/** A file that an import rule covers. */
const probeFor = (path: string) => path.replace('**', 'probe.ts').replace('*.ts', 'probe.ts');
/** An import specifier that a pattern matches. */
const specifierFor = (pattern: string) =>
  pattern
    .replace(/^\*\*\/(.*)\/\*\*$/, '../$1/other.ts')
    .replace('**/', '../')
    .replace('/**', '/other.ts');

suite('import rules', () => {
  let folder: string;
  before(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-import-rules-')));
    for (const file of ['biome.json', 'biome.import-rules.json']) cpSync(join(ROOT, file), join(folder, file));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const write = (file: string, text: string) => {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  /** The linter's findings by file, as `rule line`. */
  const lint = () => {
    const args = ['lint', '--vcs-enabled=false', '--reporter=github', '--max-diagnostics=none', '.'];
    const { stdout, stderr } = spawnSync(LINTER, args, { cwd: folder, encoding: 'utf8' });
    const found = new Map<string, Set<string>>();
    for (const [, rule = '', file = '', line = ''] of stdout.matchAll(
      /^::error title=lint\/\w+\/(\w+),file=([^,]+),line=(\d+)/gm,
    )) {
      const name = relative(folder, file);
      found.set(name, (found.get(name) ?? new Set()).add(`${rule} ${line}`));
    }
    return { found, output: stdout + stderr };
  };

  test('every forbidden import is an error, even of types only', () => {
    for (const { path, forbidden } of importRules) {
      const imports = forbidden.flatMap((pattern, index) => [
        `import { value${index} } from '${specifierFor(pattern)}';`,
        `import type { Type${index} } from '${specifierFor(pattern)}';`,
      ]);
      write(probeFor(path), `${imports.join('\n')}\n`);
    }
    const { found, output } = lint();
    for (const { path, forbidden } of importRules) {
      const refused = [...(found.get(probeFor(path)) ?? [])].filter((category) =>
        category.startsWith('noRestrictedImports'),
      );
      assert.equal(refused.length, forbidden.length * 2, `${path}: ${refused.join()}\n${output.slice(0, 2000)}`);
    }
  });

  test('an import cycle is an error, even of types only', () => {
    const writeCycle = (name: string, modifier: string) => {
      write(`src/${name}/one.ts`, `import ${modifier}{ Two } from './two.ts';\nexport class One {\n  two?: Two;\n}\n`);
      write(`src/${name}/two.ts`, `import ${modifier}{ One } from './one.ts';\nexport class Two {\n  one?: One;\n}\n`);
    };
    writeCycle('cycle', '');
    writeCycle('type-cycle', 'type ');
    const { found, output } = lint();
    for (const name of ['cycle', 'type-cycle'])
      assert.ok(found.get(`src/${name}/one.ts`)?.has('noImportCycles 1'), `${name}\n${output.slice(0, 2000)}`);
  });
});

test('every source folder has an import rule', () => {
  const covered = importRules.map(({ path }) => path).filter((path) => path !== 'src/**');
  const files = globSync(['src/**/*.ts', 'web/*/**/*.{ts,tsx}'], { cwd: ROOT }).filter(
    (file) => file !== 'src/main.ts',
  );
  const uncovered = files.filter((file) => {
    const folders = file.split('/').map((_, index, parts) => parts.slice(0, index).join('/'));
    return !covered.some(
      (path) => path === file || path === `${dirname(file)}/*.ts` || folders.some((folder) => path === `${folder}/**`),
    );
  });
  assert.deepEqual(uncovered, []);
  for (const layer of CORE_LAYERS) assert.ok(existsSync(join(ROOT, 'src/core', layer)), layer);
});

test('no import bypasses the rules: the linter misses imports inside types and computed paths', () => {
  const bypasses = globSync('src/**/*.ts', { cwd: ROOT }).flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/(?:typeof )?\bimport\((?!'[^']+'\)(?!\.[A-Z]))/g)].map(
      ([found]) => `${file}: ${found}`,
    ),
  );
  assert.deepEqual(bypasses, []);
  const typed = globSync('src/**/*.ts', { cwd: ROOT }).filter((file) =>
    /typeof import\(/.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  assert.deepEqual(typed, []);
});
