import { describeLanguage } from '../../../shared/format/language-name.ts';
import { isLanguageCode } from './reply.ts';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
/** Old codes that mean the same as another one, and codes of groups. */
const LEFT_OUT = ['iw', 'in', 'ji', 'jw', 'mo', 'sh', 'tl', 'tw', 'bh'];

/** The languages with a code of two letters, by their names in the language of the page; `also` if it is not one. */
export function listLanguages(locale: string, also: string | null): Readonly<Record<string, string>> {
  const codes = [...LETTERS].flatMap((first) => [...LETTERS].map((second) => first + second));
  const known = codes.filter((code) => !LEFT_OUT.includes(code) && isLanguageCode(code));
  const all = also === null || known.includes(also) ? known : [...known, also];
  const entries = all.map((code) => [code, describeLanguage(code, locale)] as const);
  return Object.fromEntries(entries.sort(([, a], [, b]) => a.localeCompare(b, locale)));
}
