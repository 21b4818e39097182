/**
 * The first letters of the first and the last word: `LR` for Lea Roux and for lea.roux@example.com. Empty for a text
 * without letters and digits.
 */
export function createInitials(name: string): string {
  const words = (name.replace(/@[^@\s]*$/, '') || name)
    .split(/[\s@._-]+/)
    .flatMap((word) => word.match(/[\p{L}\p{N}]/u) ?? []);
  const [first = '', ...others] = words;
  return (first + (others.at(-1) ?? '')).toLocaleUpperCase();
}
