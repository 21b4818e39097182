import { z } from 'zod';
import { messageText } from '../../engine/conversations/messages.ts';
import { languageCode } from '../../kernel/languages.ts';
import { fold } from '../../kernel/text.ts';

/** Who has a reply: one operator, a group with the groups under it, or the account. */
export type CannedReplyScope = 'own' | 'group' | 'account';

export interface CannedReplyOwner {
  readonly scope: CannedReplyScope;
  /** The operator or the group, by the scope; 0 for the account. */
  readonly id: number;
}

/** A prepared text that operators insert with its shortcut. */
export interface CannedReply {
  readonly id: number;
  readonly owner: CannedReplyOwner;
  readonly shortcut: string;
  readonly text: string;
  /** The language of the text (ISO 639-1). Null for every language. */
  readonly language: string | null;
  readonly updatedAt: number;
}

export type CannedReplyContent = Pick<CannedReply, 'shortcut' | 'text' | 'language'>;

/** What a page replaces when an operator inserts a reply; stored as it is. `docs/desk-api.md` explains each. */
export const CANNED_REPLY_VARIABLES = [
  '{{visitor.firstname}}',
  '{{visitor.name}}',
  '{{operator.pseudo}}',
  '{{website.label}}',
] as const;

export const MAX_REPLIES_PER_OWNER = 500;
/** Of all groups of an account together: an admin reads them at once. */
export const MAX_REPLIES_OF_GROUPS = 5000;

const SHORTCUT_RULE = 'must be 1 to 40 letters, digits, "-", "_" or "."';
/** Marks are parts of letters in many scripts. */
const SHORTCUT = /^[\p{L}\p{M}\p{Nd}._-]{1,40}$/u;

const VARIABLES_RULE = `must have no other variables than ${CANNED_REPLY_VARIABLES.join(', ')}`;
const VARIABLE = /\{\{[^{}]*\}\}/g;
const variables: ReadonlySet<string> = new Set(CANNED_REPLY_VARIABLES);

const contentFields = {
  shortcut: z
    .string({ error: SHORTCUT_RULE })
    .overwrite((text) => text.normalize('NFC'))
    .refine((text) => SHORTCUT.test(text), { error: SHORTCUT_RULE }),
  text: messageText
    .refine((text) => text.trim() !== '', { error: 'must not be only spaces' })
    .refine((text) => (text.match(VARIABLE) ?? []).every((name) => variables.has(name)), { error: VARIABLES_RULE }),
  language: languageCode.nullable(),
};

export const cannedReplyContent = z.strictObject({ ...contentFields, language: contentFields.language.default(null) });
export const cannedReplyUpdate = z.strictObject(contentFields).partial();
export type CannedReplyUpdate = z.output<typeof cannedReplyUpdate>;

/** Replies of one owner with the same key replace each other. */
export function getReplyKey({ shortcut, language }: Pick<CannedReply, 'shortcut' | 'language'>): string {
  return `${language ?? ''} ${fold(shortcut)}`;
}
