import { globSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { readOwnSeconds, recordProcessorTime } from './processor-time-record.ts';

export interface TogetherOptions {
  /** The database of the suites; by default each suite chooses, and storage suites run on all. */
  readonly database?: 'sqlite' | 'postgres';
  /** Suites to leave out, each with its reason. */
  readonly except?: Readonly<Record<string, string>>;
}

const TESTS = join(import.meta.dirname, '../..');

/**
 * Runs the suites of some test folders in this process, one after the other, so that the program is loaded only once.
 * A folder that ends with `/` is taken without its subfolders.
 */
export async function runTogether(
  folders: readonly string[],
  { database, except = {} }: TogetherOptions = {},
): Promise<void> {
  const suffix = database === 'postgres' ? ' on PostgreSQL' : '';
  const name = `${folders.join(', ')}${suffix}`;
  if (suffix && !process.env.TEST_DATABASE_URL) {
    test(name, { skip: 'needs PostgreSQL: use npm test' });
    return;
  }
  if (database) process.env.TEST_DATABASE = database;
  // These close leftovers and the shared browser after all suites, not after the first.
  await import('../databases/databases.ts');
  if (folders.some((folder) => folder.startsWith('browser'))) await import('../browser/chromium.ts');
  const suites = findSuites(folders);
  const unknown = Object.keys(except).filter((name) => !suites.includes(name));
  if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')} in ${folders.join(', ')}.`);
  describe(name, { concurrency: 1 }, () => {
    for (const suite of suites.filter((name) => !(name in except))) {
      describe(`${suite}${suffix}`, { concurrency: 1 }, async () => {
        let start = 0;
        before(() => {
          start = readOwnSeconds();
        });
        await import(join(TESTS, `${suite}.test.ts`));
        after(() => recordProcessorTime(`test/${suite}.test.ts${suffix}`, { start, within: process.argv[1] ?? '' }));
      });
    }
  });
}

/** The paths of the suites, without `.test.ts`. */
function findSuites(folders: readonly string[]): string[] {
  const found = folders.flatMap((folder) =>
    globSync(`${folder}${folder.endsWith('/') ? '' : '/**/'}*.test.ts`, { cwd: TESTS }),
  );
  return found.map((file) => file.slice(0, -'.test.ts'.length)).sort();
}
