import { ConfigError } from '../config.ts';
import { toDomainError } from '../core/kernel/errors.ts';
import { UnusableDatabase } from '../storage/errors.ts';
import type { Terminal } from './terminal.ts';

/** Prints the message of an expected error, with one line per problem. Internal errors are printed with their stack. */
export function reportFailure(error: unknown, { console }: Terminal): void {
  const domainError = toDomainError(error);
  if (domainError) {
    const problems = domainError.details.problems?.map(({ path, rule }) => `  ${path.join('.')} ${rule}`) ?? [];
    console.error([domainError.message, ...problems].join('\n'));
  } else if (EXPECTED_ERRORS.some((kind) => error instanceof kind) || isSystemError(error)) {
    console.error((error as Error).message);
  } else {
    console.error(error);
  }
}

/** A command that cannot run. Its message is shown without a stack. */
export class CommandFailed extends Error {}

const EXPECTED_ERRORS = [ConfigError, CommandFailed, UnusableDatabase];

function isSystemError(error: unknown): boolean {
  return typeof (error as { syscall?: unknown } | null)?.syscall === 'string';
}
