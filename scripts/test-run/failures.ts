import { resolve } from 'node:path';
import type { TestEvent } from './test-event.ts';

const MAX_SHOWN = 20;
const POSTGRES_SUITE = / on PostgreSQL$/;
/** How a browser test names the picture of its page. */
const PICTURE = /^picture: (.*)/;

export interface Failure {
  readonly name: string;
  readonly file: string;
  readonly isOnPostgres: boolean;
  readonly pictures: string[];
}

/** Collects the failed tests of a run, without the suites that fail because of them. */
export class FailureCollector {
  readonly failures: Failure[] = [];
  /** The names of the suites around the current test, by nesting. */
  #path: string[] = [];

  add({ type, data }: TestEvent, file: string): void {
    if (type === 'test:start') this.#path = [...this.#path.slice(0, data.nesting), data.name];
    if (type === 'test:fail' && data.details?.error?.failureType !== 'subtestsFailed') {
      const isOnPostgres = this.#path.some((name) => POSTGRES_SUITE.test(name));
      this.failures.push({ name: data.name, file, isOnPostgres, pictures: [] });
    }
    // The diagnostics of a test follow its failure.
    const picture = type === 'test:diagnostic' ? PICTURE.exec(data.message)?.[1] : undefined;
    if (picture !== undefined) this.failures.at(-1)?.pictures.push(picture);
  }
}

/** How to repeat each failed test alone, with the pictures of its pages. */
export function describeFailures(failures: readonly Failure[]): string[] {
  if (failures.length === 0) return [];
  const lines = failures.slice(0, MAX_SHOWN).flatMap((failure) => {
    return [`  ${toCommand(failure)}`, ...failure.pictures.map((picture) => `    picture: ${picture}`)];
  });
  const left = failures.length - MAX_SHOWN;
  return ['failed tests, each alone:', ...lines, ...(left > 0 ? [`  … and ${left} more`] : [])];
}

function toCommand({ name, file, isOnPostgres }: Failure): string {
  const command = `${isOnPostgres ? 'TEST_DATABASE=postgres ' : ''}npm test -- ${file}`;
  // A file that fails as a whole, for example because it cannot be loaded, has its path as its name.
  if (resolve(name) === resolve(file)) return command;
  const pattern = name.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll("'", '.');
  return `${command} --test-name-pattern='${pattern}'`;
}
