import { createHmac } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { TOKEN_TTL_SECONDS } from '../../src/core/access/tokens.ts';
import { SESSION_TTL_SECONDS } from '../../src/core/visitors/visitor-sessions.ts';
import type { TestInstallation } from '../support/databases/databases.ts';

/** Longer than a node caches a website. */
const WEBSITE_CACHE_WAIT_MS = 600;

interface IssuedToken {
  readonly token: string;
  /** Well before the token expires: how long nodes cache expired tokens is not compared. */
  readonly until: number;
}

/** Tokens on one of the two installations: of operators by id, of visitors by session index. */
export class Sessions {
  readonly #installation: TestInstallation;
  readonly #desks = new Map<number, IssuedToken>();
  readonly #secretVersions = new Map<number, number>();
  readonly #visitors: (IssuedToken & { readonly visitorId: number })[] = [];

  constructor(installation: TestInstallation) {
    this.#installation = installation;
  }

  async deskToken(operatorId: number): Promise<string> {
    const { clock, accountId, database, tokens } = this.#installation;
    const known = this.#desks.get(operatorId);
    if (known && known.until > clock.now) return known.token;
    const owner = { accountId, operatorId };
    const token = await database.transaction((tx) => tokens.issue(tx, owner, { kind: 'password' }), accountId);
    this.#desks.set(operatorId, { token, until: clock.now + (TOKEN_TTL_SECONDS * 1000) / 2 });
    return token;
  }

  /** Makes all operators log in again: the permission cache of a node is not compared. */
  clearDeskTokens(): void {
    this.#desks.clear();
  }

  /** Returns the token of this visitor if there is a session, otherwise of the session at this index. */
  visitorToken(index: number, visitorId?: number): string {
    const existing = this.#visitors.findLast((visitor) => visitor.visitorId === visitorId);
    const known = existing ?? this.#visitors[index % this.#visitors.length];
    return known && known.until > this.#installation.clock.now ? known.token : 'none';
  }

  async addVisitor({
    token,
    visitorId: uniqueId,
  }: {
    readonly token: string;
    readonly visitorId: string;
  }): Promise<void> {
    const { clock, database } = this.#installation;
    const query = database.read.selectFrom('visitors').select('id').where('uniqueId', '=', uniqueId);
    const { id } = await query.executeTakeFirstOrThrow();
    this.#visitors.push({ token, until: clock.now + (SESSION_TTL_SECONDS * 1000) / 2, visitorId: id });
  }

  /** Signs an external id as the website does for known visitors. */
  async sign(websiteId: number, externalId: string): Promise<string> {
    const { database, secrets, accountId } = this.#installation;
    const website = await database.read
      .selectFrom('websites')
      .select('secretVersion')
      .where('accountId', '=', accountId)
      .where('id', '=', websiteId)
      .executeTakeFirst();
    const { secretVersion = 1 } = website ?? {};
    // How long a node accepts signatures of the previous secret is not compared.
    if (secretVersion !== (this.#secretVersions.get(websiteId) ?? 1)) await setTimeout(WEBSITE_CACHE_WAIT_MS);
    this.#secretVersions.set(websiteId, secretVersion);
    const secret = secrets.deriveVisitorSecret(accountId, websiteId, secretVersion);
    return createHmac('sha256', secret).update(externalId).digest('hex');
  }
}
