import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

/**
 * Runs the suites of a folder on PostgreSQL, in this process. Some are about the embedded database itself or
 * about no database at all; each of those is named with its reason.
 */
export async function runOnPostgres(folder: string, except: Readonly<Record<string, string>> = {}): Promise<void> {
  if (!process.env.TEST_DATABASE_URL) {
    test(`${folder} on PostgreSQL`, { skip: 'there is none: npm test brings it' });
    return;
  }
  process.env.TEST_DATABASE = 'postgres';
  await import('./databases.ts'); // ends at the end of all suites what a failed test has left open, and not of the first
  const path = join(import.meta.dirname, '..', folder);
  const files = readdirSync(path).filter((name) => name.endsWith('.test.ts'));
  const unknown = Object.keys(except).filter((name) => !files.includes(`${name}.test.ts`));
  if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')} in ${folder}.`);
  // They wait more than they work: two at a time, the tests of each one after the other.
  describe(`${folder} on PostgreSQL`, { concurrency: 2 }, () => {
    for (const file of files) {
      const name = file.slice(0, -'.test.ts'.length);
      if (!(name in except)) describe(`${folder}/${name}`, { concurrency: 1 }, () => import(join(path, file)));
    }
  });
}
