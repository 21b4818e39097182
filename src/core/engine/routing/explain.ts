import type { Selectable } from 'kysely';
import type { Database, Transaction } from '../../../storage/database.ts';
import type { Tables } from '../../../storage/tables.ts';
import { routingSettings } from '../../access/account-settings.ts';
import { presenceAt } from '../../live/live.ts';
import type { LivePast } from '../../live/live-past.ts';
import { findLiveRow } from '../../live/live-store.ts';
import { PAUSE_MS } from '../records/pauses.ts';
import { candidateOf } from './candidates.ts';
import { type Obstacle, obstacles, type RankedCandidate } from './choose-operator.ts';
import type { Decision } from './decisions.ts';
import { type ExclusionCounts, exclusionCounts } from './exclusions.ts';
import { type Asked, needOf } from './needs.ts';
import { rankingFor } from './router.ts';

/** A decision as it was kept. */
export interface KeptDecision extends Decision {
  readonly id: number;
  readonly at: number;
  readonly asked: Asked;
  readonly actorType: string;
  readonly actorId: number | null;
}

/** What routing would do now. */
export interface Preview {
  readonly asked: Asked;
  readonly ranked: readonly RankedCandidate[];
  readonly excluded: ExclusionCounts;
}

/** A dry run is for no conversation in particular. */
const NO_CONVERSATION = 0;

/** Why routing decided as it did, and what it would decide now. Nothing here changes anything. */
export class RoutingExplained {
  readonly #database: Database;
  readonly #past: LivePast;

  constructor(database: Database, past: LivePast) {
    this.#database = database;
    this.#past = past;
  }

  /** The decisions about a conversation, in their order. */
  async decisionsAbout(
    accountId: number,
    conversationId: number,
    { after, limit }: { readonly after: number; readonly limit: number },
  ): Promise<KeptDecision[]> {
    const rows = await this.#database.read
      .selectFrom('routingDecisions')
      .selectAll()
      .where('accountId', '=', accountId)
      .where('conversationId', '=', conversationId)
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(fromRow);
  }

  /**
   * What kept a decision from somebody, recomputed from what was true of them then; nothing for the eligible. Undefined when
   * nothing is known of them so long ago. Which skills and groups are under others is taken as it is now.
   */
  async whyNot(decision: KeptDecision, operatorId: number): Promise<Obstacle[] | undefined> {
    const { asked } = decision;
    const { accountId, channel } = asked;
    const seen = await this.#past.before(accountId, operatorId, decision);
    if (!seen) return undefined;
    const presence = { connected: seen.connected === 1, inGrace: seen.inGrace === 1 };
    const refusedLately = await this.#hadRefused(decision, operatorId);
    const need = await this.#database.transaction((tx) => needOf(tx, asked));
    return obstacles(need, candidateOf(seen, channel, presence, { refusedLately }));
  }

  /** The dry run: who would be asked, in their order, and what keeps the others away. */
  preview(asked: Asked): Promise<Preview> {
    return this.#database.transaction(async (tx) => {
      const settings = await routingSettings(tx, asked.accountId);
      const nobody = { ...asked, id: NO_CONVERSATION, visitorId: null };
      const { ranked } = await rankingFor(tx, nobody, await needOf(tx, asked), settings);
      return { asked, ranked, excluded: await exclusionCounts(tx, asked) };
    });
  }

  /** What keeps a conversation from somebody now. */
  whyNotNow(asked: Asked, operatorId: number): Promise<Obstacle[] | undefined> {
    return this.#database.transaction(async (tx: Transaction) => {
      const [row] = await tx.run(findLiveRow, { accountId: asked.accountId, operatorId });
      return row && obstacles(await needOf(tx, asked), candidateOf(row, asked.channel, presenceAt(row, tx.now)));
    });
  }

  /** Pauses are not kept, but what they come from is: an offer declined or missed, or the conversation passed on to others. */
  async #hadRefused({ asked, at, conversationId, ...decision }: KeptDecision, operatorId: number): Promise<boolean> {
    // Whoever was chosen had not refused; what they did in the same millisecond came afterwards.
    if (decision.operatorId === operatorId && !decision.forced) return false;
    const events = await this.#database.read
      .selectFrom('events')
      .select('changes')
      .where('accountId', '=', asked.accountId)
      .where('subjectType', '=', 'conversation')
      .where('subjectId', '=', conversationId)
      .where('type', '=', 'conversation.queued')
      .where('at', '>', at - PAUSE_MS)
      .where('at', '<=', at)
      .execute();
    return events.some(({ changes }) => {
      const { previousOperatorId, reason } = JSON.parse(changes).values;
      return previousOperatorId === operatorId && REFUSALS.has(reason);
    });
  }
}

const REFUSALS: ReadonlySet<unknown> = new Set<Decision['cause']>(['declined', 'timed_out', 'transfer']);

function fromRow(row: Selectable<Tables['routingDecisions']>): KeptDecision {
  const { accountId, id, conversationId, at, operatorId, actorType, actorId } = row;
  return {
    ...{ id, conversationId, at, operatorId, actorType, actorId },
    cause: row.cause as Decision['cause'],
    forced: row.forced === 1,
    asked: { accountId, ...JSON.parse(row.need) } as Asked,
    ranked: JSON.parse(row.ranked) as RankedCandidate[],
    excluded: JSON.parse(row.excluded) as ExclusionCounts,
  };
}
