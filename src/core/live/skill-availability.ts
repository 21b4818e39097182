import { sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { VersionedCache } from '../kernel/caches.ts';
import { CHANNELS, type Channel } from '../kernel/channels.ts';
import { under } from '../kernel/tree.ts';
import { channelLive, type LiveState } from './capacity.ts';
import { liveState, presenceAt } from './live.ts';

/** Whether anybody is free on a channel. */
export interface ChannelAvailability {
  readonly isAvailable: boolean;
  readonly operatorsConnected: number;
  readonly operatorsRoutable: number;
  readonly freeSlots: number;
  readonly waiting: number;
}

export type SkillAvailability = Readonly<Record<Channel, ChannelAvailability>>;

export interface AvailabilityQuestion {
  /** Left out: whatever the conversation is about. */
  readonly skillId?: number | undefined;
  readonly websiteId?: number | undefined;
  readonly language?: string | undefined;
}

/** "Is anyone free for this skill now?", from the rows and the one definition of routable. */
export class SkillAvailabilities {
  readonly #database: Database;
  readonly #kept = new VersionedCache<Promise<Seen>>({ max: 100 });

  constructor(database: Database) {
    this.#database = database;
  }

  /** The answers to several questions with three statements, whatever their number. */
  async answer(accountId: number, questions: readonly AvailabilityQuestion[]): Promise<SkillAvailability[]> {
    const seen = await this.#look(accountId);
    return questions.map((question) => answerFrom(seen, question));
  }

  /** The answer as it was after an event, or later. However many ask after the same event, the rows are looked at once. */
  async answerSince(accountId: number, position: number, question: AvailabilityQuestion): Promise<SkillAvailability> {
    const known = this.#kept.getSince(accountId, position);
    return answerFrom(await (known ?? this.#kept.set(accountId, position, this.#look(accountId))), question);
  }

  async #look(accountId: number) {
    return {
      connected: await this.#connected(accountId),
      waiting: await this.#waiting(accountId),
      parents: await this.#parents(accountId),
    };
  }

  async #connected(accountId: number) {
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
      state: liveState(row, presenceAt(row, row.now)),
      skills: JSON.parse(row.skillList) as number[],
      websites: JSON.parse(row.websiteList) as number[],
      languages: JSON.parse(row.languageList) as string[],
    }));
  }

  #waiting(accountId: number) {
    return this.#database.read
      .selectFrom('conversations')
      .select(['channel', 'skillId', 'websiteId', 'language', sql<number>`count(*)`.as('count')])
      .where('accountId', '=', accountId)
      .where('state', '=', sql.lit('queued'))
      .groupBy(['channel', 'skillId', 'websiteId', 'language'])
      .execute();
  }

  async #parents(accountId: number): Promise<Map<number, number | null>> {
    const rows = await this.#database.read
      .selectFrom('skills')
      .select(['id', 'parentId'])
      .where('accountId', '=', accountId)
      .execute();
    return new Map(rows.map((row) => [row.id, row.parentId]));
  }
}

interface Person {
  readonly state: LiveState;
  readonly skills: readonly number[];
  readonly websites: readonly number[];
  readonly languages: readonly string[];
}

interface Line {
  readonly channel: Channel;
  readonly skillId: number | null;
  readonly websiteId: number;
  readonly language: string;
  readonly count: number;
}

/** All that answers are made from, at one moment. */
interface Seen {
  readonly connected: readonly Person[];
  readonly waiting: readonly Line[];
  readonly parents: ReadonlyMap<number, number | null>;
}

function answerFrom(
  { connected, waiting, parents }: Seen,
  { skillId, websiteId, language }: AvailabilityQuestion,
): SkillAvailability {
  // A skill also answers for the conversations of those above it.
  const skills = skillId === undefined ? undefined : under(skillId, parents);
  const people = connected.filter(
    (person) =>
      (skills === undefined || person.skills.some((skill) => skills.has(skill))) &&
      (websiteId === undefined || person.websites.includes(websiteId)) &&
      (language === undefined || person.languages.includes(language)),
  );
  const lines = waiting.filter(
    (line) =>
      (skillId === undefined || line.skillId === skillId) &&
      (websiteId === undefined || line.websiteId === websiteId) &&
      (language === undefined || line.language === language),
  );
  return summary(people, lines);
}

function summary(people: readonly Person[], lines: readonly Line[]): SkillAvailability {
  const [chat, call, video] = CHANNELS.map((channel): ChannelAvailability => {
    const routable = people.filter(({ state }) => channelLive(state, channel).routable);
    return {
      isAvailable: routable.length > 0,
      operatorsConnected: people.length,
      operatorsRoutable: routable.length,
      freeSlots: routable.reduce((sum, { state }) => sum + state[channel].maximum - state[channel].slots, 0),
      waiting: lines.filter((line) => line.channel === channel).reduce((sum, line) => sum + line.count, 0),
    };
  }) as [ChannelAvailability, ChannelAvailability, ChannelAvailability];
  return { chat, call, video };
}
