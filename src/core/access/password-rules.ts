import { z } from 'zod';
import { invalidField } from '../kernel/errors.ts';
import { fold, isStorable } from '../kernel/text.ts';

const MIN_LENGTH = 10;
const MAX_LENGTH = 200;

/** Every rule has a reason, with which pages show it in the reader's language. */
export const password = z
  .string({ error: `must be text of ${MIN_LENGTH} to ${MAX_LENGTH} characters` })
  .refine(({ length }) => length >= MIN_LENGTH, {
    error: `must have at least ${MIN_LENGTH} characters`,
    params: { reason: 'too_short' },
  })
  .refine(({ length }) => length <= MAX_LENGTH, {
    error: `must have at most ${MAX_LENGTH} characters`,
    params: { reason: 'too_long' },
  })
  .refine(isStorable, {
    error: 'must not contain NUL or half surrogate pairs',
    params: { reason: 'invalid_characters' },
  })
  .meta({
    description: 'Write-only; 10 to 200 characters, common passwords are not accepted.',
    writeOnly: true,
    minLength: MIN_LENGTH,
    maxLength: MAX_LENGTH,
  });

/** Rejects the most common passwords. */
export async function rejectCommonPassword(password: string, email: string): Promise<void> {
  commonPasswords ??= loadCommonPasswords();
  const folded = fold(password);
  if ((await commonPasswords).has(folded) || folded === fold(email) || /^(.)\1*$/u.test(folded)) {
    throw invalidField('password', 'must not be a common password or the e-mail address', { reason: 'too_common' });
  }
}

/** The list is large, so it is loaded only when a password is set. */
let commonPasswords: Promise<ReadonlySet<string>> | undefined;

async function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'] as readonly string[]);
}
