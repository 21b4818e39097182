import { sql } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import { VersionedCache } from '../../kernel/caches.ts';
import type { Channel } from '../../kernel/channels.ts';
import type { Obstacle } from './choose-operator.ts';
import { type Asked, subtree } from './needs.ts';

/** How many operators each obstacle kept away; whoever met several is counted for each. */
export type ExclusionCounts = Partial<Record<Obstacle, number>>;

/** Up to so many connected operators are counted anew for every decision. */
const FEW = 200;
/** In larger accounts a count serves the decisions of the same second: an explanation must not cost more than the decision. */
const KEPT_MS = 1000;

/** By database: a process may have several open. */
const kept = new WeakMap<Transaction['database'], VersionedCache<ExclusionCounts>>();

function keptBy({ database }: Transaction): VersionedCache<ExclusionCounts> {
  const own = kept.get(database) ?? new VersionedCache<ExclusionCounts>({ max: 1000 });
  kept.set(database, own);
  return own;
}

interface Arguments {
  readonly accountId: number;
  readonly websiteId: number;
  readonly skillId: number;
  readonly groupId: number;
  readonly language: string;
}

type Row = Readonly<Record<string, number>>;

type Condition = readonly [Obstacle, string];

const BUSY: Record<Channel, readonly Condition[]> = {
  chat: [
    ['SLOTS_FULL', 'chat_slots >= chat_max_number'],
    ['ON_CALL', 'call_slots > 0 and chat_and_call = 0'],
    ['ON_VIDEO', 'video_slots > 0'],
  ],
  call: [
    ['SLOTS_FULL', 'call_slots >= 1'],
    ['ON_VIDEO', 'video_slots > 0'],
    ['ON_CHAT', 'chat_slots > 0 and chat_and_call = 0'],
  ],
  video: [
    ['SLOTS_FULL', 'video_slots >= 1'],
    ['ON_CALL', 'call_slots > 0'],
  ],
};

const conditionsOn = (channel: Channel): readonly Condition[] => [
  ['IN_GRACE', 'routable_until <= now_ms()'],
  ['NOT_ENABLED', `${channel}_enabled = 0`],
  ['NOT_AVAILABLE', `${channel}_available = 0`],
  ...BUSY[channel],
];

/** Of those who are connected, by the index of leases; one column for each condition in its turn. */
const countConnected = (channel: Channel) => {
  const sums = conditionsOn(channel).map(
    ([, condition], place) => `sum(case when ${condition} then 1 else 0 end) as c${place}`,
  );
  return prepare<Arguments, Row>((db, given) => ({
    compile: () =>
      sql<Row>`select count(*) as connected, ${sql.raw(sums.join(', '))},
        sum(case when language_list like '%"' || ${given.language} || '"%' then 0 else 1 end) as speechless
        from operator_live where account_id = ${given.accountId} and lease_until > now_ms()`.compile(db),
  }));
};
const connectedOn = { chat: countConnected('chat'), call: countConnected('call'), video: countConnected('video') };

/** Of all, from the counts that are kept with websites, groups and skills. */
const countPlaces = prepare<Arguments, Row>((db, given) => {
  const { accountId } = given;
  return {
    compile: () =>
      sql<Row>`with recursive ${subtree('wanted_skills', 'skills', { accountId, id: given.skillId })},
        ${subtree('wanted_groups', 'groups', { accountId, id: given.groupId })}
      select a.operator_count as "all",
        coalesce((select w.operator_count from websites w where w.account_id = a.id and w.id = ${given.websiteId}), 0) as website,
        coalesce((select sum(g.operator_count) from groups g where g.account_id = a.id and g.id in (select id from wanted_groups)), 0) as in_groups,
        case when (select count(*) from wanted_skills) > 1
          then (select count(distinct h.operator_id) from operator_skills h where h.account_id = a.id and h.skill_id in (select id from wanted_skills))
          else coalesce((select s.operator_count from skills s where s.account_id = a.id and s.id = ${given.skillId}), 0) end as skilled
      from accounts a where a.id = ${accountId}`.compile(db),
  };
});

/**
 * Why the others were not considered. Places (website, skill, group) are counted over all operators, everything else over those
 * who are connected: whoever is not is counted as OFFLINE alone.
 */
export async function exclusionCounts(
  tx: Transaction,
  asked: Asked & { readonly id?: number },
): Promise<ExclusionCounts> {
  const [counts, refused] = await Promise.all([
    placesAndStates(tx, asked),
    asked.id === undefined ? 0 : refusedLately(tx, asked.accountId, asked.id),
  ]);
  return refused > 0 ? { ...counts, REFUSED_LATELY: refused } : counts;
}

const countPauses = prepare<{ accountId: number; conversationId: number }, { count: number }>((db, given) =>
  db
    .selectFrom('offerPauses')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('accountId', '=', given.accountId)
    .where('conversationId', '=', given.conversationId)
    .where('until', '>', (eb) => eb.fn<number>('now_ms', [])),
);

async function refusedLately(tx: Transaction, accountId: number, conversationId: number): Promise<number> {
  return (await tx.run(countPauses, { accountId, conversationId }))[0]?.count ?? 0;
}

async function placesAndStates(tx: Transaction, asked: Asked): Promise<ExclusionCounts> {
  const { accountId, channel, websiteId, skillId, groupId, language } = asked;
  const name = [accountId, channel, websiteId, skillId, groupId, language].join();
  const second = Math.floor(tx.now / KEPT_MS);
  const known = keptBy(tx).get(name, second);
  if (known) return known;
  const given = { accountId, websiteId, skillId: skillId ?? 0, groupId: groupId ?? 0, language };
  const [[present = {} as Row], [places = {} as Row]] = await Promise.all([
    tx.run(connectedOn[channel], given),
    tx.run(countPlaces, given),
  ]);
  const connected = present.connected ?? 0;
  const all = places.all ?? 0;
  const counts: Record<string, number> = {
    OFFLINE: all - connected,
    ...Object.fromEntries(conditionsOn(channel).map(([name], place) => [name, present[`c${place}`] ?? 0])),
    OTHER_LANGUAGE: present.speechless ?? 0,
    OTHER_WEBSITE: all - (places.website ?? 0),
    LACKS_SKILL: skillId === null ? 0 : all - (places.skilled ?? 0),
    OTHER_GROUP: groupId === null ? 0 : all - (places.inGroups ?? 0),
  };
  const shown = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  return connected > FEW ? keptBy(tx).set(name, second, shown) : shown;
}
