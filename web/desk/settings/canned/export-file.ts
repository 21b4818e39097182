import { createCsv } from './csv.ts';
import type { OwnedReply } from './reply.ts';

/** With the owner in columns that the import leaves out. */
export function exportReplies(replies: readonly OwnedReply[]): string {
  const rows = replies.map(({ shortcut, text, language, scope, group }) => [
    shortcut,
    text,
    language ?? '',
    scope,
    group?.name ?? '',
  ]);
  return createCsv([['shortcut', 'text', 'language', 'scope', 'group'], ...rows]);
}
