import type { Selectable } from 'kysely';
import type { Database, Transaction } from '../../../storage/database.ts';
import type { Tables } from '../../../storage/tables.ts';
import { loadRoutingSettings } from '../../access/account-settings.ts';
import { computePresence } from '../../live/live.ts';
import type { LiveHistoryReader } from '../../live/live-history-reader.ts';
import { findLiveRow } from '../../live/live-store.ts';
import { OFFER_PAUSE_MS } from '../records/pauses.ts';
import { toCandidate } from './candidates.ts';
import { findObstacles, type Obstacle, type RankedCandidate } from './choose-operator.ts';
import type { RoutingDecision } from './decisions.ts';
import { countExclusions, type ExclusionCounts } from './exclusions.ts';
import { type RoutingNeed, resolveNeed } from './needs.ts';
import { rankOperators } from './router.ts';
import { loadRoutingLists } from './routing-lists.ts';

export interface StoredDecision extends RoutingDecision {
  readonly id: number;
  readonly at: number;
  readonly need: RoutingNeed;
  readonly actorType: string;
  readonly actorId: number | null;
}

/** What routing would decide now. */
export interface RoutingPreview {
  readonly need: RoutingNeed;
  readonly ranked: readonly RankedCandidate[];
  readonly excluded: ExclusionCounts;
}

/** A dry run has no conversation. */
const NO_CONVERSATION = 0;

/** Explains past routing decisions and previews new ones. Read-only. */
export class RoutingExplainer {
  readonly #database: Database;
  readonly #liveHistory: LiveHistoryReader;

  constructor(database: Database, liveHistory: LiveHistoryReader) {
    this.#database = database;
    this.#liveHistory = liveHistory;
  }

  /** Lists the decisions about a conversation, oldest first. */
  async listDecisions(
    accountId: number,
    conversationId: number,
    { after, limit }: { readonly after: number; readonly limit: number },
  ): Promise<StoredDecision[]> {
    const rows = await this.#database.read
      .selectFrom('routingDecisions')
      .selectAll()
      .where('accountId', '=', accountId)
      .where('conversationId', '=', conversationId)
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(toDecision);
  }

  /**
   * Returns why an operator was not eligible, recomputed from their live history; empty if they were eligible.
   * Undefined
   * if the history does not reach back that far. Uses the current trees of skills and groups.
   */
  async findPastObstacles(decision: StoredDecision, operatorId: number): Promise<Obstacle[] | undefined> {
    const { need } = decision;
    const { accountId, channel } = need;
    const row = await this.#liveHistory.findStateBefore(accountId, operatorId, decision);
    if (!row) return undefined;
    const presence = { connected: row.connected === 1, inGrace: row.inGrace === 1 };
    const isOfferPaused = await this.#wasOfferPaused(decision, operatorId);
    const resolved = await this.#database.transaction((tx) => resolveNeed(tx, need));
    return findObstacles(resolved, toCandidate(row, channel, presence, { isOfferPaused }));
  }

  /** The dry run: returns the ranked candidates, and why the other operators are excluded. */
  preview(need: RoutingNeed): Promise<RoutingPreview> {
    return this.#database.transaction(async (tx) => {
      const [settings, resolved, routingLists] = await Promise.all([
        loadRoutingSettings(tx, need.accountId),
        resolveNeed(tx, need),
        loadRoutingLists(tx, need.accountId),
      ]);
      const conversation = { ...need, id: NO_CONVERSATION, visitorId: null };
      const { ranked } = await rankOperators(tx, conversation, resolved, { ...settings, routingLists });
      return { need, ranked, excluded: await countExclusions(tx, need) };
    });
  }

  /** Returns why an operator is not eligible now; undefined for an unknown operator. */
  findCurrentObstacles(need: RoutingNeed, operatorId: number): Promise<Obstacle[] | undefined> {
    return this.#database.transaction(async (tx: Transaction) => {
      const [row] = await tx.run(findLiveRow, { accountId: need.accountId, operatorId });
      return (
        row && findObstacles(await resolveNeed(tx, need), toCandidate(row, need.channel, computePresence(row, tx.now)))
      );
    });
  }

  /**
   * Ended pauses are deleted, but the events that caused them are stored: an offer declined or missed, or a transfer.
   */
  async #wasOfferPaused(
    { need, at, conversationId, ...decision }: StoredDecision,
    operatorId: number,
  ): Promise<boolean> {
    // The chosen operator was not paused; a decline in the same millisecond came afterwards.
    if (decision.operatorId === operatorId && !decision.forced) return false;
    const events = await this.#database.read
      .selectFrom('events')
      .select('changes')
      .where('accountId', '=', need.accountId)
      .where('subjectType', '=', 'conversation')
      .where('subjectId', '=', conversationId)
      .where('type', '=', 'conversation.queued')
      .where('at', '>', at - OFFER_PAUSE_MS)
      .where('at', '<=', at)
      .execute();
    return events.some(({ changes }) => {
      const { previousOperatorId, reason } = JSON.parse(changes).values;
      return previousOperatorId === operatorId && PAUSING_CAUSES.has(reason);
    });
  }
}

const PAUSING_CAUSES: ReadonlySet<unknown> = new Set<RoutingDecision['cause']>(['declined', 'timed_out', 'transfer']);

function toDecision(row: Selectable<Tables['routingDecisions']>): StoredDecision {
  const { accountId, id, conversationId, at, operatorId, actorType, actorId } = row;
  return {
    ...{ id, conversationId, at, operatorId, actorType, actorId },
    cause: row.cause as RoutingDecision['cause'],
    forced: row.forced === 1,
    need: { accountId, ...JSON.parse(row.need) } as RoutingNeed,
    ranked: JSON.parse(row.ranked) as RankedCandidate[],
    excluded: JSON.parse(row.excluded) as ExclusionCounts,
  };
}
