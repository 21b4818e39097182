import type { Database } from '../../../storage/database.ts';
import { loadParents } from '../../directory/tree-store.ts';
import { type Caller, type Commit, requireWrite } from '../../kernel/caller.ts';
import { fold } from '../../kernel/text.ts';
import { listAncestors } from '../../kernel/tree.ts';
import type { CannedReply, CannedReplyContent, CannedReplyUpdate } from './canned-reply.ts';
import { createReply, removeReply, requireFreeShortcut, requireRoom, saveReply } from './canned-reply-changes.ts';
import { type ImportCounts, importReplies, parseImportRows } from './canned-reply-import.ts';
import { type OwnerInput, requireCanEditRepliesOf, requireOwner } from './canned-reply-owners.ts';
import { findReply, loadReplies, loadRepliesOf, type ReplySelection, requireReply } from './canned-reply-store.ts';

/** Prepared texts of operators, groups and the account. */
export class CannedReplies {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns all replies that the caller can use or change, by shortcut. */
  async list(caller: Caller): Promise<CannedReply[]> {
    const replies = await loadReplies(this.#database.read, caller.accountId, await this.#findSelection(caller));
    const inOrder = replies.map((reply) => ({ reply, key: `${fold(reply.shortcut)} ${reply.language ?? ''}` }));
    inOrder.sort((a, b) => (a.key === b.key ? a.reply.id - b.reply.id : a.key < b.key ? -1 : 1));
    return inOrder.map(({ reply }) => reply);
  }

  async create(
    commit: Commit<CannedReply>,
    caller: Caller,
    ownerInput: OwnerInput,
    content: CannedReplyContent,
  ): Promise<CannedReply> {
    return commit(async (tx) => {
      const owner = await requireOwner(tx, caller, ownerInput);
      const existing = await loadRepliesOf(tx, caller, owner);
      requireFreeShortcut(existing, content);
      await requireRoom(tx, caller, owner, { existing: existing.length, added: 1 });
      return createReply(tx, caller, owner, content);
    });
  }

  /** With `ownerInput` the reply moves to another owner, whose replies the caller must be able to change too. */
  async update(
    commit: Commit<CannedReply>,
    caller: Caller,
    id: number,
    { ownerInput, shortcut, text, language }: CannedReplyUpdate & { readonly ownerInput?: OwnerInput | undefined },
  ): Promise<CannedReply> {
    return commit(async (tx) => {
      const before = await requireReply(tx, caller, id);
      requireCanEditRepliesOf(caller, before.owner);
      const owner = ownerInput ? await requireOwner(tx, caller, ownerInput) : before.owner;
      const after = {
        ...before,
        owner,
        shortcut: shortcut ?? before.shortcut,
        text: text ?? before.text,
        language: language === undefined ? before.language : language,
      };
      const existing = await loadRepliesOf(tx, caller, owner);
      requireFreeShortcut(existing, after);
      const hasMoved = existing.every((reply) => reply.id !== id);
      await requireRoom(tx, caller, owner, { existing: existing.length, added: hasMoved ? 1 : 0 });
      return saveReply(tx, caller, before, after) ? { ...after, updatedAt: tx.now } : before;
    });
  }

  async delete(commit: Commit<CannedReply>, caller: Caller, id: number): Promise<CannedReply> {
    return commit(async (tx) => {
      const reply = await requireReply(tx, caller, id);
      requireCanEditRepliesOf(caller, reply.owner);
      await removeReply(tx, caller, reply);
      return reply;
    });
  }

  /** All rows or none. */
  async importReplies(
    commit: Commit<ImportCounts>,
    caller: Caller,
    ownerInput: OwnerInput,
    rows: readonly unknown[],
  ): Promise<ImportCounts> {
    const replies = parseImportRows(rows);
    return commit(async (tx) => importReplies(tx, caller, await requireOwner(tx, caller, ownerInput), replies));
  }

  /** Throws if the reply exists and the caller cannot change it. */
  async authorizeChange(caller: Caller, id: number | undefined): Promise<void> {
    requireWrite(caller);
    const reply = id === undefined ? undefined : await findReply(this.#database.read, caller.accountId, id);
    if (reply) requireCanEditRepliesOf(caller, reply.owner);
  }

  /** Experts have only their own replies. */
  async #findSelection({ accountId, accessLevel, operatorId, managedGroups }: Caller): Promise<ReplySelection> {
    if (accessLevel === 'expert') return { operatorId, groups: [], hasAccount: false };
    if (accessLevel === 'admin' || managedGroups === 'account') return { operatorId, groups: 'all', hasAccount: true };
    const groups = await this.#loadGroupsOf(accountId, operatorId);
    return { operatorId, groups: [...managedGroups, ...groups], hasAccount: true };
  }

  /** The group of an operator and the groups above it. */
  async #loadGroupsOf(accountId: number, operatorId: number | null): Promise<readonly number[]> {
    const { read } = this.#database;
    const operator = await read
      .selectFrom('operators')
      .select('groupId')
      .where('accountId', '=', accountId)
      .where('id', '=', operatorId)
      .executeTakeFirst();
    const groupId = operator?.groupId ?? null;
    return groupId === null ? [] : listAncestors(groupId, await loadParents(read, 'group', accountId));
  }
}
