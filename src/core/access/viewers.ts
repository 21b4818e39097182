import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import type { Database } from '../../storage/database.ts';
import type { Caller, Standing } from '../kernel/caller.ts';
import type { Role } from '../kernel/roles.ts';
import { under } from '../kernel/tree.ts';
import { digest } from './secrets.ts';
import { REMEMBERED_MS } from './tokens.ts';

const HIGHEST_FIRST: readonly Standing[] = ['admin', 'manager', 'operator', 'expert'];

interface Behind {
  readonly account_id: number;
  readonly operator_id: number;
  readonly roles: string;
  readonly group_id: number | null;
}

/** Who is behind a bearer token, and what they may do. Remembered as shortly as the token itself. */
export class Viewers {
  readonly #database: Database;
  readonly #remembered = new LRUCache<string, Caller>({ max: 10_000, ttl: REMEMBERED_MS });
  readonly #one;
  /** Open connections are looked at many at a time: one statement for all of them. */
  readonly #rows;

  constructor(database: Database) {
    this.#database = database;
    this.#one = database.hot<Behind, [string]>((db, argument) =>
      this.#valid(db).where('t.tokenHash', '=', argument<string>(0)),
    );
    this.#rows = new DataLoader((hashes: readonly string[]) => this.#behind(hashes), { cache: false });
  }

  async of(token: string): Promise<Caller | undefined> {
    const known = this.#remembered.get(token);
    if (known) return known;
    const start = performance.now();
    const row = await this.#rows.load(digest(token));
    const caller = row && (await this.#callerOf(row));
    if (caller) this.#remembered.set(token, caller, { start });
    return caller;
  }

  /** Nobody, from now on; at once on this node, and on the others when their memory ends. */
  forget(token: string): void {
    this.#remembered.delete(token);
  }

  async #behind(hashes: readonly string[]): Promise<(Behind | undefined)[]> {
    if (hashes.length === 1) return [await this.#one.first(hashes[0] as string)];
    const rows = await this.#valid(this.#database.read).where('t.tokenHash', 'in', hashes).execute();
    const byHash = new Map(
      rows.map(({ tokenHash, accountId, operatorId, roles, groupId }) => [
        tokenHash,
        { account_id: accountId, operator_id: operatorId, roles, group_id: groupId },
      ]),
    );
    return hashes.map((hash) => byHash.get(hash));
  }

  #valid(db: Database['read']) {
    return db
      .selectFrom('accessTokens as t')
      .innerJoin('operators as o', (join) =>
        join.onRef('o.accountId', '=', 't.accountId').onRef('o.id', '=', 't.operatorId'),
      )
      .select(['t.tokenHash', 't.accountId', 't.operatorId', 'o.roles', 'o.groupId'])
      .where('t.expiresAt', '>', (eb) => eb.fn<number>('now_ms', []));
  }

  async #callerOf(row: Behind): Promise<Caller> {
    const roles = JSON.parse(row.roles) as Role[];
    const standing = HIGHEST_FIRST.find((role) => roles.includes(role)) ?? 'expert';
    return {
      accountId: row.account_id,
      actor: { type: 'operator', id: row.operator_id },
      mayWrite: true,
      standing,
      operatorId: row.operator_id,
      managedGroups: await this.#managedGroups(row.account_id, standing, row.group_id),
    };
  }

  async #managedGroups(
    accountId: number,
    standing: Standing,
    groupId: number | null,
  ): Promise<Caller['managedGroups']> {
    if (standing === 'expert' || standing === 'operator') return new Set();
    return standing === 'manager' && groupId !== null ? this.#subtree(accountId, groupId) : 'account';
  }

  async #subtree(accountId: number, groupId: number): Promise<ReadonlySet<number>> {
    const rows = await this.#database.read
      .selectFrom('groups')
      .select(['id', 'parentId'])
      .where('accountId', '=', accountId)
      .execute();
    return under(groupId, new Map(rows.map((row) => [row.id, row.parentId])));
  }
}
