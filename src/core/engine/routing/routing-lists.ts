import type { Transaction } from '../../../storage/database.ts';
import { NO_FACTS, prepare } from '../../../storage/prepared-statement.ts';
import { upToEntries, VersionedCache } from '../../kernel/caches.ts';
import type { AccountContext } from '../../kernel/caller.ts';
import type { Channel } from '../../kernel/channels.ts';
import type { Obstacle, ResolvedNeed } from './choose-operator.ts';

// The only writer of the table `routing_lists`. Triggers keep the operators of each list.

/** A need that can have lists. The lists of a skill or group are those of its whole subtree. */
export type ListKind = 'skill' | 'group' | 'website' | 'language';

/** The lists of one need: together they have all routable operators who meet it. */
export interface NeedLists {
  readonly kind: ListKind;
  readonly lists: readonly string[];
}

/**
 * As long as at most this many connected operators do not meet a need, walking past them is cheaper than keeping lists,
 * which every change of a slot updates.
 */
export const MAX_PASSED = 200;
/** The best operators of a subtree are those of its lists together: each costs a part of the search. */
export const MAX_LISTS = 16;
/** Each list reads the routable operators of the account once. The others of a subtree follow with the next starts. */
const MAX_NEW_LISTS = 2;

const OBSTACLES: readonly (readonly [ListKind, Obstacle])[] = [
  ['skill', 'LACKS_SKILL'],
  ['group', 'OTHER_GROUP'],
  ['website', 'OTHER_WEBSITE'],
  ['language', 'OTHER_LANGUAGE'],
];

/** The lists that a conversation can use, if they are kept. */
export function nameLists({ skills, groups, websiteId, language }: ResolvedNeed): NeedLists[] {
  const nameAll = (kind: 'skill' | 'group', ids: ReadonlySet<number> | null) =>
    ids === null || ids.size > MAX_LISTS ? [] : [{ kind, lists: [...ids].map((id) => `${kind} ${id}`) }];
  return [
    ...nameAll('skill', skills),
    ...nameAll('group', groups),
    { kind: 'website', lists: [`website ${websiteId}`] },
    { kind: 'language', lists: [`language ${language}`] },
  ];
}

const findLists = prepare<{ accountId: number }, { need: string }>(
  (db, { accountId }) => db.selectFrom('routingLists').select('need').where('accountId', '=', accountId),
  { reads: NO_FACTS },
);

/** Routing reads them many times in one transaction. Lists are only added, so that those of its start are enough. */
const listsByTransaction = new WeakMap<Transaction, Map<number, Promise<ReadonlySet<string>>>>();

/** The needs of an account that have a list. */
export function loadRoutingLists(tx: Transaction, accountId: number): Promise<ReadonlySet<string>> {
  const listsByAccount = listsByTransaction.get(tx) ?? new Map<number, Promise<ReadonlySet<string>>>();
  listsByTransaction.set(tx, listsByAccount);
  const lists = listsByAccount.get(accountId) ?? queryLists(tx, accountId);
  listsByAccount.set(accountId, lists);
  return lists;
}

async function queryLists(tx: Transaction, accountId: number): Promise<ReadonlySet<string>> {
  return new Set((await tx.run(findLists, { accountId })).map(({ need }) => need));
}

/** Which lists are the shortest changes slowly, and a wrong choice costs only time. */
const LENGTH_TTL_MS = 10_000;
const MAX_COUNTED = 2000;

/** One cache per database: a process may have several open. */
const lengthCaches = new WeakMap<Transaction['database'], VersionedCache<{ readonly length: number }>>();

const countListed = prepare<{ accountId: number; channel: string; need: string }, { length: number }>((db, args) =>
  db
    .selectFrom((inner) =>
      inner
        .selectFrom('listedOperators')
        .select('need')
        .where('accountId', '=', args.accountId)
        .where('channel', '=', args.channel)
        .where('need', '=', args.need)
        .limit(MAX_COUNTED)
        .as('listed'),
    )
    .select((eb) => eb.fn.countAll<number>().as('length')),
);

async function loadLength(tx: Transaction, accountId: number, channel: Channel, need: string): Promise<number> {
  const cache = lengthCaches.get(tx.database) ?? new VersionedCache(upToEntries(10_000));
  lengthCaches.set(tx.database, cache);
  const key = `${accountId} ${channel} ${need}`;
  const interval = Math.floor(tx.now / LENGTH_TTL_MS);
  const cached = cache.get(key, interval);
  if (cached) return cached.length;
  const [row] = await tx.run(countListed, { accountId, channel, need });
  return cache.set(key, interval, { length: row?.length ?? 0 }).length;
}

/** Returns the need with the fewest listed operators; undefined if no list is kept for any. */
export async function findShortestLists(
  tx: Transaction,
  { accountId, need, kept }: { accountId: number; need: ResolvedNeed; kept: ReadonlySet<string> },
): Promise<NeedLists | undefined> {
  const usable = kept.size === 0 ? [] : nameLists(need).filter(({ lists }) => lists.every((list) => kept.has(list)));
  if (usable.length < 2) return usable[0];
  const lengths = await Promise.all(
    usable.map(async ({ lists }) => {
      const each = await Promise.all(lists.map((list) => loadLength(tx, accountId, need.channel, list)));
      return each.reduce((sum, length) => sum + length, 0);
    }),
  );
  return usable[lengths.indexOf(Math.min(...lengths))];
}

const insertList = prepare<{ accountId: number; need: string }>((db, row) =>
  db
    .insertInto('routingLists')
    .values(row)
    .onConflict((conflict) => conflict.columns(['accountId', 'need']).doNothing()),
);

/** Begins to keep the lists of the need that most connected operators do not meet, if these are many. */
export function keepLists(
  tx: Transaction,
  { accountId }: AccountContext,
  {
    need,
    kept,
    connected,
    excluded,
  }: {
    readonly need: ResolvedNeed;
    readonly kept: ReadonlySet<string>;
    readonly connected: number;
    readonly excluded: Partial<Record<Obstacle, number>>;
  },
): void {
  if (connected <= MAX_PASSED) return;
  const passed = new Map(OBSTACLES.map(([kind, obstacle]) => [kind, excluded[obstacle] ?? 0]));
  const [rarest] = nameLists(need).sort((a, b) => (passed.get(b.kind) ?? 0) - (passed.get(a.kind) ?? 0));
  if (!rarest || (passed.get(rarest.kind) ?? 0) <= MAX_PASSED) return;
  const missing = rarest.lists.filter((list) => !kept.has(list));
  for (const list of missing.slice(0, MAX_NEW_LISTS)) tx.send(insertList, { accountId, need: list });
}
