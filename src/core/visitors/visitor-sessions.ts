import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import type { Database, Transaction } from '../../storage/database.ts';
import { digest, type InstallationSecrets, randomSecret, sameSecret } from '../access/secrets.ts';
import { REMEMBERED_MS } from '../access/tokens.ts';
import { visitorUpdate } from '../engine/records/visitor-profile.ts';
import { addWebsites, changeVisitor, findByExternalId, insertVisitor } from '../engine/records/visitor-store.ts';
import { announce } from '../events/announce.ts';
import { deleteInBatches } from '../kernel/batched-delete.ts';
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

/** Visitors and their tokens: random, kept as a digest, ended by time or with the visitor's data. */
export class VisitorSessions {
  readonly #database: Database;
  readonly #secrets: InstallationSecrets;
  readonly #remembered = new LRUCache<string, VisitorCaller>({ max: 50_000, ttl: REMEMBERED_MS });
  readonly #find;

  constructor(database: Database, secrets: InstallationSecrets) {
    this.#database = database;
    this.#secrets = secrets;
    this.#find = database.hot<TokenRow, [string]>((db, argument) =>
      db
        .selectFrom('visitorTokens')
        .select(['accountId', 'visitorId', 'websiteId', 'language'])
        .where('tokenHash', '=', argument<string>(0))
        .where('expiresAt', '>', (eb) => eb.fn<number>('now_ms', [])),
    );
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
  async caller(token: string): Promise<VisitorCaller | undefined> {
    const known = this.#remembered.get(token);
    if (known) return known;
    const start = performance.now();
    const row = await this.#find.first(digest(token));
    if (!row) return undefined;
    const caller = {
      accountId: row.account_id,
      visitorId: row.visitor_id,
      websiteId: row.website_id,
      language: row.language,
      actor: actorOf(row.visitor_id),
    };
    this.#remembered.set(token, caller, { start });
    return caller;
  }

  async endAllOf(tx: Transaction, { accountId }: ActorContext, id: number): Promise<void> {
    await tx.db.deleteFrom('visitorTokens').where('accountId', '=', accountId).where('visitorId', '=', id).execute();
  }

  /** For whoever's tokens were ended: they are worth nothing at once, at least here. */
  forget({ accountId, id }: { readonly accountId: number; readonly id: number }): void {
    for (const [token, caller] of this.#remembered.entries()) {
      if (caller.accountId === accountId && caller.visitorId === id) this.#remembered.delete(token);
    }
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

interface TokenRow {
  readonly account_id: number;
  readonly visitor_id: number;
  readonly website_id: number;
  readonly language: string;
}

/** Without an address: where visitors are is not kept. */
function actorOf(visitorId: number): VisitorCaller['actor'] {
  return { type: 'visitor', id: visitorId, via: 'visitor' };
}
