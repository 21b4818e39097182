import { createHmac } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import type { z } from 'zod';
import type { Database, Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import type { Tables } from '../../storage/tables.ts';
import { digest, generateSecret, type InstallationSecrets, isSameSecret } from '../access/secrets.ts';
import { visitorContext } from '../engine/records/visitor-context.ts';
import { visitorUpdate } from '../engine/records/visitor-profile.ts';
import {
  addWebsites,
  findByExternalId,
  findVisitor,
  insertVisitor,
  recordVisit,
  requireVisitor,
  updateVisitor,
} from '../engine/records/visitor-store.ts';
import { announce } from '../events/announce.ts';
import { deleteInBatches } from '../kernel/batched-delete.ts';
import { ShortLivedCache } from '../kernel/caches.ts';
import type { ActorContext, VisitorCaller } from '../kernel/caller.ts';
import { DomainError, invalidField } from '../kernel/errors.ts';
import { languageCode } from '../kernel/languages.ts';
import { text } from '../kernel/text.ts';
import { type Identity, isLikeToken, MAX_TOKEN_LENGTH, verifyIdentityToken } from './identity-token.ts';
import { applyIdentity, omitVerified } from './signed-details.ts';
import { changeContext } from './visitor-contexts.ts';
import type { VisitorWebsite } from './visitor-websites.ts';

export const SESSION_TTL_SECONDS = 24 * 3600;
/** For how long a session can be renewed. */
export const MAX_SESSION_DAYS = 30;
/**
 * A renewed token is accepted for this long: other tabs and sockets switch to the new one meanwhile. Browsers run the
 * timers of hidden tabs only once a minute.
 */
export const RENEWAL_OVERLAP_SECONDS = 300;

const DAY_MS = 24 * 3600 * 1000;

/** The input of a new session. */
export const newSession = visitorUpdate.extend({
  language: languageCode.optional(),
  externalId: text(1, 255).optional(),
  signature: text(0, 255).optional(),
  context: visitorContext.optional(),
  identity: text(1, MAX_TOKEN_LENGTH).optional(),
});
export type NewSession = z.output<typeof newSession>;

const findSession = prepare<{ tokenHash: string }, Omit<VisitorCaller, 'actor'>>((db, { tokenHash }) =>
  db
    .selectFrom('visitorTokens')
    .select(['accountId', 'visitorId', 'websiteId', 'language'])
    .where('tokenHash', '=', tokenHash)
    .where('expiresAt', '>', (eb) => eb.fn<number>('now_ms', [])),
);

export interface SessionToken {
  readonly token: string;
  /** The public identifier of the visitor. */
  readonly uniqueId: string;
}

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
    {
      language,
      externalId: givenExternalId,
      signature,
      identity: identityToken,
      context: pageContext,
      ...given
    }: NewSession,
    browser: string,
  ): Promise<SessionToken> {
    const identity = identityToken === undefined ? undefined : this.#verifyIdentity(website, identityToken);
    if (identity && givenExternalId !== undefined) throw invalidField('identity', 'cannot be sent with an externalId');
    const externalId = identity?.externalId ?? givenExternalId;
    const profile = { ...given, ...identity?.details };
    if (externalId === undefined && signature !== undefined) throw invalidField('signature', 'requires an externalId');
    if (externalId !== undefined && !identity) this.#requireSignature(website, externalId, signature ?? '');
    const { accountId, id: websiteId } = website;
    return this.#database.transaction(async (tx) => {
      identity?.requireValidAt(tx.now);
      const returningVisitor = externalId === undefined ? undefined : await findByExternalId(tx, website, externalId);
      const newVisitor = { ...profile, browser, externalId: externalId ?? null };
      const visitor = returningVisitor ?? (await insertVisitor(tx, website, newVisitor));
      const context = { accountId, actor: toActor(visitor.id) };
      if (returningVisitor) {
        const unsigned = await omitVerified(tx, context, returningVisitor.id, given);
        await updateVisitor(tx, context, returningVisitor, { ...unsigned, browser });
        await recordVisit(tx, context, returningVisitor.id);
      } else if (Object.keys(profile).length > 0) {
        announce(tx, context, 'visitor.updated', visitor.id, { fields: Object.keys(profile), values: {} });
      }
      await addWebsites(tx, context, visitor, [websiteId]);
      if (identity) await applyIdentity(tx, context, await requireVisitor(tx, accountId, visitor.id), identity);
      if (pageContext) await changeContext(tx, context, visitor.id, pageContext);
      const token = await issueToken(tx, {
        ...{ accountId, visitorId: visitor.id, websiteId, language: language ?? website.language },
        sessionStartedAt: tx.now,
      });
      return { token, uniqueId: visitor.uniqueId };
    }, accountId);
  }

  /**
   * Issues another token of the same session. In the account's transaction, as the erasure of a visitor: no token is
   * issued after it, by any node.
   */
  async renew(token: string, { accountId }: VisitorCaller): Promise<SessionToken | 'not_valid' | 'too_old'> {
    return this.#database.transaction(async (tx) => {
      const tokenHash = digest(token);
      const row = await tx.db
        .selectFrom('visitorTokens')
        .selectAll()
        .where('tokenHash', '=', tokenHash)
        .where('expiresAt', '>', tx.now)
        .executeTakeFirst();
      if (!row) return 'not_valid';
      const { visitorId, websiteId, language, expiresAt } = row;
      const sessionStartedAt = row.sessionStartedAt ?? row.issuedAt;
      if (tx.now - sessionStartedAt > MAX_SESSION_DAYS * DAY_MS) return 'too_old';
      const visitor = await findVisitor(tx, accountId, visitorId);
      if (!visitor || visitor.erasedAt !== null) return 'not_valid';
      await tx.db
        .updateTable('visitorTokens')
        .set({ expiresAt: Math.min(expiresAt, tx.now + RENEWAL_OVERLAP_SECONDS * 1000) })
        .where('tokenHash', '=', tokenHash)
        .execute();
      await recordVisit(tx, { accountId }, visitorId);
      const newToken = await issueToken(tx, { accountId, visitorId, websiteId, language, sessionStartedAt });
      return { token: newToken, uniqueId: visitor.uniqueId };
    }, accountId);
  }

  findCaller(token: string): Promise<VisitorCaller | undefined> {
    return this.#cache.get(token, async () => {
      const [row] = await this.#database.run(findSession, { tokenHash: digest(token) });
      return row && { ...row, actor: toActor(row.visitorId) };
    });
  }

  /** Returns the website of a token that was used before on this node; it may have been revoked since. */
  peekWebsite(token: string): Pick<VisitorCaller, 'accountId' | 'websiteId'> | undefined {
    return this.#cache.peekOutdated(token);
  }

  /** Gives a visitor's tokens to another visitor. */
  async moveAll({ db }: Transaction, { accountId }: ActorContext, fromId: number, toId: number): Promise<void> {
    await db
      .updateTable('visitorTokens')
      .set({ visitorId: toId })
      .where('accountId', '=', accountId)
      .where('visitorId', '=', fromId)
      .execute();
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

  #verifyIdentity({ accountId, id, secretVersion }: VisitorWebsite, token: string): Identity {
    return verifyIdentityToken(token, this.#secrets.deriveIdentitySecret(accountId, id, secretVersion), 'identity');
  }

  #requireSignature({ accountId, id, secretVersion }: VisitorWebsite, externalId: string, signature: string): void {
    if (isLikeToken(externalId)) throw invalidField('externalId', 'must not be a part of a token');
    const secret = this.#secrets.deriveVisitorSecret(accountId, id, secretVersion);
    const expected = createHmac('sha256', secret).update(externalId).digest('hex');
    if (isSameSecret(signature.toLowerCase(), expected)) return;
    throw new DomainError('forbidden', "The signature does not match the externalId and the website's secret.");
  }
}

type NewToken = Omit<Selectable<Tables['visitorTokens']>, 'tokenHash' | 'issuedAt' | 'expiresAt'>;

async function issueToken({ db, now }: Transaction, session: NewToken): Promise<string> {
  const token = generateSecret();
  const times = { issuedAt: now, expiresAt: now + SESSION_TTL_SECONDS * 1000 };
  await db
    .insertInto('visitorTokens')
    .values({ ...session, ...times, tokenHash: digest(token) })
    .execute();
  return token;
}

/** Has no IP address, because the addresses of visitors are not stored. */
function toActor(visitorId: number): VisitorCaller['actor'] {
  return { type: 'visitor', id: visitorId, via: 'visitor' };
}
