import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { deleteInBatches } from '../kernel/batched-delete.ts';
import { foldEmail } from './logins.ts';
import type { InstallationSecrets } from './secrets.ts';
import { MAX_DEVICE_LENGTH } from './tokens.ts';

const MAX_AGE_MS = 30 * 24 * 3600 * 1000;
const MAX_ROWS = 10_000;
const NEWEST = 20;

export type FailedLoginReason = 'wrong_password' | 'wrong_code';

export interface FailedLogin {
  readonly at: number;
  readonly address: string;
  /** The user agent. */
  readonly device: string | null;
  readonly reason: FailedLoginReason;
}

export interface FailedAttempt {
  readonly email: string;
  readonly address: string;
  readonly device?: string | undefined;
  readonly reason: FailedLoginReason;
}

/**
 * Logins that were refused, by passwords and codes. Apart from the event log, because anyone can cause them. Those of
 * unknown e-mail addresses are stored in the same way, so that the time does not tell which ones exist.
 */
export class FailedLogins {
  readonly #database: Database;
  readonly #secrets: InstallationSecrets;

  constructor(database: Database, secrets: InstallationSecrets) {
    this.#database = database;
    this.#secrets = secrets;
  }

  async record({ email, address, device, reason }: FailedAttempt): Promise<void> {
    const row = { emailDigest: this.#toDigest(email), address, device: device?.slice(0, MAX_DEVICE_LENGTH) ?? null };
    await this.#database.transaction((tx) =>
      tx.db
        .insertInto('failedLogins')
        .values({ ...row, id: randomUUID(), at: tx.now, reason })
        .execute(),
    );
  }

  /** Returns the newest of each e-mail address, newest first. */
  async loadNewest(emails: readonly string[]): Promise<FailedLogin[][]> {
    const digests = emails.map((email) => this.#toDigest(email));
    const ranked = this.#database.read
      .selectFrom('failedLogins')
      .select(['emailDigest', 'at', 'address', 'device', 'reason'])
      .select(({ fn }) =>
        fn
          .agg<number>('row_number')
          .over((over) => over.partitionBy('emailDigest').orderBy('at', 'desc').orderBy('id', 'desc'))
          .as('rank'),
      )
      .where('emailDigest', 'in', digests);
    const rows = await this.#database.read
      .selectFrom(ranked.as('ranked'))
      .selectAll()
      .where('rank', '<=', NEWEST)
      .orderBy('rank')
      .execute();
    const byDigest = Map.groupBy(rows, (row) => row.emailDigest);
    return digests.map((emailDigest) =>
      (byDigest.get(emailDigest) ?? []).map(({ at, address, device, reason }) => ({
        ...{ at, address, device },
        reason: reason as FailedLoginReason,
      })),
    );
  }

  /** Deletes old rows, and the oldest ones above the limit. */
  async deleteExpired(): Promise<void> {
    const rows = { table: 'failed_logins', key: ['id'] };
    await deleteInBatches(this.#database, { ...rows, where: sql`at < now_ms() - ${MAX_AGE_MS}` });
    const first = await this.#database.read
      .selectFrom('failedLogins')
      .select(['at', 'id'])
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .offset(MAX_ROWS)
      .limit(1)
      .executeTakeFirst();
    if (first) await deleteInBatches(this.#database, { ...rows, where: sql`(at, id) <= (${first.at}, ${first.id})` });
  }

  #toDigest(email: string): string {
    return this.#secrets.digestLogin(foldEmail(email));
  }
}
