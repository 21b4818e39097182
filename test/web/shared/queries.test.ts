import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildSchema, parse, validate } from 'graphql';

const ROOT = join(import.meta.dirname, '../../..');
const schema = buildSchema(readFileSync(join(ROOT, 'docs/api/schema.graphql'), 'utf8'));
const FRAGMENT = /^\s*fragment (\w+)/;

/** The compiler reports an unknown field only where its value is used. */
test('every query of the pages is valid against the schema, with the fragments that it names', () => {
  const documents = globSync('web/**/*.{ts,tsx}', { cwd: ROOT })
    .filter((file) => !file.startsWith('web/widget/'))
    .flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\bgraphql\(\s*`([^`]+)`/g)].map(([, text = '']) => ({
        file,
        text,
      })),
    );
  assert.ok(documents.length >= 2, 'the queries were not found');
  const fragments = new Map(documents.map(({ text }) => [FRAGMENT.exec(text)?.[1], text]));
  const used = new Set<string>();
  const addFragments = (text: string, added = new Set<string>()): string[] =>
    [...text.matchAll(/\.\.\.(\w+)/g)].flatMap(([, name = '']) => {
      const fragment = fragments.get(name);
      if (fragment === undefined || added.has(name)) return [];
      used.add(name);
      return [fragment, ...addFragments(fragment, added.add(name))];
    });
  for (const { file, text } of documents) {
    if (FRAGMENT.test(text)) continue;
    assert.deepEqual(validate(schema, parse([text, ...addFragments(text)].join('\n'))), [], file);
  }
  const unused = [...fragments.keys()].filter((name) => name !== undefined && !used.has(name));
  assert.deepEqual(unused, [], 'fragments that no query names');
});
