import { sql } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import { CHANNELS, type Channel } from '../../kernel/channels.ts';
import { channelLive } from '../../live/capacity.ts';
import { type LiveRow, liveState, presenceAt } from '../../live/live.ts';
import { findLiveRow } from '../../live/live-store.ts';
import type { Conversation } from '../records/conversation.ts';
import { type ConversationRow, fetchConversations } from '../records/conversation-store.ts';
import { removeEndedPauses } from '../records/pauses.ts';
import type { Cause } from './decisions.ts';
import { couldServe, type Server, servedBy } from './needs.ts';
import { route } from './router.ts';

/** One transaction gives out so many at most; everybody who writes is waiting meanwhile. */
export const MAX_DRAINED = 100;

interface NextArguments {
  readonly accountId: number;
  readonly operatorId: number;
  readonly languageList: string;
  readonly one: Channel | '';
  readonly two: Channel | '';
  readonly three: Channel | '';
}

/** The conversation that has waited longest of those that an operator could serve on some channels. */
const findNext = prepare<NextArguments, ConversationRow>((db, given) => {
  const server: Server = given;
  return {
    compile: () =>
      sql<ConversationRow>`with recursive ${servedBy(server)} select c.* from conversations c
        where c.account_id = ${given.accountId} and c.state = 'queued' and c.channel in (${given.one}, ${given.two}, ${given.three})
        and ${couldServe(server)}
        and not exists (select 1 from offer_pauses p where p.account_id = c.account_id and p.conversation_id = c.id
          and p.operator_id = ${given.operatorId} and p.until > now_ms())
        order by c.queue_order, c.id limit 1`.compile(db),
  };
});

/**
 * Something about one operator changed for the better: what waits for somebody like them is given out, the longest waiting
 * first, until they are full. Nobody else became free, so nothing else needs a look. `present` is what the caller has just read.
 */
export async function drainFor(
  tx: Transaction,
  context: ActorContext,
  operatorId: number,
  cause: Cause,
  present?: LiveRow,
): Promise<void> {
  const { accountId } = context;
  for (let given = 0; given < MAX_DRAINED; given += 1) {
    const row = given === 0 && present ? present : (await tx.run(findLiveRow, { accountId, operatorId }))[0];
    if (!row) return;
    const state = liveState(row, presenceAt(row, tx.now));
    const open = CHANNELS.filter((channel) => channelLive(state, channel).routable);
    if (open.length === 0) return;
    const [one = '', two = '', three = ''] = open;
    const { languageList } = row;
    const [next] = await fetchConversations(tx, findNext, { accountId, operatorId, languageList, one, two, three });
    if (!next || !(await route(tx, context, next, cause))) return;
  }
}

/** Who declined may be asked again, first for what has waited longest. */
export async function endPausesOf(tx: Transaction, context: ActorContext, operatorId: number): Promise<void> {
  if (await removeEndedPauses(tx, context, operatorId)) await drainFor(tx, context, operatorId, 'pause_ended');
}

/** Conversations that ask for the same, 0 for no skill or group, and how far their line was looked at. */
interface Line {
  readonly channel: Channel;
  readonly websiteId: number;
  readonly skill: number;
  readonly team: number;
  readonly language: string;
  readonly order: number;
  readonly id: number;
}

const skill = sql<number>`coalesce(skill_id, 0)`;
const team = sql<number>`coalesce(group_id, 0)`;

const findLines = prepare<{ accountId: number }, Omit<Line, 'order' | 'id'>>((db, { accountId }) =>
  db
    .selectFrom('conversations')
    .select(['channel', 'websiteId', skill.as('skill'), team.as('team'), 'language'])
    .where('accountId', '=', accountId)
    .where('state', '=', sql.lit('queued'))
    .groupBy(['channel', 'websiteId', skill, team, 'language']),
);
const findHead = prepare<{ accountId: number } & Line, ConversationRow>((db, given) =>
  db
    .selectFrom('conversations')
    .selectAll()
    .where('accountId', '=', given.accountId)
    .where('state', '=', sql.lit('queued'))
    .where('channel', '=', given.channel)
    .where('websiteId', '=', given.websiteId)
    .where(skill, '=', given.skill)
    .where(team, '=', given.team)
    .where('language', '=', given.language)
    .where((eb) =>
      eb.or([
        eb('queueOrder', '>', given.order),
        eb.and([eb('queueOrder', '=', given.order), eb('id', '>', given.id)]),
      ]),
    )
    .orderBy('queueOrder')
    .orderBy('id')
    .limit(1),
);

/**
 * Who may do what changed for many at once, or nobody knows: all that waits is looked at, the longest waiting first, one of each
 * line: where its head finds nobody, those behind it need no look. Answers with how many were given out.
 */
export async function drainAccount(tx: Transaction, context: ActorContext, cause: Cause): Promise<number> {
  const { accountId } = context;
  const heads = new Map<Line, Conversation>();
  const moveOn = async (line: Line, after: Pick<Line, 'order' | 'id'>) => {
    heads.delete(line);
    const next = { ...line, ...after };
    const [head] = await fetchConversations(tx, findHead, { accountId, ...next });
    if (head) heads.set(next, head);
  };
  for (const line of await tx.run(findLines, { accountId })) {
    await moveOn({ ...line, order: 0, id: 0 }, { order: Number.MIN_SAFE_INTEGER, id: 0 });
  }
  for (let given = 0; ; ) {
    const [first] = [...heads].sort(([, a], [, b]) => a.queueOrder - b.queueOrder || a.id - b.id);
    if (!first || given >= MAX_DRAINED) return given;
    const [line, head] = first;
    const isGiven = (await route(tx, context, head, cause)) !== undefined;
    if (isGiven) given += 1;
    if (isGiven || (await hasPauses(tx, head))) await moveOn(line, { order: head.queueOrder, id: head.id });
    else heads.delete(line);
  }
}

const findPause = prepare<{ accountId: number; conversationId: number }, { operatorId: number }>(
  (db, { accountId, conversationId }) =>
    db
      .selectFrom('offerPauses')
      .select('operatorId')
      .where('accountId', '=', accountId)
      .where('conversationId', '=', conversationId)
      .limit(1),
);

/** Whether its search may have failed for reasons of its own: then others with the same need may find somebody. */
async function hasPauses(tx: Transaction, { accountId, id }: Conversation): Promise<boolean> {
  return (await tx.run(findPause, { accountId, conversationId: id })).length > 0;
}
