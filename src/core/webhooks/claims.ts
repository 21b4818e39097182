import { type SqlBool, sql } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import { claim, isPending, type SubjectName } from './delivery-store.ts';
import type { HookName } from './webhook-store.ts';

/** A delivery that this node is to send, with where to and with what to sign. */
export interface Claimed extends SubjectName {
  readonly id: number;
  readonly position: number;
  readonly body: string;
  /** How often it was claimed, this time included: who comes later has a higher number. */
  readonly attempts: number;
  readonly triedAt: number;
  /** The database's time of the claim. */
  readonly now: number;
  readonly url: string;
  readonly secret: string;
  readonly previousSecret: string | null;
  readonly previousUntil: number | null;
}

export interface DueHook extends HookName {
  readonly isFailing: boolean;
}

const findDue = prepare<object, HookName & { failingSince: number | null }>((db) =>
  db
    .selectFrom('webhooks as w')
    .select(['w.accountId', 'w.id as webhookId', 'w.failingSince'])
    .where('w.state', '=', 'active')
    .where((eb) => eb.or([eb('w.waitUntil', 'is', null), eb('w.waitUntil', '<=', eb.fn<number>('now_ms', []))]))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('webhookDeliveries as d')
          .select('d.id')
          .whereRef('d.accountId', '=', 'w.accountId')
          .whereRef('d.webhookId', '=', 'w.id')
          .where(({ eb: inner }) => inner('d.nextAt', '<=', inner.fn<number>('now_ms', [])))
          .where(sql<SqlBool>`d.state = 'pending'`),
      ),
    )
    .orderBy('w.accountId')
    .orderBy('w.id'),
);

/** Takes deliveries that are due, so that several nodes never send the same one at the same time. */
export class Claims {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The hooks that have something due. */
  async dueHooks(): Promise<DueHook[]> {
    const rows = await this.#database.run(findDue, {});
    return rows.map(({ failingSince, ...hook }) => ({ ...hook, isFailing: failingSince !== null }));
  }

  /** Claims up to so many of each hook. Those of an account in its turn: nodes that claim at the same moment never wait for each other's rows. */
  async take(hooks: readonly (HookName & { readonly room: number })[]): Promise<Claimed[]> {
    const claimed: Claimed[] = [];
    for (const [accountId, own] of Map.groupBy(hooks, (hook) => hook.accountId)) {
      const taken = await this.#database.transaction(async (tx) => {
        const found: Claimed[] = [];
        for (const hook of own) found.push(...(await takeOf(tx, hook, hook.room)));
        return found;
      }, accountId);
      claimed.push(...taken);
    }
    return claimed;
  }
}

async function takeOf(tx: Transaction, { accountId, webhookId }: HookName, room: number): Promise<Claimed[]> {
  const hook = await tx.db
    .selectFrom('webhooks')
    .select(['url', 'secret', 'previousSecret', 'previousUntil'])
    .where('accountId', '=', accountId)
    .where('id', '=', webhookId)
    .where('state', '=', 'active')
    .executeTakeFirst();
  if (!hook) return [];
  const due = await tx.db
    .selectFrom('webhookDeliveries')
    .select('id')
    .where('accountId', '=', accountId)
    .where('webhookId', '=', webhookId)
    .where(isPending)
    .where('nextAt', '<=', tx.now)
    .orderBy('nextAt')
    .orderBy('position')
    .limit(room)
    .execute();
  const claimed: Claimed[] = [];
  for (const { id } of due) {
    const row = await claim(tx, { accountId }, id);
    if (row) claimed.push({ ...row, ...hook, accountId, webhookId, id, triedAt: row.triedAt ?? tx.now, now: tx.now });
  }
  return claimed;
}
