import type { ProductKind } from '../shop/products.ts';
import { de } from './lines/de.ts';
import { type Dictionary, QUESTIONS, type Question, type Topic } from './lines/dictionary.ts';
import { en } from './lines/en.ts';
import { es } from './lines/es.ts';
import { fr } from './lines/fr.ts';

export const DICTIONARIES = { en, de, es, fr } as const satisfies Record<string, Dictionary>;
export type PlayedLanguage = keyof typeof DICTIONARIES;

interface Matchers {
  readonly topics: Readonly<Record<Topic, RegExp>>;
  readonly products: Readonly<Record<ProductKind, RegExp>>;
  readonly common: RegExp;
  readonly no: RegExp;
}

const MATCHERS = mapValues(DICTIONARIES, ({ words, products, common, no }): Matchers => {
  const buildMatcher = (list: string) => new RegExp(`(?<!\\p{L})(?:${toAlternatives(list)})(?!\\p{L})`, 'giu');
  return {
    topics: mapValues(words, buildMatcher),
    products: mapValues(products, buildMatcher),
    common: buildMatcher(common),
    no: new RegExp(`^\\s*(?:${toAlternatives(no)})[\\s.!]*$`, 'giu'),
  };
});

export function isPlayedLanguage(language: string): language is PlayedLanguage {
  return Object.hasOwn(DICTIONARIES, language);
}

/** Returns the language in which most words of the text are known; `preferred` if there is no better one. */
export function detectLanguage(text: string, preferred: PlayedLanguage): PlayedLanguage {
  const count = (language: PlayedLanguage) => countKnownWords(normalize(text), MATCHERS[language]);
  return (Object.keys(DICTIONARIES) as PlayedLanguage[]).reduce(
    (best, language) => (count(language) > count(best) ? language : best),
    preferred,
  );
}

function countKnownWords(text: string, { topics, products, common, no }: Matchers): number {
  return [...Object.values(topics), ...Object.values(products), common, no]
    .map((matcher) => text.match(matcher)?.length ?? 0)
    .reduce((sum, matches) => sum + matches, 0);
}

export interface Understanding {
  /** In the order in which they are answered. */
  readonly questions: readonly Question[];
  readonly isGreeting: boolean;
  readonly isThanks: boolean;
  readonly isGoodbye: boolean;
}

export function understand(text: string, language: PlayedLanguage): Understanding {
  const normalized = normalize(text);
  const { topics, no } = MATCHERS[language];
  const has = (topic: Topic) => normalized.match(topics[topic]) !== null;
  return {
    questions: QUESTIONS.filter(has),
    isGreeting: has('greeting'),
    isThanks: has('thanks'),
    isGoodbye: has('goodbye') || normalized.match(no) !== null,
  };
}

/** Returns the kind of product that the text names last. */
export function findProductKind(text: string, language: PlayedLanguage): ProductKind | undefined {
  const normalized = normalize(text);
  const found = Object.entries(MATCHERS[language].products).map(([kind, matcher]) => ({
    kind: kind as ProductKind,
    index: [...normalized.matchAll(matcher)].at(-1)?.index ?? -1,
  }));
  return found.filter(({ index }) => index >= 0).sort((a, b) => b.index - a.index)[0]?.kind;
}

function normalize(text: string): string {
  return text.normalize('NFC').replaceAll('’', "'");
}

function toAlternatives(list: string): string {
  return normalize(list)
    .split(' ')
    .map((word) => RegExp.escape(word).replaceAll('\\*', '\\p{L}*').replaceAll('_', '\\s+'))
    .join('|');
}

function mapValues<Key extends string, From, To>(
  record: Readonly<Record<Key, From>>,
  convert: (value: From) => To,
): Record<Key, To> {
  return Object.fromEntries(Object.entries<From>(record).map(([key, value]) => [key, convert(value)])) as Record<
    Key,
    To
  >;
}
