import { LRUCache } from 'lru-cache';
import type { Database } from '../../storage/database.ts';
import type { Caller, Standing } from '../caller.ts';
import { under } from '../directory/tree.ts';
import type { Role } from '../operators/operator.ts';
import { REMEMBERED_MS, type TokenOwner, type Tokens } from './tokens.ts';

const HIGHEST_FIRST: readonly Standing[] = ['admin', 'manager', 'operator', 'expert'];

/** Who is behind a bearer token, and what they may do. Remembered as shortly as the token itself. */
export class Viewers {
  readonly #database: Database;
  readonly #tokens: Tokens;
  readonly #remembered = new LRUCache<string, Caller>({ max: 10_000, ttl: REMEMBERED_MS });

  constructor(database: Database, tokens: Tokens) {
    this.#database = database;
    this.#tokens = tokens;
  }

  async of(token: string): Promise<Caller | undefined> {
    const known = this.#remembered.get(token);
    if (known) return known;
    const owner = await this.#tokens.owner(token);
    const caller = owner && (await this.#callerOf(owner));
    if (caller) this.#remembered.set(token, caller);
    return caller;
  }

  async #callerOf({ accountId, operatorId }: TokenOwner): Promise<Caller | undefined> {
    const operator = await this.#database.read
      .selectFrom('operators')
      .select(['roles', 'groupId'])
      .where('accountId', '=', accountId)
      .where('id', '=', operatorId)
      .executeTakeFirst();
    if (!operator) return undefined;
    const roles = JSON.parse(operator.roles) as Role[];
    const standing = HIGHEST_FIRST.find((role) => roles.includes(role)) ?? 'expert';
    return {
      accountId,
      actor: { type: 'operator', id: operatorId },
      mayWrite: true,
      standing,
      operatorId,
      managedGroups: await this.#managedGroups(accountId, standing, operator.groupId),
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
