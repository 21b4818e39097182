import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

export interface TogetherOptions {
  /** The database that the suites run on; without it each suite chooses, and those of the stores run on all. */
  readonly database?: 'sqlite' | 'postgres';
  /** Suites that are not run here, each with its reason. */
  readonly except?: Readonly<Record<string, string>>;
}

const TESTS = join(import.meta.dirname, '../..');

/**
 * Runs the suites of some folders of the tests in this process, one after the other: loading the program once and not for
 * each of them. A folder that ends with `/` is taken without the folders in it.
 */
export async function runTogether(
  folders: readonly string[],
  { database, except = {} }: TogetherOptions = {},
): Promise<void> {
  const onServer = database === 'postgres' ? ' on PostgreSQL' : '';
  const name = `${folders.join(', ')}${onServer}`;
  if (onServer && !process.env.TEST_DATABASE_URL) {
    test(name, { skip: 'there is none: npm test brings it' });
    return;
  }
  if (database) process.env.TEST_DATABASE = database;
  await import('../databases/databases.ts'); // ends at the end of all suites what a failed test has left open, and not of the first
  const suites = suitesOf(folders);
  const unknown = Object.keys(except).filter((each) => !suites.includes(each));
  if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')} in ${folders.join(', ')}.`);
  describe(name, { concurrency: 1 }, () => {
    for (const suite of suites.filter((each) => !(each in except))) {
      describe(`${suite}${onServer}`, { concurrency: 1 }, () => import(join(TESTS, `${suite}.test.ts`)));
    }
  });
}

/** The suites of folders by their paths without `.test.ts`. */
function suitesOf(folders: readonly string[]): string[] {
  const found = folders.flatMap((folder) =>
    globSync(`${folder}${folder.endsWith('/') ? '' : '/**/'}*.test.ts`, { cwd: TESTS }),
  );
  return found.map((file) => file.slice(0, -'.test.ts'.length)).sort();
}
