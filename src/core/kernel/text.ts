import { z } from 'zod';

/** Text in which letters that differ only by case are equal, in every alphabet: what folded columns and filters hold. */
export function fold(text: string): string {
  // Upper case joins what lower case alone keeps apart (ß and SS, ſ and s), but for ẞ, which must be lowered before.
  // The final sigma is a form, not a letter.
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

/** NUL ends a string inside some databases, and half a surrogate pair cannot be stored at all. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** A text field of so many characters. */
export function text(least: number, most: number) {
  const rule = `must be text of ${least} to ${most} characters, without NUL or half surrogate pairs`;
  return z
    .string({ error: rule })
    .min(least, { error: rule })
    .max(most, { error: rule })
    .refine(isStorable, { error: rule });
}
