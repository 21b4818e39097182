import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildSchema, parse, validate } from 'graphql';

const ROOT = join(import.meta.dirname, '../../..');
const schema = buildSchema(readFileSync(join(ROOT, 'docs/api/schema.graphql'), 'utf8'));

/** The compiler reports an unknown field only where its value is used. */
test('every query of the pages is valid against the schema', () => {
  const documents = globSync('web/**/*.{ts,tsx}', { cwd: ROOT })
    .filter((file) => !file.startsWith('web/widget/'))
    .flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\bgraphql\(\s*`([^`]+)`/g)].map(([, text = '']) => ({
        file,
        text,
      })),
    );
  assert.ok(documents.length >= 2, 'the queries were not found');
  for (const { file, text } of documents) assert.deepEqual(validate(schema, parse(text)), [], file);
});
