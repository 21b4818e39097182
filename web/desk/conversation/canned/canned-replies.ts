import { fold } from '../../../shared/format/fold.ts';
export interface CannedReply {
  readonly id: string;
  readonly scope: 'OWN' | 'GROUP' | 'ACCOUNT';
  readonly shortcut: string;
  readonly text: string;
  /** Null for every language. */
  readonly language: string | null;
}

/** What is typed after a slash, and where the slash stands. */
export interface CannedQuery {
  readonly start: number;
  readonly text: string;
}

/** The word before the caret, if it begins with a slash: not the one in `and/or` or in an address. */
export function findCannedQuery(text: string, caret: number): CannedQuery | undefined {
  const found = /(?:^|\s)\/([^\s/]*)$/u.exec(text.slice(0, caret));
  if (found === null) return undefined;
  const query = found[1] ?? '';
  return { start: caret - query.length - 1, text: query };
}

/** Whether the message is nothing but a shortcut. A path such as `/usr/bin` is none. */
export function isShortcutOnly(text: string): boolean {
  return /^\/[^\s/]+$/u.test(text.trim());
}

const SCOPES = ['OWN', 'GROUP', 'ACCOUNT'];

/**
 * The replies whose shortcut or text contains what was typed: first those in the language of the conversation, then
 * those for every language; among them first those whose shortcut begins with it.
 */
export function matchCannedReplies(
  replies: readonly CannedReply[],
  query: string,
  language: string,
): readonly CannedReply[] {
  const typed = fold(query);
  const ranked = replies.flatMap((reply) => {
    const shortcut = fold(reply.shortcut);
    const place = shortcut.startsWith(typed)
      ? 0
      : shortcut.includes(typed)
        ? 1
        : fold(reply.text).includes(typed)
          ? 2
          : 3;
    if (place === 3) return [];
    const languagePlace = reply.language === language ? 0 : reply.language === null ? 1 : 2;
    return [{ reply, rank: [languagePlace, place, SCOPES.indexOf(reply.scope)] }];
  });
  return ranked
    .sort((a, b) => compareRanks(a.rank, b.rank) || a.reply.shortcut.localeCompare(b.reply.shortcut))
    .map(({ reply }) => reply);
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  return a.map((value, index) => value - (b[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

/** By the names in the double braces. */
export interface CannedValues {
  readonly 'visitor.firstname': string;
  readonly 'visitor.name': string;
  readonly 'operator.pseudo': string;
  readonly 'website.label': string;
}

/** Fills the variables. One without a value disappears with the space before it: "Hello {{visitor.firstname}}," */
export function fillCannedReply(text: string, values: CannedValues): string {
  return text.replaceAll(/([ \u00a0]?)\{\{([^{}]*)\}\}/g, (found, space: string, name: string) => {
    if (!Object.hasOwn(values, name)) return found;
    const value = values[name as keyof CannedValues].trim();
    return value === '' ? '' : space + value;
  });
}
