import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { buildSchema, parse, validate } from 'graphql';
import { WIDGET_TEXT_LIMITS } from '../../../src/core/directory/widget-texts/widget-texts.ts';
import * as operations from '../../../web/widget/panel/conversation/service/operations.ts';

const ROOT = join(import.meta.dirname, '../../..');

test('every operation of the panel is valid for the schema of visitors', () => {
  const schema = buildSchema(readFileSync(join(ROOT, 'docs/api/visitor-schema.graphql'), 'utf8'));
  const documents = Object.entries(operations);
  assert.ok(documents.length > 10);
  for (const [name, text] of documents) {
    assert.deepEqual(
      validate(schema, parse(text)).map(({ message }) => message),
      [],
      name,
    );
  }
});

test('the texts that the widget knows are those of the service', () => {
  const source = readFileSync(join(ROOT, 'web/widget/text-keys.ts'), 'utf8');
  const keys = [...source.matchAll(/'(\w+)'/g)].map(([, key]) => key);
  assert.deepEqual(keys.sort(), Object.keys(WIDGET_TEXT_LIMITS).sort());
});
