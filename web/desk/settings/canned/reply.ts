import { fold } from '../../../shared/format/fold.ts';

export const SCOPES = ['OWN', 'GROUP', 'ACCOUNT'] as const;
export type Scope = (typeof SCOPES)[number];

/** What the page replaces when the reply is inserted. */
export const VARIABLES = ['visitor.firstname', 'visitor.name', 'operator.pseudo', 'website.label'] as const;

export const MAX_TEXT = 10_000;
export const MAX_SHORTCUT = 40;
export const MAX_REPLIES = 500;

export interface ReplyContent {
  readonly shortcut: string;
  readonly text: string;
  /** ISO 639-1. Null for every language. */
  readonly language: string | null;
}

export interface ReplyOwner {
  readonly scope: Scope;
  /** Null unless the scope is a group. */
  readonly groupId: string | null;
}

export interface OwnedReply extends ReplyContent {
  readonly id: string;
  readonly scope: Scope;
  readonly canEdit: boolean;
  readonly group: { readonly id: string; readonly name: string } | null;
}

export type ReplyProblem =
  | 'shortcutMissing'
  | 'shortcutInvalid'
  | 'textMissing'
  | 'textTooLong'
  | 'variableUnknown'
  | 'languageUnknown';

const SHORTCUT = /^[\p{L}\p{M}\p{Nd}_.-]+$/u;
const VARIABLE = /\{\{([^{}]*)\}\}/g;

/** What the service would reject, by field. The service has the last word. */
export function findReplyProblems({ shortcut, text, language }: ReplyContent): readonly ReplyProblem[] {
  const isKnown = (name: string) => VARIABLES.some((variable) => variable === name);
  return [
    shortcut === '' && 'shortcutMissing',
    shortcut !== '' && (!SHORTCUT.test(shortcut) || [...shortcut].length > MAX_SHORTCUT) && 'shortcutInvalid',
    text.trim() === '' && 'textMissing',
    text.length > MAX_TEXT && 'textTooLong',
    [...text.matchAll(VARIABLE)].some(([, name = '']) => !isKnown(name)) && 'variableUnknown',
    language !== null && !isLanguageCode(language) && 'languageUnknown',
  ].filter((problem) => problem !== false) as readonly ReplyProblem[];
}

/** Two letters that the browser knows as a language. */
export function isLanguageCode(code: string): boolean {
  return (
    /^[a-z]{2}$/.test(code) &&
    new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }).of(code) !== undefined
  );
}

/** Unique among the replies of one owner, with the case folded as the service does. */
export function createReplyKey({ shortcut, language }: ReplyContent): string {
  const folded = shortcut.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
  return `${language ?? ''} ${folded}`;
}

export function hasOwner({ scope, group }: OwnedReply, owner: ReplyOwner): boolean {
  return scope === owner.scope && (group?.id ?? null) === owner.groupId;
}

/** Those whose shortcut, text or group contains what was typed. */
export function filterReplies(replies: readonly OwnedReply[], typed: string): readonly OwnedReply[] {
  const text = fold(typed.trim().replace(/^\//, ''));
  return replies.filter(({ shortcut, text: content, group }) =>
    [shortcut, content, group?.name ?? ''].some((part) => fold(part).includes(text)),
  );
}
