import { z } from 'zod';

/** Folds the case in every alphabet, for folded columns and filters. */
export function fold(text: string): string {
  // Upper case unifies letters that lower case alone keeps distinct (ß and SS, ſ and s), except ẞ: lower it first.
  // The final sigma is a form of sigma, not a separate letter.
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

/** Whether databases can store the text. NUL ends a string in some of them; half a surrogate pair cannot be stored. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Marks an issue of a schema: the value counts as missing. */
export const COUNTS_AS_MISSING = { isMissing: true };

/** Builds a schema for a name: text that is not only white space. */
export function requiredText(max: number) {
  const schema = text(1, max);
  const rule = `must be text of 1 to ${max} characters, not only spaces, without NUL or half surrogate pairs`;
  return schema.refine((value) => value === '' || value.trim() !== '', { error: rule, params: COUNTS_AS_MISSING });
}

/** Builds a schema for text with a length limit. */
export function text(min: number, max: number) {
  const rule = `must be text of ${min} to ${max} characters, without NUL or half surrogate pairs`;
  return z
    .string({ error: rule })
    .min(min, { error: rule })
    .max(max, { error: rule })
    .refine(isStorable, { error: rule });
}
