import type { VisitorCaller } from '../../core/kernel/caller.ts';
import type { VisitorSessions } from '../../core/visitors/visitor-sessions.ts';
import type { VisitorWebsite, VisitorWebsites } from '../../core/visitors/visitor-websites.ts';
import type { Visitors } from '../../core/visitors/visitors.ts';

/** Who comes in, and from where: a token belongs to a website, and a page to an origin that this website allows. */
export class VisitorGate {
  readonly #sessions: VisitorSessions;
  readonly #websites: VisitorWebsites;

  constructor({ sessions, websites }: Pick<Visitors, 'sessions' | 'websites'>) {
    this.#sessions = sessions;
    this.#websites = websites;
  }

  /** The visitor behind a token; `elsewhere` when the page is none of their website. Without an origin it is no page. */
  async visitorOf(token: string, origin: string | undefined): Promise<VisitorCaller | 'elsewhere' | undefined> {
    const visitor = await this.#sessions.caller(token);
    const website = visitor && (await this.#websites.find(visitor.accountId, visitor.websiteId));
    if (!website) return undefined;
    return allows(website, origin) ? visitor : 'elsewhere';
  }

  /** Whether pages of an origin have any business here, before it is known with which website. */
  async knows(origin: string | undefined): Promise<boolean> {
    return origin === undefined || this.#websites.isKnown(origin);
  }
}

export function allows({ origins }: VisitorWebsite, origin: string | undefined): boolean {
  return origin === undefined || origins.includes(origin);
}
