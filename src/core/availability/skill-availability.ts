import { sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { under } from '../directory/tree.ts';
import { CHANNELS, type Channel } from '../operators/operator.ts';
import { channelLive, type LiveState } from './capacity.ts';
import { liveState } from './live.ts';

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
  readonly skillId: number;
  readonly websiteId?: number | undefined;
  readonly language?: string | undefined;
}

/** "Is anyone free for this skill now?", from the rows and the one definition of routable. */
export class SkillAvailabilities {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The answers to several questions with two statements, whatever their number. */
  async answer(accountId: number, questions: readonly AvailabilityQuestion[]): Promise<SkillAvailability[]> {
    const connected = await this.#connected(accountId);
    const waiting = await this.#waiting(accountId);
    const parents = await this.#parents(accountId);
    return questions.map(({ skillId, websiteId, language }) => {
      // A skill also answers for the conversations of those above it.
      const skills = under(skillId, parents);
      const people = connected.filter(
        (person) =>
          person.skills.some((skill) => skills.has(skill)) &&
          (websiteId === undefined || person.websites.includes(websiteId)) &&
          (language === undefined || person.languages.includes(language)),
      );
      const lines = waiting.filter(
        (line) =>
          line.skillId === skillId &&
          (websiteId === undefined || line.websiteId === websiteId) &&
          (language === undefined || line.language === language),
      );
      return summary(people, lines);
    });
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
      .where('live.leaseUntil', '>', (eb) => eb.fn<number>('now_ms', []))
      .execute();
    return rows.map((row) => ({
      state: liveState(row, true),
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
      .where('state', '=', 'queued')
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
}

function summary(people: readonly Person[], lines: readonly { channel: Channel; count: number }[]): SkillAvailability {
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
