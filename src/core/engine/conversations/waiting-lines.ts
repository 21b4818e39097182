import { sql } from 'kysely';
import type { Database } from '../../../storage/database.ts';
import type { Channel } from '../../kernel/channels.ts';
import { collectSubtree } from '../../kernel/tree.ts';
import type { ResolvedNeed } from '../routing/choose-operator.ts';

/** A queued conversation by its place in the queue. */
interface Place {
  readonly id: number;
  readonly order: number;
}

/** The queued conversations with the same need. */
export interface WaitingLine {
  readonly need: ResolvedNeed;
  readonly groupId: number | null;
  readonly count: number;
  /** The first of them, in the order of the queue. */
  readonly first: readonly Place[];
}

interface LineRow extends Place {
  readonly channel: Channel;
  readonly websiteId: number;
  readonly skillId: number | null;
  readonly groupId: number | null;
  readonly language: string;
  readonly count: number;
}

/** Reads the whole queue of an account with one statement: the size of each line and its first conversations. */
export async function loadWaitingLines(
  database: Database,
  accountId: number,
  maxPerLine: number,
): Promise<WaitingLine[]> {
  const query = sql<LineRow>`select id, queue_order as "order", channel, website_id, skill_id, group_id, language, line_count as count
    from (select id, queue_order, channel, website_id, skill_id, group_id, language,
        count(*) over (partition by channel, website_id, skill_id, group_id, language) as line_count,
        row_number() over (partition by channel, website_id, skill_id, group_id, language order by queue_order, id) as place
      from conversations where account_id = ${accountId} and state = 'queued'
      and ${database.isWithinDeadline(sql.ref('id'))}) line
    where place <= ${maxPerLine}`;
  const rows = await database.readOffThread<LineRow>({ compile: () => query.compile(database.read) });
  const lines = [...Map.groupBy(rows, toLineKey).values()];
  const [skills, groups] = await Promise.all([
    loadParents(
      database,
      'skills',
      accountId,
      rows.some(({ skillId }) => skillId !== null),
    ),
    loadParents(
      database,
      'groups',
      accountId,
      rows.some(({ groupId }) => groupId !== null),
    ),
  ]);
  return lines.flatMap(([head, ...others]) => {
    if (!head) return [];
    const { channel, websiteId, skillId, groupId, language, count } = head;
    const need: ResolvedNeed = {
      ...{ channel, websiteId, language },
      skills: skillId === null ? null : collectSubtree(skillId, skills),
      groups: groupId === null ? null : collectSubtree(groupId, groups),
    };
    return [{ need, groupId, count, first: [head, ...others].map(({ id, order }) => ({ id, order })) }];
  });
}

function toLineKey({ channel, websiteId, skillId, groupId, language }: LineRow): string {
  return JSON.stringify([channel, websiteId, skillId, groupId, language]);
}

async function loadParents(
  { read }: Database,
  table: 'skills' | 'groups',
  accountId: number,
  isNeeded: boolean,
): Promise<ReadonlyMap<number, number | null>> {
  if (!isNeeded) return new Map();
  const rows = await read.selectFrom(table).select(['id', 'parentId']).where('accountId', '=', accountId).execute();
  return new Map(rows.map(({ id, parentId }) => [id, parentId]));
}
