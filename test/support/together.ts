import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

export interface TogetherOptions {
  /** The database that the suites run on; without it each suite chooses, and those of the stores run on all. */
  readonly database?: 'sqlite' | 'postgres';
  /** Suites that are not run here, each with its reason. */
  readonly except?: Readonly<Record<string, string>>;
}

/** Runs the suites of a folder in this process, one after the other: loading the program once and not for each of them. */
export async function runTogether(folder: string, { database, except = {} }: TogetherOptions = {}): Promise<void> {
  const name = database === 'postgres' ? `${folder} on PostgreSQL` : folder;
  if (database === 'postgres' && !process.env.TEST_DATABASE_URL) {
    test(name, { skip: 'there is none: npm test brings it' });
    return;
  }
  if (database) process.env.TEST_DATABASE = database;
  await import('./databases.ts'); // ends at the end of all suites what a failed test has left open, and not of the first
  const path = join(import.meta.dirname, '..', folder);
  const files = readdirSync(path).filter((each) => each.endsWith('.test.ts'));
  const unknown = Object.keys(except).filter((each) => !files.includes(`${each}.test.ts`));
  if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')} in ${folder}.`);
  describe(name, { concurrency: 1 }, () => {
    for (const file of files) {
      const suite = file.slice(0, -'.test.ts'.length);
      if (suite in except) continue;
      describe(
        `${folder}/${suite}${database === 'postgres' ? ' on PostgreSQL' : ''}`,
        { concurrency: 1 },
        () => import(join(path, file)),
      );
    }
  });
}
