import { z } from 'zod';
import { languageCode } from '../../kernel/languages.ts';
import { isStorable } from '../../kernel/text.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { WIDGET_TEXT_LIMITS, type WidgetTextKey, type WidgetTexts } from './widget-texts.ts';

/** The default texts by language. */
export const DEFAULT_TEXTS: Readonly<Record<string, WidgetTexts>> = { de, en, es, fr };

/** Texts that replace the defaults, by language and key. */
export type TextOverrides = Readonly<Record<string, Readonly<Partial<Record<WidgetTextKey, string>>>>>;

const MAX_LANGUAGES = 20;
const MAX_CHANGES = 1000;

export const WIDGET_TEXT_KEYS = Object.keys(WIDGET_TEXT_LIMITS) as WidgetTextKey[];

const PLACEHOLDERS = /\{\w*\}/g;

const KEY_RULE = `must be one of ${WIDGET_TEXT_KEYS.join(', ')}`;

const textChange = z
  .strictObject({
    language: languageCode,
    key: z.enum(WIDGET_TEXT_KEYS, { error: KEY_RULE }),
    text: z.string().nullish(),
  })
  .superRefine(({ key, text }, context) => {
    const problem = typeof text === 'string' ? findProblem(key, text) : undefined;
    if (problem) context.addIssue({ code: 'custom', path: ['text'], message: problem });
  });

/** Changes of single texts; null restores the default. */
export const textChanges = z.array(textChange).max(MAX_CHANGES, { error: `must be at most ${MAX_CHANGES} texts` });

function findProblem(key: WidgetTextKey, text: string): string | undefined {
  const max = WIDGET_TEXT_LIMITS[key];
  if (text.trim() === '' || text.length > max || !isStorable(text)) {
    return `must be text of 1 to ${max} characters, not only spaces, without NUL or half surrogate pairs`;
  }
  const known: readonly string[] = en[key].match(PLACEHOLDERS) ?? [];
  const unknown = (text.match(PLACEHOLDERS) ?? []).find((placeholder) => !known.includes(placeholder));
  if (!unknown) return undefined;
  return `must not contain ${unknown}: ${known.length > 0 ? `only ${known.join(', ')} is filled in` : 'nothing is filled in here'}`;
}

/** Whether the overrides are not of too many languages. */
export function isWithinLanguageLimit(overrides: TextOverrides): boolean {
  return Object.keys(overrides).length <= MAX_LANGUAGES;
}
export const LANGUAGE_LIMIT_RULE = `must be in at most ${MAX_LANGUAGES} languages`;

export function mergeTexts(overrides: TextOverrides, changes: z.output<typeof textChanges>): TextOverrides {
  const merged: Record<string, Partial<Record<WidgetTextKey, string>>> = structuredClone(overrides);
  for (const { language, key, text } of changes) {
    const { [key]: _earlier, ...others } = merged[language] ?? {};
    merged[language] = typeof text === 'string' ? { ...others, [key]: text } : others;
  }
  return Object.fromEntries(Object.entries(merged).filter(([, texts]) => Object.keys(texts).length > 0));
}

/** The languages in which there are texts, in alphabetical order. */
export function listLanguages(overrides: TextOverrides): string[] {
  return [...new Set([...Object.keys(DEFAULT_TEXTS), ...Object.keys(overrides)])].sort();
}

/** All texts in a language. Those of a language without defaults are in English unless they are set. */
export function resolveTexts(overrides: TextOverrides, language: string): WidgetTexts {
  return { ...(DEFAULT_TEXTS[language] ?? en), ...overrides[language] };
}
