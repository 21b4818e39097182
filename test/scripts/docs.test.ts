import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = [...globSync('*.md', { cwd: ROOT }), ...globSync('docs/**/*.md', { cwd: ROOT })];

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const withoutCode = (text: string) => text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');

/** The anchor that a heading gets when the page is rendered. */
function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function anchorsOf(file: string): string[] {
  return [...withoutCode(read(file)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => toAnchor(heading));
}

/** The relative links of a page, as paths from the root. */
function linksOf(page: string): { page: string; file: string; anchor: string | undefined }[] {
  return [...withoutCode(read(page)).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(
    ([, path = '', anchor]) => ({
      page,
      file: path === '' ? page : relative(ROOT, join(ROOT, dirname(page), path)),
      anchor,
    }),
  );
}

test('every source file that the documentation mentions exists', () => {
  const mentions = PAGES.flatMap((page) =>
    [...read(page).matchAll(/`([\w./-]+\/[\w-]+(?:\.test)?\.m?ts)`/g)].map(([, path = '']) => ({ page, path })),
  );
  assert.ok(mentions.length > 40, 'no paths were found');
  const missing = mentions.filter(({ path }) => !['', 'src'].some((folder) => existsSync(join(ROOT, folder, path))));
  assert.deepEqual(missing, []);
});

test('every relative link leads to a file and a heading that exist', () => {
  const links = PAGES.flatMap(linksOf);
  assert.ok(links.length > 40, 'no links were found');
  const broken = links.filter(
    ({ file, anchor }) =>
      !existsSync(join(ROOT, file)) ||
      (anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).includes(anchor)),
  );
  assert.deepEqual(broken, []);
});

test('every page is linked from its entry page', () => {
  const entry = (page: string) =>
    page.startsWith('docs/decisions/') && page !== 'docs/decisions/README.md'
      ? 'docs/decisions/README.md'
      : 'docs/README.md';
  const unlinked = PAGES.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md').filter(
    (page) => !linksOf(entry(page)).some(({ file }) => file === page || join(file, 'README.md') === page),
  );
  assert.deepEqual(unlinked, []);
});

test('prose wraps at 120 characters', () => {
  const long = PAGES.flatMap((page) =>
    withoutCode(read(page))
      .split('\n')
      .filter((line) => line.length > 120 && !/^\s*\||^\s*(?:[-*] )?\[?<?!?\[?\S+$/.test(line))
      .map((line) => `${page}: ${line}`),
  );
  assert.deepEqual(long, []);
});

test('every dependency is listed with its reason', () => {
  const packages = ['package.json', 'test/package.json', 'test/browser-package/package.json'].flatMap((file) => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read(file));
    return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  });
  const listed = read('docs/decisions/dependencies.md');
  const missing = packages.filter((name) => !listed.includes(`\`${name}\``));
  assert.deepEqual(missing, []);
});

test('every decision has a status, a context, a decision and consequences', () => {
  const incomplete = globSync('docs/decisions/0*.md', { cwd: ROOT }).filter(
    (page) => !/\*\*Status:\*\* [\s\S]*^## Context$[\s\S]*^## Decision$[\s\S]*^## Consequences$/m.test(read(page)),
  );
  assert.deepEqual(incomplete, []);
});
