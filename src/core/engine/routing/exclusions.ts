import { sql } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import { upToEntries, VersionedCache } from '../../kernel/caches.ts';
import type { Channel } from '../../kernel/channels.ts';
import type { Obstacle } from './choose-operator.ts';
import { buildSubtreeCte, type RoutingNeed } from './needs.ts';

/** How many operators each obstacle excluded; an operator with several is counted for each. */
export type ExclusionCounts = Partial<Record<Obstacle, number>>;

interface CachedCounts {
  readonly connected: number;
  readonly excluded: ExclusionCounts;
}

/** With at most this many connected operators, counts are not cached. */
const MAX_UNCACHED_OPERATORS = 20;
/** In larger accounts the counts are cached: an explanation must not cost more than the decision. */
const CACHE_TTL_MS = 1000;

/** One cache per database: a process may have several open. */
const caches = new WeakMap<Transaction['database'], VersionedCache<CachedCounts>>();

function getCache({ database }: Transaction): VersionedCache<CachedCounts> {
  const cache = caches.get(database) ?? new VersionedCache<CachedCounts>(upToEntries(1000));
  caches.set(database, cache);
  return cache;
}

interface CountArguments {
  readonly accountId: number;
  readonly websiteId: number;
  readonly skillId: number;
  readonly groupId: number;
  readonly language: string;
}

type Row = Readonly<Record<string, number>>;

type Condition = readonly [Obstacle, string];

const BUSY_CONDITIONS: Record<Channel, readonly Condition[]> = {
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

const listConditions = (channel: Channel): readonly Condition[] => [
  ['IN_GRACE', 'routable_until <= now_ms()'],
  ['NOT_ENABLED', `${channel}_enabled = 0`],
  ['NOT_AVAILABLE', `${channel}_available = 0`],
  ...BUSY_CONDITIONS[channel],
];

/** Counts connected operators, using the index of leases; column `c<n>` belongs to the n-th condition. */
const prepareConnectedCounts = (channel: Channel) => {
  const sums = listConditions(channel).map(
    ([, condition], index) => `sum(case when ${condition} then 1 else 0 end) as c${index}`,
  );
  return prepare<CountArguments, Row>((db, args) => ({
    compile: () =>
      sql<Row>`select count(*) as connected, ${sql.raw(sums.join(', '))},
        sum(case when language_list like '%"' || ${args.language} || '"%' then 0 else 1 end) as other_language
        from operator_live where account_id = ${args.accountId} and lease_until > now_ms()`.compile(db),
  }));
};
const countConnected = {
  chat: prepareConnectedCounts('chat'),
  call: prepareConnectedCounts('call'),
  video: prepareConnectedCounts('video'),
};

/** Counts all operators, from the counts stored with websites, groups and skills. */
const countMemberships = prepare<CountArguments, Row>((db, args) => {
  const { accountId } = args;
  return {
    compile: () =>
      sql<Row>`with recursive ${buildSubtreeCte('wanted_skills', 'skills', { accountId, id: args.skillId })},
        ${buildSubtreeCte('wanted_groups', 'groups', { accountId, id: args.groupId })}
      select a.operator_count,
        coalesce((select w.operator_count from websites w where w.account_id = a.id and w.id = ${args.websiteId}), 0) as website,
        coalesce((select sum(g.operator_count) from groups g where g.account_id = a.id and g.id in (select id from wanted_groups)), 0) as in_groups,
        case when (select count(*) from wanted_skills) > 1
          then (select count(distinct h.operator_id) from operator_skills h where h.account_id = a.id and h.skill_id in (select id from wanted_skills))
          else coalesce((select s.operator_count from skills s where s.account_id = a.id and s.id = ${args.skillId}), 0) end as skilled
      from accounts a where a.id = ${accountId}`.compile(db),
  };
});

/**
 * Counts why operators are excluded. Website, skill and group are counted over all operators, everything else over
 * connected ones: apart from these three, an operator who is not connected counts as OFFLINE only.
 */
export async function countExclusions(tx: Transaction, need: CountedNeed): Promise<ExclusionCounts> {
  return (await countOperators(tx, need)).excluded;
}

type CountedNeed = RoutingNeed & { readonly id?: number };

/** The same, with the number of connected operators. */
export async function countOperators(tx: Transaction, need: CountedNeed): Promise<CachedCounts> {
  const [{ connected, excluded }, pausedCount] = await Promise.all([
    countByObstacle(tx, need),
    need.id === undefined ? 0 : countActivePauses(tx, need.accountId, need.id),
  ]);
  return { connected, excluded: pausedCount > 0 ? { ...excluded, REFUSED_LATELY: pausedCount } : excluded };
}

const countPauses = prepare<{ accountId: number; conversationId: number }, { count: number }>((db, args) =>
  db
    .selectFrom('offerPauses')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('accountId', '=', args.accountId)
    .where('conversationId', '=', args.conversationId)
    .where('until', '>', (eb) => eb.fn<number>('now_ms', [])),
);

async function countActivePauses(tx: Transaction, accountId: number, conversationId: number): Promise<number> {
  return (await tx.run(countPauses, { accountId, conversationId }))[0]?.count ?? 0;
}

async function countByObstacle(tx: Transaction, need: RoutingNeed): Promise<CachedCounts> {
  const { accountId, channel, websiteId, skillId, groupId, language } = need;
  const key = [accountId, channel, websiteId, skillId, groupId, language].join();
  const interval = Math.floor(tx.now / CACHE_TTL_MS);
  const cached = getCache(tx).get(key, interval);
  if (cached) return cached;
  const args = { accountId, websiteId, skillId: skillId ?? 0, groupId: groupId ?? 0, language };
  const [[connectedRow = {} as Row], [membershipRow = {} as Row]] = await Promise.all([
    tx.run(countConnected[channel], args),
    tx.run(countMemberships, args),
  ]);
  const connected = connectedRow.connected ?? 0;
  const operatorCount = membershipRow.operatorCount ?? 0;
  const counts: Record<string, number> = {
    OFFLINE: operatorCount - connected,
    ...Object.fromEntries(listConditions(channel).map(([name], index) => [name, connectedRow[`c${index}`] ?? 0])),
    OTHER_LANGUAGE: connectedRow.otherLanguage ?? 0,
    OTHER_WEBSITE: operatorCount - (membershipRow.website ?? 0),
    LACKS_SKILL: skillId === null ? 0 : operatorCount - (membershipRow.skilled ?? 0),
    OTHER_GROUP: groupId === null ? 0 : operatorCount - (membershipRow.inGroups ?? 0),
  };
  const excluded = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  const result = { connected, excluded };
  return connected > MAX_UNCACHED_OPERATORS ? getCache(tx).set(key, interval, result) : result;
}
