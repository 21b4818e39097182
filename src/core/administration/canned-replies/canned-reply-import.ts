import type { Transaction } from '../../../storage/database.ts';
import type { Caller } from '../../kernel/caller.ts';
import { DomainError, invalid, invalidField, type Problem } from '../../kernel/errors.ts';
import { MAX_PROBLEMS, validate } from '../../kernel/validate.ts';
import {
  type CannedReplyContent,
  type CannedReplyOwner,
  cannedReplyContent,
  getReplyKey,
  MAX_REPLIES_PER_OWNER,
} from './canned-reply.ts';
import { createReply, requireRoom, saveReply } from './canned-reply-changes.ts';
import { loadRepliesOf } from './canned-reply-store.ts';

/** Rows that change nothing are not counted. */
export interface ImportCounts {
  readonly created: number;
  readonly updated: number;
}

/** Validates all rows together. The problems name the rows, from 1. */
export function parseImportRows(rows: readonly unknown[]): CannedReplyContent[] {
  if (rows.length > MAX_REPLIES_PER_OWNER) {
    throw invalidField('replies', `must have at most ${MAX_REPLIES_PER_OWNER} items`);
  }
  const problems: Problem[] = [];
  const firstRows = new Map<string, number>();
  const replies = rows.flatMap((row, index) => {
    try {
      const reply = validate(cannedReplyContent, row);
      const key = getReplyKey(reply);
      const first = firstRows.get(key);
      if (first !== undefined) {
        throw invalidField('shortcut', `must not be repeated: row ${first} has the same shortcut and language`);
      }
      firstRows.set(key, index + 1);
      return reply;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      for (const problem of error.details.problems ?? []) problems.push(toRowProblem(problem, index));
      return [];
    }
  });
  if (problems.length > 0) throw invalid(problems.slice(0, MAX_PROBLEMS));
  return replies;
}

function toRowProblem({ path, rule, ...problem }: Problem, index: number): Problem {
  return { ...problem, path: ['replies', index, ...path], rule: `${rule} (row ${index + 1})` };
}

/** Creates the replies, or updates those of the owner with the same shortcut and language. */
export async function importReplies(
  tx: Transaction,
  caller: Caller,
  owner: CannedReplyOwner,
  replies: readonly CannedReplyContent[],
): Promise<ImportCounts> {
  const existing = await loadRepliesOf(tx, caller, owner);
  const byKey = new Map(existing.map((reply) => [getReplyKey(reply), reply]));
  const created = replies.filter((reply) => !byKey.has(getReplyKey(reply)));
  await requireRoom(tx, caller, owner, { existing: existing.length, added: created.length });
  let updated = 0;
  for (const reply of replies) {
    const before = byKey.get(getReplyKey(reply));
    if (!before) await createReply(tx, caller, owner, reply);
    else if (saveReply(tx, caller, before, { ...before, ...reply })) updated += 1;
  }
  return { created: created.length, updated };
}
