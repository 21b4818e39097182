// Writes the files that are generated from the code; with --check it only reports the stale ones.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { z } from 'zod';
import { schema } from '../src/api/graphql/schema.ts';
import { createOpenApiDocument } from '../src/api/pages/openapi.ts';
import { visitorSchema } from '../src/api/visitor/schema.ts';
import { settings } from '../src/config.ts';
import { toLinterConfig } from './import-rules.ts';
import { renderMigrationPage } from './migration-page.ts';

const files: Readonly<Record<string, () => string>> = {
  'biome.import-rules.json': () => `${JSON.stringify(toLinterConfig(), null, 2)}\n`,
  'docs/api/openapi.json': () => `${JSON.stringify(createOpenApiDocument(), null, 2)}\n`,
  'docs/api/schema.graphql': () => `${printSchema(lexicographicSortSchema(schema))}\n`,
  'docs/api/visitor-schema.graphql': () => `${printSchema(lexicographicSortSchema(visitorSchema))}\n`,
  'docs/configuration.md': configurationPage,
  'web/docs/migration.html': renderMigrationPage,
};

const onlyCheck = process.argv.includes('--check');
for (const [name, make] of Object.entries(files)) {
  const file = fileURLToPath(new URL(`../${name}`, import.meta.url));
  if (onlyCheck) {
    if (present(file) !== make()) {
      console.error(`${name} is stale: run \`npm run generate\` and commit it.`);
      process.exitCode = 1;
    }
  } else {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, make());
    console.log(`wrote ${name}`);
  }
}

function present(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function configurationPage(): string {
  const rows = Object.entries(settings.shape).map(
    ([name, schema]) => `| \`${name}\` | ${defaultOf(schema)} | ${cell(schema.meta()?.description ?? '')} |`,
  );
  return `# Configuration

Switchboard is configured by environment variables; it starts without any of them. An empty variable counts as not set.
An unknown name that starts with \`SWITCHBOARD_\` is an error. A start reports all problems together.

This page is generated from the schema in \`src/config.ts\` by \`npm run generate\`; do not edit it.

| Name | Default | Meaning |
|---|---|---|
${rows.join('\n')}
`;
}

function defaultOf(schema: z.ZodType): string {
  const value = schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined;
  return value === undefined || (Array.isArray(value) && value.length === 0) ? '–' : `\`${value}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
