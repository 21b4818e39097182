// Writes the types of the GraphQL schema, with which the compiler checks the queries of the pages. `npm run check` runs it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { minifyIntrospection, outputIntrospectionFile } from 'gql.tada/internal';
import { buildSchema, introspectionFromSchema } from 'graphql';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export function renderSchemaTypes(): string {
  const schema = buildSchema(readFileSync(`${ROOT}docs/api/schema.graphql`, 'utf8'));
  const introspection = minifyIntrospection(introspectionFromSchema(schema));
  return outputIntrospectionFile(introspection, { fileType: '.d.ts', shouldPreprocess: true });
}

if (import.meta.main) {
  mkdirSync(`${ROOT}dist/types`, { recursive: true });
  writeFileSync(`${ROOT}dist/types/graphql-schema.d.ts`, renderSchemaTypes());
}
