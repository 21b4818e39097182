import type { Database } from '../../../storage/database.ts';
import { loadDeskSettings } from '../../access/desk-settings.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Conversation } from '../records/conversation.ts';
import { toConversation } from '../records/conversation-store.ts';
import { toCandidate } from '../routing/candidates.ts';
import { type Candidate, isServableBy } from '../routing/choose-operator.ts';
import { findInvolvement } from './conversation-access.ts';
import { sharesWork } from './read-access.ts';
import { loadWaitingLines, type WaitingLine } from './waiting-lines.ts';

/** More conversations are counted, but not listed. */
export const MAX_LISTED = 100;

/** The queued conversations that a viewer sees, in the order of the queue. */
export interface QueueView {
  readonly totalCount: number;
  readonly conversations: readonly Conversation[];
  /** Equal for equal views. */
  readonly key: string;
}

/**
 * Computes what each viewer of an account sees of its queue. However many viewers there are, it takes the same few
 * statements: the settings, the queue, the viewers' own rows, and the conversations that are listed for any of them.
 */
export async function loadQueueViews<Viewer extends { readonly caller: Caller }>(
  database: Database,
  accountId: number,
  viewers: readonly Viewer[],
): Promise<ReadonlyMap<Viewer, QueueView>> {
  const { operatorsMayTake } = await loadDeskSettings(database, accountId);
  const takers = viewers.map(({ caller }) => caller).filter((caller) => operatorsMayTake && sharesWork(caller));
  const canSeeAny = takers.length > 0 || viewers.some(({ caller }) => managesSome(caller));
  const lines = canSeeAny ? await loadWaitingLines(database, accountId, MAX_LISTED) : [];
  const candidates = await loadCandidates(database, accountId, takers);
  const seen = new Map<Viewer, readonly WaitingLine[]>();
  for (const viewer of viewers) seen.set(viewer, await findVisibleLines(viewer.caller, lines, candidates));
  const lists = new Map([...seen.values()].map((visible) => [toKey(lines, visible), listFirst(visible)]));
  const rows = await loadConversations(database, accountId, new Set([...lists.values()].flat()));
  const views = new Map<string, QueueView>();
  return new Map(
    [...seen].map(([viewer, visible]) => {
      const key = toKey(lines, visible);
      const listed = (lists.get(key) ?? []).flatMap((id) => rows.get(id) ?? []);
      const view = views.get(key) ?? toView(visible, listed);
      views.set(key, view);
      return [viewer, view];
    }),
  );
}

function managesSome({ accessLevel }: Caller): boolean {
  return accessLevel === 'admin' || accessLevel === 'manager';
}

async function findVisibleLines(
  caller: Caller,
  lines: readonly WaitingLine[],
  candidates: ReadonlyMap<number, Candidate>,
): Promise<WaitingLine[]> {
  const candidate = caller.operatorId === null ? undefined : candidates.get(caller.operatorId);
  const visible: WaitingLine[] = [];
  for (const line of lines) {
    const isManaged = (await findInvolvement(caller, { operatorId: null, groupId: line.groupId }, noGroup)) !== 'none';
    if (isManaged || (candidate && isServableBy(line.need, candidate))) visible.push(line);
  }
  return visible;
}

/** A queued conversation has no operator, so no operator's group is looked up. */
const noGroup = async () => null;

/** Viewers who see the same lines share one view. */
function toKey(lines: readonly WaitingLine[], visible: readonly WaitingLine[]): string {
  return visible.map((line) => lines.indexOf(line)).join();
}

function listFirst(visible: readonly WaitingLine[]): number[] {
  const places = visible.flatMap(({ first }) => first).sort((a, b) => a.order - b.order || a.id - b.id);
  return places.slice(0, MAX_LISTED).map(({ id }) => id);
}

interface ListedConversation {
  readonly conversation: Conversation;
  /** Not a part of the conversation, but of what a viewer reads of it. */
  readonly visitorLeftAt: number | null;
}

function toView(visible: readonly WaitingLine[], listed: readonly ListedConversation[]): QueueView {
  const totalCount = visible.reduce((sum, { count }) => sum + count, 0);
  const conversations = listed.map(({ conversation }) => conversation);
  return { totalCount, conversations, key: JSON.stringify([totalCount, listed]) };
}

/** Conversations that were assigned since the queue was read are omitted; the next view no longer counts them. */
async function loadConversations(
  { read }: Database,
  accountId: number,
  ids: ReadonlySet<number>,
): Promise<ReadonlyMap<number, ListedConversation>> {
  if (ids.size === 0) return new Map();
  const rows = await read
    .selectFrom('conversations')
    .leftJoin('visitorPresence as presence', (join) =>
      join
        .onRef('presence.accountId', '=', 'conversations.accountId')
        .onRef('presence.visitorId', '=', 'conversations.visitorId'),
    )
    .selectAll('conversations')
    .select('presence.leftAt')
    .where('conversations.accountId', '=', accountId)
    .where('conversations.id', 'in', [...ids])
    .where('conversations.state', '=', 'queued')
    .execute();
  return new Map(
    rows.map(({ leftAt, ...row }) => [row.id, { conversation: toConversation(row), visitorLeftAt: leftAt }]),
  );
}

async function loadCandidates(
  { read }: Database,
  accountId: number,
  callers: readonly Caller[],
): Promise<ReadonlyMap<number, Candidate>> {
  const ids = [...new Set(callers.flatMap(({ operatorId }) => operatorId ?? []))];
  if (ids.length === 0) return new Map();
  const rows = await read
    .selectFrom('operatorLive')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('operatorId', 'in', ids)
    .execute();
  // Presence and priority do not decide who could serve.
  const presence = { connected: false, inGrace: false };
  return new Map(rows.map((row) => [row.operatorId, toCandidate(row, 'chat', presence)]));
}
