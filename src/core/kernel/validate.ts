import type { z } from 'zod';
import { invalid, type Problem } from './errors.ts';

/** So many problems are told at once. A caller can make a million, and the answer must not grow with them. */
export const MAX_PROBLEMS = 100;

/** The value as the schema says, or all problems at once in the order of the schema's fields. */
export function validate<Schema extends z.ZodObject>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalid(
    inFieldOrder(
      schema,
      result.error.issues.slice(0, 10 * MAX_PROBLEMS).flatMap((issue) => problemsOf(issue, value)),
    ),
  );
}

function problemsOf(issue: z.core.$ZodIssue, value: unknown): Problem[] {
  const path = issue.path as (string | number)[];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, MAX_PROBLEMS)
      .map((key) => ({ path: [...path, key], code: 'unknown', rule: 'is not a field here' }));
  }
  const missing = issue.code === 'invalid_type' && valueAt(value, path) === undefined;
  return [{ path, code: missing ? 'missing' : 'invalid', rule: issue.message }];
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown> | undefined)?.[key], value);
}

/** Fields in the order of the schema, one problem each, then the unknown ones. */
function inFieldOrder(schema: z.ZodObject, problems: readonly Problem[]): Problem[] {
  const order = Object.keys(schema.shape);
  const rank = (problem: Problem) => {
    const place = order.indexOf(String(problem.path[0]));
    return place < 0 ? order.length : place;
  };
  const first = new Map<string, Problem>();
  for (const problem of problems) {
    const name = problem.path.join(' ');
    if (!first.has(name)) first.set(name, problem);
  }
  return [...first.values()].sort((a, b) => rank(a) - rank(b)).slice(0, MAX_PROBLEMS);
}
