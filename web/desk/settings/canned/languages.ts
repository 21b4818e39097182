import { describeLanguage } from '../../../shared/format/language-name.ts';
import { isLanguageCode } from './reply.ts';

export interface LanguageList {
  /** The names by their codes. */
  readonly options: Readonly<Record<string, string>>;
  /** How many of them come first. */
  readonly usualCount: number;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
/** Old codes that mean the same as another one, and codes of groups. */
const LEFT_OUT = ['iw', 'in', 'ji', 'jw', 'mo', 'sh', 'tl', 'tw', 'bh'];

/**
 * The languages with a code of two letters, by their names in the language of the page: first those that are `usual`
 * here, then all others. Codes keep their place also if they are no known language.
 */
export function listLanguages(locale: string, usual: readonly string[]): LanguageList {
  const codes = [...LETTERS].flatMap((first) => [...LETTERS].map((second) => first + second));
  const known = codes.filter((code) => !LEFT_OUT.includes(code) && isLanguageCode(code));
  const first = [...new Set(usual)];
  return {
    options: {
      ...nameAll(first, locale),
      ...nameAll(
        known.filter((code) => !first.includes(code)),
        locale,
      ),
    },
    usualCount: first.length,
  };
}

function nameAll(codes: readonly string[], locale: string): Readonly<Record<string, string>> {
  const entries = codes.map((code) => [code, describeLanguage(code, locale)] as const);
  return Object.fromEntries(entries.toSorted(([, a], [, b]) => a.localeCompare(b, locale)));
}

/** Those that the operator speaks, and those of the replies that there are. */
export function findUsualLanguages(
  spoken: readonly string[],
  replies: readonly { readonly language: string | null }[],
): readonly string[] {
  return [...new Set([...spoken, ...replies.flatMap(({ language }) => language ?? [])])];
}
