import { globSync, statSync } from 'node:fs';

/** Files here start and kill processes, so each has a separate process. Other folders share one each: test/together. */
const SEPARATE_PROCESS_FOLDERS = ['fault', 'nodes', 'differential', 'simulate', 'deploy', 'scripts'];
const TOGETHER = 'test/together/*.test.ts';
/** The files of a run of all tests, in the order in which they start: first those that keep the processor busy longest. */
export function listAllFiles(cwd = process.cwd()): string[] {
  const patterns = SEPARATE_PROCESS_FOLDERS.map((folder) => `test/${folder}/*.test.ts`);
  return [...globSync(TOGETHER, { cwd }).sort(), ...globSync(patterns, { cwd }).sort()];
}

export class NoSuchFiles extends Error {}

/** The test files that a word names: a path, a pattern, or a part of the path. */
export function findFiles(words: readonly string[]): string[] {
  const all = globSync('test/**/*.test.ts', { exclude: ['**/node_modules'] }).sort();
  const found = words.flatMap((word) => {
    const exact = globSync(word).filter((path) => statSync(path).isFile());
    const files = exact.length > 0 ? exact.sort() : all.filter((file) => file.includes(word));
    if (files.length === 0) throw new NoSuchFiles(`No test file matches ${word}.`);
    return files;
  });
  return [...new Set(found)];
}

export function needsBrowser(file: string): boolean {
  return /^test\/(browser\/|together\/browser)/.test(file);
}
