import type { Language } from './language.ts';

/** The names in braces of a text: `name` for `Hello {name}`. */
type Placeholder<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Placeholder<Rest> : never;

type Values<Text> = [Placeholder<Text>] extends [never]
  ? []
  : [values: Readonly<Record<Placeholder<Text>, string | number>>];

/** The texts of a view in another language: every key of the English ones, and no other. */
export type TextsLike<English> = Readonly<Record<keyof English, string>>;

/** The texts of a view. The English ones decide the keys, and with their braces the values that a text needs. */
export interface Dictionary<English extends Readonly<Record<string, string>>> {
  readonly en: English;
  readonly de: TextsLike<English>;
  readonly es: TextsLike<English>;
  readonly fr: TextsLike<English>;
}

/** Returns a text by its key, with its braces filled. */
export type Translate<English> = <Key extends keyof English>(key: Key, ...values: Values<English[Key]>) => string;

export function createTranslate<English extends Readonly<Record<string, string>>>(
  dictionary: Dictionary<English>,
  language: Language,
): Translate<English> {
  return (key, ...[values]) => fill(dictionary[language][key], values ?? {});
}

function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (part, name: string) => String(values[name] ?? part));
}
