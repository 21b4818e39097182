import { ConfigError } from '../config.ts';
import { asDomainError } from '../core/kernel/errors.ts';
import { UnusableDatabase } from '../storage/errors.ts';
import type { Terminal } from './terminal.ts';

/** A mistake of the caller is one clear line; anything else is shown whole, as it is ours. */
export function reportFailure(error: unknown, { console }: Terminal): void {
  const known = asDomainError(error);
  if (known) {
    const problems = known.details.problems?.map(({ path, rule }) => `  ${path.join('.')} ${rule}`) ?? [];
    console.error([known.message, ...problems].join('\n'));
  } else if (inWords.some((kind) => error instanceof kind) || isSystemError(error)) {
    console.error((error as Error).message);
  } else {
    console.error(error);
  }
}

/** A command that cannot be carried out, with the reason for a person. */
export class CommandFailed extends Error {}

const inWords = [ConfigError, CommandFailed, UnusableDatabase];

function isSystemError(error: unknown): boolean {
  return typeof (error as { syscall?: unknown } | null)?.syscall === 'string';
}
