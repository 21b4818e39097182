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

/** Builds a schema for text with a length limit. */
export function text(min: number, max: number) {
  const rule = `must be text of ${min} to ${max} characters, without NUL or half surrogate pairs`;
  return z
    .string({ error: rule })
    .min(min, { error: rule })
    .max(max, { error: rule })
    .refine(isStorable, { error: rule });
}
