import { globSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { readOwnSeconds, recordProcessorTime } from './processor-time-record.ts';

export interface TogetherOptions {
  /** The database of the suites; by default each suite chooses, and storage suites run on all. */
  readonly database?: 'sqlite' | 'postgres';
  /** The suites to run, each with its reason; a name that ends with `/` is a folder. By default all. */
  readonly only?: Readonly<Record<string, string>>;
}

const TESTS = join(import.meta.dirname, '../..');

/**
 * Runs the suites of some test folders in this process, one after the other, so that the program is loaded only once.
 * A folder that ends with `/` is taken without its subfolders.
 */
export async function runTogether(folders: readonly string[], { database, only }: TogetherOptions = {}): Promise<void> {
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
  const suites = only ? selectSuites(findSuites(folders), Object.keys(only)) : findSuites(folders);
  describe(name, { concurrency: 1 }, () => {
    for (const suite of suites) {
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

function selectSuites(suites: readonly string[], names: readonly string[]): string[] {
  const isSelected = (suite: string, name: string) => (name.endsWith('/') ? suite.startsWith(name) : suite === name);
  const unknown = names.filter((name) => !suites.some((suite) => isSelected(suite, name)));
  if (unknown.length > 0) throw new Error(`There is no suite ${unknown.join(', ')}.`);
  return suites.filter((suite) => names.some((name) => isSelected(suite, name)));
}
