import { ConfigError } from '../config.ts';
import { toDomainError } from '../core/kernel/errors.ts';
import { UnusableDatabase } from '../storage/errors.ts';
import type { Terminal } from './terminal.ts';

/** Expected errors are printed as one line; internal errors with their stack. */
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

/** The message is shown to the user without a stack. */
export class CommandFailed extends Error {}

const EXPECTED_ERRORS = [ConfigError, CommandFailed, UnusableDatabase];

function isSystemError(error: unknown): boolean {
  return typeof (error as { syscall?: unknown } | null)?.syscall === 'string';
}
