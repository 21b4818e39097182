import { createHmac } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { TOKEN_SECONDS } from '../../src/core/access/tokens.ts';
import { SESSION_SECONDS } from '../../src/core/visitors/visitor-sessions.ts';
import type { OpenInstallation } from '../support/databases/databases.ts';

/** Longer than a node remembers a website. */
const REMEMBERED_MS = 600;

interface Pass {
  readonly token: string;
  /** Well before it ends: for how long a node remembers a token beyond its end is not compared here. */
  readonly until: number;
}

/** Those who are signed in on one of the two installations: operators by their number, visitors in their order. */
export class People {
  readonly #installation: OpenInstallation;
  readonly #desks = new Map<number, Pass>();
  readonly #secretVersions = new Map<number, number>();
  readonly #visitors: (Pass & { readonly visitorId: number })[] = [];

  constructor(installation: OpenInstallation) {
    this.#installation = installation;
  }

  async deskToken(operatorId: number): Promise<string> {
    const { clock, accountId, database, tokens } = this.#installation;
    const known = this.#desks.get(operatorId);
    if (known && known.until > clock.now) return known.token;
    const token = await database.transaction((tx) => tokens.issue(tx, { accountId, operatorId }), accountId);
    this.#desks.set(operatorId, { token, until: clock.now + (TOKEN_SECONDS * 1000) / 2 });
    return token;
  }

  /** Everybody logs in again: what a node remembers for a second of who may do what is not compared here. */
  forgetDesks(): void {
    this.#desks.clear();
  }

  /** Of a session by its place, or of the visitor who is named, if they are here. */
  visitorToken(place: number, visitorId?: number): string {
    const own = this.#visitors.findLast((visitor) => visitor.visitorId === visitorId);
    const known = own ?? this.#visitors[place % this.#visitors.length];
    return known && known.until > this.#installation.clock.now ? known.token : 'none';
  }

  /** Remembers a new session. */
  async comeIn({ token, visitorId: uniqueId }: { readonly token: string; readonly visitorId: string }): Promise<void> {
    const { clock, database } = this.#installation;
    const named = database.read.selectFrom('visitors').select('id').where('uniqueId', '=', uniqueId);
    const { id } = await named.executeTakeFirstOrThrow();
    this.#visitors.push({ token, until: clock.now + (SESSION_SECONDS * 1000) / 2, visitorId: id });
  }

  /** What the website itself does for visitors whom it knows. */
  async sign(websiteId: number, externalId: string): Promise<string> {
    const { database, secrets, accountId } = this.#installation;
    const website = await database.read
      .selectFrom('websites')
      .select('secretVersion')
      .where('accountId', '=', accountId)
      .where('id', '=', websiteId)
      .executeTakeFirst();
    const { secretVersion = 1 } = website ?? {};
    // For how long a node takes what the last secret signed is not compared here.
    if (secretVersion !== (this.#secretVersions.get(websiteId) ?? 1)) await setTimeout(REMEMBERED_MS);
    this.#secretVersions.set(websiteId, secretVersion);
    const secret = secrets.websiteSecret(accountId, websiteId, secretVersion);
    return createHmac('sha256', secret).update(externalId).digest('hex');
  }
}
