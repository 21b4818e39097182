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
import { CORE_FLOORS, fences } from '../../scripts/fences.ts';

const ROOT = join(import.meta.dirname, '../..');
const LINTER = join(ROOT, 'node_modules/.bin/biome');

/** A file in a place that a fence is about. */
const probeIn = (place: string) => place.replace('**', 'probe.ts').replace('*.ts', 'probe.ts');
/** An import path that a pattern means. */
const pathFor = (pattern: string) =>
  pattern
    .replace(/^\*\*\/(.*)\/\*\*$/, '../$1/other.ts')
    .replace('**/', '../')
    .replace('/**', '/other.ts');

suite('the fences between the folders of the source', () => {
  let folder: string;
  before(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-fences-')));
    for (const file of ['biome.json', 'biome.fences.json']) cpSync(join(ROOT, file), join(folder, file));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const write = (file: string, text: string) => {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  /** What the linter says of each file, as `rule line`. */
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

  test('every forbidden import of every folder is an error, also one of types alone', () => {
    for (const { place, forbidden } of fences) {
      const imports = forbidden.flatMap((pattern, index) => [
        `import { value${index} } from '${pathFor(pattern)}';`,
        `import type { Type${index} } from '${pathFor(pattern)}';`,
      ]);
      write(probeIn(place), `${imports.join('\n')}\n`);
    }
    const { found, output } = lint();
    for (const { place, forbidden } of fences) {
      const refused = [...(found.get(probeIn(place)) ?? [])].filter((each) => each.startsWith('noRestrictedImports'));
      assert.equal(refused.length, forbidden.length * 2, `${place}: ${refused.join()}\n${output.slice(0, 2000)}`);
    }
  });

  test('a circle of two files is an error, also one of types alone', () => {
    const circle = (name: string, word: string) => {
      write(`src/${name}/one.ts`, `import ${word}{ Two } from './two.ts';\nexport class One {\n  two?: Two;\n}\n`);
      write(`src/${name}/two.ts`, `import ${word}{ One } from './one.ts';\nexport class Two {\n  one?: One;\n}\n`);
    };
    circle('circle', '');
    circle('circle-of-types', 'type ');
    const { found, output } = lint();
    for (const name of ['circle', 'circle-of-types'])
      assert.ok(found.get(`src/${name}/one.ts`)?.has('noImportCycles 1'), `${name}\n${output.slice(0, 2000)}`);
  });
});

test('every folder of the source stands behind a fence', () => {
  const places = fences.map(({ place }) => place).filter((place) => place !== 'src/**');
  const files = globSync('src/**/*.ts', { cwd: ROOT }).filter((file) => file !== 'src/main.ts');
  const open = files.filter((file) => {
    const folders = file.split('/').map((_, index, parts) => parts.slice(0, index).join('/'));
    return !places.some(
      (place) => place === file || place === `${dirname(file)}/*.ts` || folders.some((each) => place === `${each}/**`),
    );
  });
  assert.deepEqual(open, []);
  for (const floor of CORE_FLOORS) assert.ok(existsSync(join(ROOT, 'src/core', floor)), floor);
});

test('no import goes around the fences: the linter sees neither those inside types nor those whose path is put together', () => {
  const around = globSync('src/**/*.ts', { cwd: ROOT }).flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/(?:typeof )?\bimport\((?!'[^']+'\)(?!\.[A-Z]))/g)].map(
      ([found]) => `${file}: ${found}`,
    ),
  );
  assert.deepEqual(around, []);
  const typed = globSync('src/**/*.ts', { cwd: ROOT }).filter((file) =>
    /typeof import\(/.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  assert.deepEqual(typed, []);
});
