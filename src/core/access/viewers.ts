import DataLoader from 'dataloader';
import type { Database } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import { ShortLivedCache } from '../kernel/caches.ts';
import type { AccessLevel, Caller } from '../kernel/caller.ts';
import type { Role } from '../kernel/roles.ts';
import { under } from '../kernel/tree.ts';
import { digest } from './secrets.ts';

const HIGHEST_FIRST: readonly AccessLevel[] = ['admin', 'manager', 'operator', 'expert'];

interface Behind {
  readonly tokenHash: string;
  readonly accountId: number;
  readonly operatorId: number;
  readonly roles: string;
  readonly groupId: number | null;
}

const findOne = prepare<{ tokenHash: string }, Behind>((db, { tokenHash }) =>
  valid(db).where('t.tokenHash', '=', tokenHash),
);

/** Who is behind a bearer token, and what they may do. Remembered as shortly as the token itself. */
export class Viewers {
  readonly #database: Database;
  readonly #remembered = new ShortLivedCache<Caller>();
  /** Open connections are looked at many at a time: one statement for all of them. */
  readonly #rows;

  constructor(database: Database) {
    this.#database = database;
    this.#rows = new DataLoader((hashes: readonly string[]) => this.#behind(hashes), { cache: false });
  }

  of(token: string): Promise<Caller | undefined> {
    return this.#remembered.get(token, async () => {
      const row = await this.#rows.load(digest(token));
      return row && this.#callerOf(row);
    });
  }

  /** Nobody, from now on; at once on this node, and on the others when their memory ends. */
  forget(token: string): void {
    this.#remembered.delete(token);
  }

  async #behind(hashes: readonly string[]): Promise<(Behind | undefined)[]> {
    const rows =
      hashes.length === 1
        ? await this.#database.run(findOne, { tokenHash: hashes[0] as string })
        : await valid(this.#database.read).where('t.tokenHash', 'in', hashes).execute();
    const byHash = new Map(rows.map((row) => [row.tokenHash, row]));
    return hashes.map((hash) => byHash.get(hash));
  }

  async #callerOf({ accountId, operatorId, groupId, ...row }: Behind): Promise<Caller> {
    const roles = JSON.parse(row.roles) as Role[];
    const accessLevel = HIGHEST_FIRST.find((role) => roles.includes(role)) ?? 'expert';
    return {
      accountId,
      actor: { type: 'operator', id: operatorId },
      canWrite: true,
      accessLevel,
      operatorId,
      managedGroups: await this.#managedGroups(accountId, accessLevel, groupId),
    };
  }

  async #managedGroups(
    accountId: number,
    accessLevel: AccessLevel,
    groupId: number | null,
  ): Promise<Caller['managedGroups']> {
    if (accessLevel === 'expert' || accessLevel === 'operator') return new Set();
    return accessLevel === 'manager' && groupId !== null ? this.#subtree(accountId, groupId) : 'account';
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

function valid(db: Database['read']) {
  return db
    .selectFrom('accessTokens as t')
    .innerJoin('operators as o', (join) =>
      join.onRef('o.accountId', '=', 't.accountId').onRef('o.id', '=', 't.operatorId'),
    )
    .select(['t.tokenHash', 't.accountId', 't.operatorId', 'o.roles', 'o.groupId'])
    .where('t.expiresAt', '>', (eb) => eb.fn<number>('now_ms', []));
}
