import { builder } from './builder.ts';

/** An enum whose values are words of the core, in capitals. */
export function wordsEnum<Word extends string>(name: string, description: string, texts: Record<Word, string>) {
  const values = Object.entries<string>(texts).map(
    ([word, text]) => [word.toUpperCase(), { value: word as Word, description: text }] as const,
  );
  return builder.enumType(name, { description, values: Object.fromEntries(values) });
}
