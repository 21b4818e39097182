import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import type { z } from 'zod';
import type { Database, Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import { digest, generateSecret, type InstallationSecrets, isSameSecret } from '../access/secrets.ts';
import { visitorUpdate } from '../engine/records/visitor-profile.ts';
import { addWebsites, findByExternalId, insertVisitor, updateVisitor } from '../engine/records/visitor-store.ts';
import { announce } from '../events/announce.ts';
import { deleteInBatches } from '../kernel/batched-delete.ts';
import { ShortLivedCache } from '../kernel/caches.ts';
import type { ActorContext, VisitorCaller } from '../kernel/caller.ts';
import { DomainError, invalidField } from '../kernel/errors.ts';
import { languageCode } from '../kernel/languages.ts';
import { text } from '../kernel/text.ts';
import type { VisitorWebsite } from './visitor-websites.ts';

export const SESSION_TTL_SECONDS = 24 * 3600;

/** The input of a new session. */
export const newSession = visitorUpdate.extend({
  language: languageCode.optional(),
  externalId: text(1, 255).optional(),
  signature: text(0, 255).optional(),
});
export type NewSession = z.output<typeof newSession>;

const findSession = prepare<{ tokenHash: string }, Omit<VisitorCaller, 'actor'>>((db, { tokenHash }) =>
  db
    .selectFrom('visitorTokens')
    .select(['accountId', 'visitorId', 'websiteId', 'language'])
    .where('tokenHash', '=', tokenHash)
    .where('expiresAt', '>', (eb) => eb.fn<number>('now_ms', [])),
);

/** Visitor tokens: random, stored as a digest, valid until they expire or the visitor's data is erased. */
export class VisitorSessions {
  readonly #database: Database;
  readonly #secrets: InstallationSecrets;
  readonly #cache = new ShortLivedCache<VisitorCaller>(50_000);

  constructor(database: Database, secrets: InstallationSecrets) {
    this.#database = database;
    this.#secrets = secrets;
  }

  /** Issues a token for a new visitor, or for a returning one whose external id the website has signed. */
  async open(
    website: VisitorWebsite,
    { language, externalId, signature, ...profile }: NewSession,
    browser: string,
  ): Promise<{ token: string; uniqueId: string }> {
    if (externalId === undefined && signature !== undefined) throw invalidField('signature', 'requires an externalId');
    if (externalId !== undefined) this.#requireSignature(website, externalId, signature ?? '');
    const { accountId, id: websiteId } = website;
    return this.#database.transaction(async (tx) => {
      const returningVisitor = externalId === undefined ? undefined : await findByExternalId(tx, website, externalId);
      const newVisitor = { ...profile, browser, externalId: externalId ?? null };
      const visitor = returningVisitor ?? (await insertVisitor(tx, website, newVisitor));
      const context = { accountId, actor: toActor(visitor.id) };
      if (returningVisitor) await updateVisitor(tx, context, returningVisitor, { ...profile, browser });
      else if (Object.keys(profile).length > 0) {
        announce(tx, context, 'visitor.updated', visitor.id, { fields: Object.keys(profile), values: {} });
      }
      await addWebsites(tx, context, visitor, [websiteId]);
      const token = generateSecret();
      await tx.db
        .insertInto('visitorTokens')
        .values({
          ...{ tokenHash: digest(token), accountId, visitorId: visitor.id, websiteId },
          ...{
            language: language ?? website.language,
            issuedAt: tx.now,
            expiresAt: tx.now + SESSION_TTL_SECONDS * 1000,
          },
        })
        .execute();
      return { token, uniqueId: visitor.uniqueId };
    }, accountId);
  }

  findCaller(token: string): Promise<VisitorCaller | undefined> {
    return this.#cache.get(token, async () => {
      const [row] = await this.#database.run(findSession, { tokenHash: digest(token) });
      return row && { ...row, actor: toActor(row.visitorId) };
    });
  }

  async revokeAll(tx: Transaction, { accountId }: ActorContext, id: number): Promise<void> {
    await tx.db.deleteFrom('visitorTokens').where('accountId', '=', accountId).where('visitorId', '=', id).execute();
  }

  /** Call after the commit of `endAll`: removes the visitor's tokens from the cache of this node. */
  evict({ accountId, id }: { readonly accountId: number; readonly id: number }): void {
    this.#cache.deleteWhere((caller) => caller.accountId === accountId && caller.visitorId === id);
  }

  deleteExpired(): Promise<void> {
    const where = sql`expires_at < now_ms()`;
    return deleteInBatches(this.#database, { table: 'visitor_tokens', key: ['token_hash'], where });
  }

  #requireSignature({ accountId, id, secretVersion }: VisitorWebsite, externalId: string, signature: string): void {
    const secret = this.#secrets.deriveWebsiteSecret(accountId, id, secretVersion);
    const expected = createHmac('sha256', secret).update(externalId).digest('hex');
    if (isSameSecret(signature.toLowerCase(), expected)) return;
    throw new DomainError('forbidden', "The signature does not match the externalId and the website's secret.");
  }
}

/** Has no IP address, because the addresses of visitors are not stored. */
function toActor(visitorId: number): VisitorCaller['actor'] {
  return { type: 'visitor', id: visitorId, via: 'visitor' };
}
