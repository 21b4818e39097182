/** The rules of the service, by the names that it gives them. */
export type PasswordProblem = 'too_short' | 'too_long' | 'too_common' | 'invalid_characters';

export const MIN_PASSWORD_LENGTH = 10;
const MAX_LENGTH = 200;

/** What can be known without the service, which also has a list of common passwords. */
export function findPasswordProblem(password: string, email: string): PasswordProblem | undefined {
  if (password.length < MIN_PASSWORD_LENGTH) return 'too_short';
  if (password.length > MAX_LENGTH) return 'too_long';
  if (password.includes('\0') || !password.isWellFormed()) return 'invalid_characters';
  if (/^(.)\1*$/u.test(password) || password.toLowerCase() === email.toLowerCase()) return 'too_common';
  return undefined;
}
