import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

// These start their service while they are read, so they stand beside each other and not in suites of their own.
const folder = join(import.meta.dirname, '../conformance');
if (process.env.TEST_DATABASE_URL) {
  process.env.TEST_DATABASE = 'postgres';
  for (const file of readdirSync(folder)) if (file.endsWith('.test.ts')) await import(join(folder, file));
} else {
  test('conformance on PostgreSQL', { skip: 'there is none: npm test brings it' });
}
