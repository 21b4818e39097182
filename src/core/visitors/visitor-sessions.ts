import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import type { z } from 'zod';
import type { Database, Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import { digest, type InstallationSecrets, randomSecret, sameSecret } from '../access/secrets.ts';
import { visitorUpdate } from '../engine/records/visitor-profile.ts';
import { addWebsites, changeVisitor, findByExternalId, insertVisitor } from '../engine/records/visitor-store.ts';
import { announce } from '../events/announce.ts';
import { deleteInBatches } from '../kernel/batched-delete.ts';
import { ShortLivedCache } from '../kernel/caches.ts';
import type { ActorContext, VisitorCaller } from '../kernel/caller.ts';
import { DomainError, invalidField } from '../kernel/errors.ts';
import { languageCode } from '../kernel/languages.ts';
import { text } from '../kernel/text.ts';
import type { VisitorWebsite } from './visitor-websites.ts';

export const SESSION_SECONDS = 24 * 3600;

/** What somebody who comes to a website says of themself. */
export const newSession = visitorUpdate.extend({
  language: languageCode.optional(),
  externalId: text(1, 255).optional(),
  signature: text(0, 255).optional(),
});
export type NewSession = z.output<typeof newSession>;

const findOwner = prepare<{ tokenHash: string }, Omit<VisitorCaller, 'actor'>>((db, { tokenHash }) =>
  db
    .selectFrom('visitorTokens')
    .select(['accountId', 'visitorId', 'websiteId', 'language'])
    .where('tokenHash', '=', tokenHash)
    .where('expiresAt', '>', (eb) => eb.fn<number>('now_ms', [])),
);

/** Visitors and their tokens: random, kept as a digest, ended by time or with the visitor's data. */
export class VisitorSessions {
  readonly #database: Database;
  readonly #secrets: InstallationSecrets;
  readonly #remembered = new ShortLivedCache<VisitorCaller>(50_000);

  constructor(database: Database, secrets: InstallationSecrets) {
    this.#database = database;
    this.#secrets = secrets;
  }

  /** A token for a new visitor, or for one who was here before and for whom the website vouches. */
  async open(
    website: VisitorWebsite,
    { language, externalId, signature, ...profile }: NewSession,
    browser: string,
  ): Promise<{ token: string; uniqueId: string }> {
    if (externalId === undefined && signature !== undefined) throw invalidField('signature', 'goes with an externalId');
    if (externalId !== undefined) this.#requireSignature(website, externalId, signature ?? '');
    const { accountId, id: websiteId } = website;
    return this.#database.transaction(async (tx) => {
      const known = externalId === undefined ? undefined : await findByExternalId(tx, website, externalId);
      const fresh = { ...profile, browser, externalId: externalId ?? null };
      const visitor = known ?? (await insertVisitor(tx, website, fresh));
      const by = { accountId, actor: actorOf(visitor.id) };
      if (known) await changeVisitor(tx, by, known, { ...profile, browser });
      else if (Object.keys(profile).length > 0) {
        announce(tx, by, 'visitor.updated', visitor.id, { fields: Object.keys(profile), values: {} });
      }
      await addWebsites(tx, by, visitor, [websiteId]);
      const token = randomSecret();
      await tx.db
        .insertInto('visitorTokens')
        .values({
          ...{ tokenHash: digest(token), accountId, visitorId: visitor.id, websiteId },
          ...{ language: language ?? website.language, issuedAt: tx.now, expiresAt: tx.now + SESSION_SECONDS * 1000 },
        })
        .execute();
      return { token, uniqueId: visitor.uniqueId };
    }, accountId);
  }

  /** On whose behalf a request with this token acts. */
  caller(token: string): Promise<VisitorCaller | undefined> {
    return this.#remembered.get(token, async () => {
      const [row] = await this.#database.run(findOwner, { tokenHash: digest(token) });
      return row && { ...row, actor: actorOf(row.visitorId) };
    });
  }

  async endAllOf(tx: Transaction, { accountId }: ActorContext, id: number): Promise<void> {
    await tx.db.deleteFrom('visitorTokens').where('accountId', '=', accountId).where('visitorId', '=', id).execute();
  }

  /** For whoever's tokens were ended: they are worth nothing at once, at least here. */
  forget({ accountId, id }: { readonly accountId: number; readonly id: number }): void {
    this.#remembered.deleteWhere((caller) => caller.accountId === accountId && caller.visitorId === id);
  }

  clean(): Promise<void> {
    const where = sql`expires_at < now_ms()`;
    return deleteInBatches(this.#database, { table: 'visitor_tokens', key: ['token_hash'], where });
  }

  #requireSignature({ accountId, id, secretVersion }: VisitorWebsite, externalId: string, signature: string): void {
    const secret = this.#secrets.websiteSecret(accountId, id, secretVersion);
    const expected = createHmac('sha256', secret).update(externalId).digest('hex');
    if (sameSecret(signature.toLowerCase(), expected)) return;
    throw new DomainError('forbidden', 'The signature is not that of the externalId by the secret of the website.');
  }
}

/** Without an address: where visitors are is not kept. */
function actorOf(visitorId: number): VisitorCaller['actor'] {
  return { type: 'visitor', id: visitorId, via: 'visitor' };
}
