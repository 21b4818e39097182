import type { Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import { type RoutingSettings, routingSettings } from '../../access/account-settings.ts';
import { announce } from '../../events/announce.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import { type LiveRow, presenceAt } from '../../live/live.ts';
import { claimSlot } from '../../live/live-store.ts';
import { type Conversation, eventSnapshot } from '../records/conversation.ts';
import { change } from '../records/conversation-store.ts';
import { handOver, takeOver } from '../records/handlings.ts';
import { rememberOperator } from '../records/visitor-store.ts';
import { bestCandidates, candidateOf } from './candidates.ts';
import { type Candidate, chooseOperator, type Need, type Ranking } from './choose-operator.ts';
import { type Cause, keepDecision } from './decisions.ts';
import { exclusionCounts } from './exclusions.ts';
import { needOf } from './needs.ts';

/**
 * Gives a waiting conversation to the best operator who is free, as an offer or at once; undefined when nobody is.
 * Every claim is one conditional update, so what was read before may be old: then the next one is tried.
 */
export async function route(
  tx: Transaction,
  context: ActorContext,
  conversation: Conversation,
  cause: Cause,
): Promise<Conversation | undefined> {
  const [settings, need] = await Promise.all([routingSettings(tx, conversation.accountId), needOf(tx, conversation)]);
  // Whoever waits is explained once, at the start: the queue is looked at again and again.
  const isExplained = cause === 'started';
  const [{ ranked }, counts] = await Promise.all([
    rankingFor(tx, conversation, need, settings),
    isExplained ? exclusionCounts(tx, conversation) : undefined,
  ]);
  if (ranked.length === 0 && !isExplained) return undefined;
  const excluded = counts ?? (await exclusionCounts(tx, conversation));
  const decided = { conversationId: conversation.id, cause, forced: false, ranked, excluded };
  for (const { operatorId } of ranked) {
    if (!(await claimSlot(tx, context, { operatorId, channel: conversation.channel }))) continue;
    const [given] = await Promise.all([
      give(tx, context, conversation, { operatorId, settings }),
      keepDecision(tx, context, conversation, { ...decided, operatorId }),
    ]);
    return given;
  }
  await keepDecision(tx, context, conversation, { ...decided, operatorId: null });
  return undefined;
}

/** The best of those who are eligible now, ranked. */
export async function rankingFor(
  tx: Transaction,
  conversation: Pick<Conversation, 'accountId' | 'id' | 'visitorId' | 'channel' | 'skillId' | 'groupId'>,
  need: Need,
  { lowestPriorityFirst }: Pick<RoutingSettings, 'lowestPriorityFirst'>,
): Promise<Ranking> {
  const { accountId, id, skillId, groupId } = conversation;
  const question = { accountId, conversationId: id, need, skillId, groupId, lowestPriorityFirst };
  const [candidates, familiar] = await Promise.all([bestCandidates(tx, question), whoServedLast(tx, conversation)]);
  const others = candidates.filter(({ operatorId }) => operatorId !== familiar?.operatorId);
  return chooseOperator(need, familiar ? [familiar, ...others] : others, { lowestPriorityFirst });
}

const findFamiliar = prepare<
  { accountId: number; visitorId: number; conversationId: number },
  LiveRow & { isPaused: number }
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
        .as('isPaused'),
    )
    .where('visitors.accountId', '=', accountId)
    .where('visitors.id', '=', visitorId)
    .$castTo<LiveRow & { isPaused: number }>(),
);

async function whoServedLast(
  tx: Transaction,
  { accountId, id, visitorId, channel }: Pick<Conversation, 'accountId' | 'id' | 'visitorId' | 'channel'>,
): Promise<Candidate | undefined> {
  if (visitorId === null) return undefined;
  const [row] = await tx.run(findFamiliar, { accountId, visitorId, conversationId: id });
  if (!row) return undefined;
  return candidateOf(row, channel, presenceAt(row, tx.now), { servedLast: true, refusedLately: row.isPaused > 0 });
}

/** Puts a conversation into the hands of an operator whose slot was taken for it. */
export async function give(
  tx: Transaction,
  context: ActorContext,
  conversation: Conversation,
  {
    operatorId,
    settings,
    atOnce = settings.autoAccept,
  }: { operatorId: number; settings: RoutingSettings; atOnce?: boolean },
): Promise<Conversation> {
  const moments = atOnce
    ? {
        acceptedAt: conversation.acceptedAt ?? tx.now,
        firstAnswerAt: conversation.firstAnswerAt ?? answeredBy(conversation, tx.now),
        offerUntil: null,
      }
    : { offerUntil: tx.now + settings.offerSeconds * 1000 };
  const state = atOnce ? 'active' : 'offered';
  const given = await change(tx, context, conversation, {
    state,
    operatorId,
    offeredAt: tx.now,
    ...moments,
    ...handOver(tx, context, conversation),
  });
  if (!given) throw new Error(`Conversation ${conversation.id} changed inside a transaction.`);
  if (atOnce) {
    rememberOperator(tx, context, given);
    takeOver(tx, context, given, answeredBy(given, tx.now));
  }
  announce(tx, context, atOnce ? 'conversation.started' : 'conversation.offered', given.id, {
    fields: ['state', 'operatorId'],
    values: { ...eventSnapshot(given), previousOperatorId: conversation.operatorId, offerUntil: given.offerUntil },
  });
  return given;
}

/** A call or a video is answered when it is accepted; a chat with the first words. */
export function answeredBy({ channel }: Pick<Conversation, 'channel'>, now: number): number | null {
  return channel === 'chat' ? null : now;
}
