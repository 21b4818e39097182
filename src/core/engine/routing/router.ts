import type { Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import { loadRoutingSettings, type RoutingSettings } from '../../access/account-settings.ts';
import { announce } from '../../events/announce.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import { computePresence, type LiveRow } from '../../live/live.ts';
import { takeSlot } from '../../live/live-store.ts';
import { type Conversation, toEventSnapshot } from '../records/conversation.ts';
import { type ConversationChanges, changeConversation } from '../records/conversation-store.ts';
import { recordIncomingHandling, recordOutgoingHandling } from '../records/handlings.ts';
import { loadJoinedNotice, storeMessage } from '../records/message-store.ts';
import { rememberLastOperator } from '../records/visitor-store.ts';
import { type CandidateSearch, findBestCandidates, toCandidate } from './candidates.ts';
import { type Candidate, chooseOperator, type Ranking, type ResolvedNeed } from './choose-operator.ts';
import { type RoutingCause, storeDecision } from './decisions.ts';
import { countExclusions, countOperators } from './exclusions.ts';
import { resolveNeed } from './needs.ts';
import { keepLists, loadRoutingLists } from './routing-lists.ts';

/** Stores the changes of a conversation; a new one is stored with them. Returns it. */
type StoreChanges = (changes: ConversationChanges) => Conversation;

/**
 * Assigns a queued conversation to the best eligible operator, as an offer or with auto-accept; undefined when there is
 * none. Candidates are read under the account's lock, so that the slot of the best one is still free.
 */
export async function route(
  tx: Transaction,
  context: ActorContext,
  conversation: Conversation,
  cause: RoutingCause,
  store?: StoreChanges,
): Promise<Conversation | undefined> {
  const [settings, need, routingLists] = await Promise.all([
    loadRoutingSettings(tx, conversation.accountId),
    resolveNeed(tx, conversation),
    loadRoutingLists(tx, conversation.accountId),
  ]);
  // A failed search is stored only once, at the start: the queue is retried often.
  const isFirstAttempt = cause === 'started';
  const [{ ranked }, counts] = await Promise.all([
    rankOperators(tx, conversation, need, { ...settings, routingLists }),
    isFirstAttempt ? countOperators(tx, conversation) : undefined,
  ]);
  if (ranked.length === 0 && !isFirstAttempt) return undefined;
  const excluded = counts?.excluded ?? (await countExclusions(tx, conversation));
  const decision = { conversationId: conversation.id, cause, forced: false, ranked, excluded };
  const operatorId = ranked[0]?.operatorId ?? null;
  // Not for a start that may be refused: its list would be filled and undone each time.
  if (counts && operatorId !== null) keepLists(tx, context, { need, kept: routingLists, ...counts });
  // In this order: the live history tells which decisions were made before each state.
  if (operatorId !== null) takeSlot(tx, context, { operatorId, channel: conversation.channel });
  const assigned =
    operatorId === null
      ? undefined
      : await assignConversation(tx, context, conversation, { operatorId, settings, store });
  storeDecision(tx, context, conversation, { ...decision, operatorId });
  return assigned;
}

/** Ranks the best operators who are eligible now. */
export async function rankOperators(
  tx: Transaction,
  conversation: Pick<Conversation, 'accountId' | 'id' | 'visitorId' | 'channel' | 'skillId' | 'groupId'>,
  need: ResolvedNeed,
  {
    lowestPriorityFirst,
    routingLists,
  }: Pick<RoutingSettings, 'lowestPriorityFirst'> & Pick<CandidateSearch, 'routingLists'>,
): Promise<Ranking> {
  const { accountId, id, skillId, groupId } = conversation;
  const search = { accountId, conversationId: id, need, skillId, groupId, lowestPriorityFirst, routingLists };
  const [candidates, lastOperator] = await Promise.all([
    findBestCandidates(tx, search),
    loadLastOperator(tx, conversation),
  ]);
  const others = candidates.filter(({ operatorId }) => operatorId !== lastOperator?.operatorId);
  return chooseOperator(need, lastOperator ? [lastOperator, ...others] : others, { lowestPriorityFirst });
}

const findLastOperator = prepare<
  { accountId: number; visitorId: number; conversationId: number },
  LiveRow & { pauseCount: number }
>((db, { accountId, visitorId, conversationId }) =>
  db
    .selectFrom('visitors')
    .innerJoin('operatorLive as live', (join) =>
      join.onRef('live.accountId', '=', 'visitors.accountId').onRef('live.operatorId', '=', 'visitors.lastOperatorId'),
    )
    .selectAll('live')
    .select((eb) =>
      eb
        .selectFrom('offerPauses')
        .select((pauses) => pauses.fn.countAll<number>().as('count'))
        .whereRef('offerPauses.accountId', '=', 'live.accountId')
        .where('offerPauses.conversationId', '=', conversationId)
        .whereRef('offerPauses.operatorId', '=', 'live.operatorId')
        .where('offerPauses.until', '>', (now) => now.fn<number>('now_ms', []))
        .as('pauseCount'),
    )
    .where('visitors.accountId', '=', accountId)
    .where('visitors.id', '=', visitorId)
    .$castTo<LiveRow & { pauseCount: number }>(),
);

async function loadLastOperator(
  tx: Transaction,
  { accountId, id, visitorId, channel }: Pick<Conversation, 'accountId' | 'id' | 'visitorId' | 'channel'>,
): Promise<Candidate | undefined> {
  if (visitorId === null) return undefined;
  const [row] = await tx.run(findLastOperator, { accountId, visitorId, conversationId: id });
  if (!row) return undefined;
  return toCandidate(row, channel, computePresence(row, tx.now), {
    servedLast: true,
    isOfferPaused: row.pauseCount > 0,
  });
}

/** Assigns a conversation to an operator whose slot was claimed for it. */
export async function assignConversation(
  tx: Transaction,
  context: ActorContext,
  conversation: Conversation,
  {
    operatorId,
    settings,
    autoAccept = settings.autoAccept,
    store = (changes) => changeConversation(tx, context, conversation, changes),
  }: { operatorId: number; settings: RoutingSettings; autoAccept?: boolean; store?: StoreChanges | undefined },
): Promise<Conversation> {
  const changes = autoAccept
    ? {
        acceptedAt: conversation.acceptedAt ?? tx.now,
        firstAnswerAt: conversation.firstAnswerAt ?? getInitialAnswerTime(conversation, tx.now),
        offerUntil: null,
        messageCount: conversation.messageCount + 1,
      }
    : { offerUntil: tx.now + settings.offerSeconds * 1000 };
  const state = autoAccept ? 'active' : 'offered';
  const notice = autoAccept ? await loadJoinedNotice(tx, conversation, operatorId) : undefined;
  const assigned = store({
    state,
    operatorId,
    offeredAt: tx.now,
    ...changes,
    ...recordOutgoingHandling(tx, context, conversation),
  });
  if (autoAccept) {
    rememberLastOperator(tx, context, assigned);
    recordIncomingHandling(tx, context, assigned, getInitialAnswerTime(assigned, tx.now));
  }
  announce(tx, context, autoAccept ? 'conversation.started' : 'conversation.offered', assigned.id, {
    fields: ['state', 'operatorId'],
    values: {
      ...toEventSnapshot(assigned),
      previousOperatorId: conversation.operatorId,
      offerUntil: assigned.offerUntil,
    },
  });
  if (notice) storeMessage(tx, context, assigned, { ...notice, sequence: assigned.messageCount });
  return assigned;
}

/** A call or video counts as answered when it is accepted, a chat only with the operator's first message. */
export function getInitialAnswerTime({ channel }: Pick<Conversation, 'channel'>, now: number): number | null {
  return channel === 'chat' ? null : now;
}
