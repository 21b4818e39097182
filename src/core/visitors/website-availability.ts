import type { EventLog } from '../events/event-log.ts';
import { upToEntries, VersionedCache } from '../kernel/caches.ts';
import type { VisitorCaller } from '../kernel/caller.ts';
import type { SkillAvailabilities, SkillAvailability } from '../live/skill-availability.ts';

/**
 * Every page view of a website checks availability before it shows a button. A result is cached until something changes
 * in the account, and no longer than this, because leases expire without an event.
 */
const CACHE_TTL_MS = 1000;

/** Whether an operator is available for a visitor right now. */
export class WebsiteAvailability {
  readonly #availabilities: SkillAvailabilities;
  readonly #events: EventLog;
  readonly #cache = new VersionedCache<Promise<SkillAvailability>>({ ...upToEntries(10_000), ttl: CACHE_TTL_MS });

  constructor(availabilities: SkillAvailabilities, events: EventLog) {
    this.#availabilities = availabilities;
    this.#events = events;
  }

  /** The language defaults to that of the session, as when a conversation is started. */
  async check(
    { accountId, websiteId, language: sessionLanguage }: VisitorCaller,
    {
      skillId,
      language = sessionLanguage,
    }: { readonly skillId?: number | undefined; readonly language?: string | undefined },
  ): Promise<SkillAvailability> {
    const position = await this.#events.readPosition(accountId);
    const key = [accountId, websiteId, skillId ?? '', language].join(' ');
    const cached = this.#cache.get(key, position);
    return cached ?? this.#cache.set(key, position, this.#load(accountId, { skillId, websiteId, language }));
  }

  async #load(accountId: number, query: Parameters<SkillAvailabilities['read']>[1][number]) {
    const [availability] = await this.#availabilities.read(accountId, [query]);
    return availability as SkillAvailability;
  }
}
