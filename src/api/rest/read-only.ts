import { isDeepStrictEqual } from 'node:util';
import { invalid, invalidField, type Problem } from '../../core/kernel/errors.ts';
import { linkTo } from './resource.ts';

const RULE = 'is read-only: leave it out or repeat the present value';

export function refuseOtherLink(resource: string, id: number, link: string | undefined): void {
  if (link !== undefined && link !== linkTo(resource, id)) throw invalidField('_link', RULE);
}

/** What was read can be sent back: a read-only field is taken when it repeats the present value, and refused otherwise. */
export function refuseReadOnlyChanges(
  present: Readonly<Record<string, unknown>>,
  input: Readonly<Record<string, unknown>>,
): void {
  const problems = Object.entries(present)
    .filter(([name, value]) => input[name] !== undefined && !isDeepStrictEqual(input[name], value))
    .map(([name]): Problem => ({ path: [name], code: 'invalid', rule: RULE }));
  if (problems.length > 0) throw invalid(problems);
}
