import { sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { VersionedCache } from '../kernel/caches.ts';
import { CHANNELS, type Channel } from '../kernel/channels.ts';
import { collectSubtree } from '../kernel/tree.ts';
import { computeChannelLive, type LiveState } from './capacity.ts';
import { computePresence, toLiveState } from './live.ts';

export interface ChannelAvailability {
  readonly isAvailable: boolean;
  readonly operatorsConnected: number;
  readonly operatorsRoutable: number;
  readonly freeSlots: number;
  readonly waiting: number;
}

export type SkillAvailability = Readonly<Record<Channel, ChannelAvailability>>;

export interface AvailabilityQuery {
  /** Omit for any skill. */
  readonly skillId?: number | undefined;
  readonly websiteId?: number | undefined;
  readonly language?: string | undefined;
}

/** Reads whether operators are available for a skill, website or language right now. */
export class SkillAvailabilities {
  readonly #database: Database;
  readonly #cache = new VersionedCache<Promise<AvailabilityData>>({ max: 100 });

  constructor(database: Database) {
    this.#database = database;
  }

  /** Answers any number of queries with three statements. */
  async read(accountId: number, queries: readonly AvailabilityQuery[]): Promise<SkillAvailability[]> {
    const data = await this.#loadData(accountId);
    return queries.map((query) => computeAvailability(data, query));
  }

  /** Returns the availability after an event or later. Reads the rows once for all queries after the same event. */
  async readSince(accountId: number, position: number, query: AvailabilityQuery): Promise<SkillAvailability> {
    const cached = this.#cache.getSince(accountId, position);
    return computeAvailability(
      await (cached ?? this.#cache.set(accountId, position, this.#loadData(accountId))),
      query,
    );
  }

  async #loadData(accountId: number) {
    return {
      connected: await this.#loadConnected(accountId),
      queued: await this.#loadQueued(accountId),
      parents: await this.#loadParents(accountId),
    };
  }

  async #loadConnected(accountId: number) {
    const rows = await this.#database.read
      .selectFrom('operatorLive as live')
      .innerJoin('operators', (join) =>
        join.onRef('operators.accountId', '=', 'live.accountId').onRef('operators.id', '=', 'live.operatorId'),
      )
      .selectAll('live')
      .select(['operators.skillList', 'operators.websiteList', 'operators.languageList'])
      .where('live.accountId', '=', accountId)
      .select((eb) => eb.fn<number>('now_ms', []).as('now'))
      .where('live.leaseUntil', '>', (eb) => eb.fn<number>('now_ms', []))
      .execute();
    return rows.map((row) => ({
      state: toLiveState(row, computePresence(row, row.now)),
      skills: JSON.parse(row.skillList) as number[],
      websites: JSON.parse(row.websiteList) as number[],
      languages: JSON.parse(row.languageList) as string[],
    }));
  }

  #loadQueued(accountId: number) {
    return this.#database.read
      .selectFrom('conversations')
      .select(['channel', 'skillId', 'websiteId', 'language', sql<number>`count(*)`.as('count')])
      .where('accountId', '=', accountId)
      .where('state', '=', sql.lit('queued'))
      .groupBy(['channel', 'skillId', 'websiteId', 'language'])
      .execute();
  }

  async #loadParents(accountId: number): Promise<Map<number, number | null>> {
    const rows = await this.#database.read
      .selectFrom('skills')
      .select(['id', 'parentId'])
      .where('accountId', '=', accountId)
      .execute();
    return new Map(rows.map((row) => [row.id, row.parentId]));
  }
}

interface ConnectedOperator {
  readonly state: LiveState;
  readonly skills: readonly number[];
  readonly websites: readonly number[];
  readonly languages: readonly string[];
}

interface QueueCount {
  readonly channel: Channel;
  readonly skillId: number | null;
  readonly websiteId: number;
  readonly language: string;
  readonly count: number;
}

interface AvailabilityData {
  readonly connected: readonly ConnectedOperator[];
  readonly queued: readonly QueueCount[];
  readonly parents: ReadonlyMap<number, number | null>;
}

function computeAvailability(
  { connected, queued, parents }: AvailabilityData,
  { skillId, websiteId, language }: AvailabilityQuery,
): SkillAvailability {
  // Operators with a more specific skill also handle conversations of its ancestors.
  const skills = skillId === undefined ? undefined : collectSubtree(skillId, parents);
  const operators = connected.filter(
    (operator) =>
      (skills === undefined || operator.skills.some((skill) => skills.has(skill))) &&
      (websiteId === undefined || operator.websites.includes(websiteId)) &&
      (language === undefined || operator.languages.includes(language)),
  );
  const queueCounts = queued.filter(
    (row) =>
      (skillId === undefined || row.skillId === skillId) &&
      (websiteId === undefined || row.websiteId === websiteId) &&
      (language === undefined || row.language === language),
  );
  return summarize(operators, queueCounts);
}

function summarize(operators: readonly ConnectedOperator[], queueCounts: readonly QueueCount[]): SkillAvailability {
  const [chat, call, video] = CHANNELS.map((channel): ChannelAvailability => {
    const routable = operators.filter(({ state }) => computeChannelLive(state, channel).routable);
    return {
      isAvailable: routable.length > 0,
      operatorsConnected: operators.length,
      operatorsRoutable: routable.length,
      freeSlots: routable.reduce((sum, { state }) => sum + state[channel].maximum - state[channel].slots, 0),
      waiting: queueCounts.filter((row) => row.channel === channel).reduce((sum, row) => sum + row.count, 0),
    };
  }) as [ChannelAvailability, ChannelAvailability, ChannelAvailability];
  return { chat, call, video };
}
