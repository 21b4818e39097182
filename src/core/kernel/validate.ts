import type { z } from 'zod';
import { invalid, type Problem } from './errors.ts';
import { COUNTS_AS_MISSING } from './text.ts';

/** Maximum number of problems in one response. */
export const MAX_PROBLEMS = 100;

/** Returns the parsed value, or throws all problems together in the order of the schema's fields. */
export function validate<Schema extends z.ZodObject>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalid(
    sortByField(
      schema,
      result.error.issues.slice(0, 10 * MAX_PROBLEMS).flatMap((issue) => toProblems(issue, value)),
    ),
  );
}

function toProblems(issue: z.core.$ZodIssue, value: unknown): Problem[] {
  const path = issue.path as (string | number)[];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, MAX_PROBLEMS)
      .map((key) => ({ path: [...path, key], code: 'unknown', rule: 'is not a known field' }));
  }
  const isMissing =
    issue.code === 'custom'
      ? issue.params === COUNTS_AS_MISSING
      : issue.code === 'invalid_type' && getValueAt(value, path) === undefined;
  const reason = issue.code === 'custom' ? (issue.params?.reason as string | undefined) : undefined;
  return [{ path, code: isMissing ? 'missing' : 'invalid', rule: issue.message, ...(reason && { reason }) }];
}

function getValueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown> | undefined)?.[key], value);
}

/** One problem per path, in the order of the schema's fields; unknown fields last. */
function sortByField(schema: z.ZodObject, problems: readonly Problem[]): Problem[] {
  const order = Object.keys(schema.shape);
  const rank = (problem: Problem) => {
    const index = order.indexOf(String(problem.path[0]));
    return index < 0 ? order.length : index;
  };
  const firstByPath = new Map<string, Problem>();
  for (const problem of problems) {
    const path = problem.path.join(' ');
    if (!firstByPath.has(path)) firstByPath.set(path, problem);
  }
  return [...firstByPath.values()].sort((a, b) => rank(a) - rank(b)).slice(0, MAX_PROBLEMS);
}
