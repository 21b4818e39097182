import { isDeepStrictEqual } from 'node:util';
import { invalid, invalidField, type Problem } from '../../core/kernel/errors.ts';
import { buildLink } from './resource.ts';

const READ_ONLY_RULE = 'is read-only: leave it out or repeat the current value';

export function rejectOtherLink(resource: string, id: number, link: string | undefined): void {
  if (link !== undefined && link !== buildLink(resource, id)) throw invalidField('_link', READ_ONLY_RULE);
}

/** Accepts a read-only field that repeats the current value, so that clients can send back what they read. */
export function rejectReadOnlyChanges(
  current: Readonly<Record<string, unknown>>,
  input: Readonly<Record<string, unknown>>,
): void {
  const problems = Object.entries(current)
    .filter(([name, value]) => input[name] !== undefined && !isDeepStrictEqual(input[name], value))
    .map(([name]): Problem => ({ path: [name], code: 'invalid', rule: READ_ONLY_RULE }));
  if (problems.length > 0) throw invalid(problems);
}
