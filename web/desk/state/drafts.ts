import { listStored, readStored, writeStored } from '../../shared/stored.ts';

/**
 * Texts that were typed and not sent, in this browser. Operators who share a computer do not see those of each other:
 * the desk says who works on the page, before it shows a conversation. A conversation has several drafts with keys such
 * as `12` and `12:note`.
 */
let prefix = 'draft::';

export function setDraftsOwner(owner: string): void {
  prefix = `draft:${owner}:`;
}

export function readDraft(key: string): string {
  return readStored(nameDraft(key)) ?? '';
}

/** An empty text removes the draft. */
export function writeDraft(key: string, text: string): void {
  writeStored(nameDraft(key), text === '' ? null : text);
}

/** Under which it is stored. */
export function nameDraft(key: string): string {
  return prefix + key;
}

/** Removes those of conversations that are closed and gone. */
export function removeDrafts(isGone: (conversationId: string) => boolean): void {
  for (const key of listStored(prefix)) {
    const [conversationId = ''] = key.slice(prefix.length).split(':');
    if (isGone(conversationId)) writeStored(key, null);
  }
}
