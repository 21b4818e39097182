/** The first letters of the first and the last word: `LR` for Lea Roux. Empty for a text without letters and digits. */
export function createInitials(name: string): string {
  const words = name.split(/[\s@._-]+/).flatMap((word) => word.match(/[\p{L}\p{N}]/u) ?? []);
  const [first = '', ...others] = words;
  return (first + (others.at(-1) ?? '')).toLocaleUpperCase();
}
