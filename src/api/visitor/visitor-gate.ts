import type { VisitorCaller } from '../../core/kernel/caller.ts';
import type { VisitorSessions } from '../../core/visitors/visitor-sessions.ts';
import type { VisitorWebsite, VisitorWebsites } from '../../core/visitors/visitor-websites.ts';
import type { Visitors } from '../../core/visitors/visitors.ts';

/** Authenticates visitors: a token belongs to a website, and pages must have an origin that the website allows. */
export class VisitorGate {
  readonly #sessions: VisitorSessions;
  readonly #websites: VisitorWebsites;

  constructor({ sessions, websites }: Pick<Visitors, 'sessions' | 'websites'>) {
    this.#sessions = sessions;
    this.#websites = websites;
  }

  /** Undefined if the token is not valid. Requests without an origin do not come from a page, and are allowed. */
  async authenticate(token: string, origin: string | undefined): Promise<VisitorCaller | 'wrong_origin' | undefined> {
    // A token keeps its website: when both were read before, they are read again at the same time.
    const known = this.#sessions.peekWebsite(token);
    const [visitor] = await Promise.all([
      this.#sessions.findCaller(token),
      known && this.#websites.find(known.accountId, known.websiteId),
    ]);
    const website = visitor && (await this.#websites.find(visitor.accountId, visitor.websiteId));
    if (!website) return undefined;
    return isOriginAllowed(website, origin) ? visitor : 'wrong_origin';
  }

  /** Whether any website allows the origin, for requests whose website is not known yet. */
  async isKnownOrigin(origin: string | undefined): Promise<boolean> {
    return origin === undefined || this.#websites.isKnownOrigin(origin);
  }
}

export function isOriginAllowed({ origins }: VisitorWebsite, origin: string | undefined): boolean {
  return origin === undefined || origins.includes(origin);
}
