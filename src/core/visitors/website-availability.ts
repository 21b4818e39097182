import type { EventLog } from '../events/event-log.ts';
import { VersionedCache } from '../kernel/caches.ts';
import type { VisitorCaller } from '../kernel/caller.ts';
import type { SkillAvailabilities, SkillAvailability } from '../live/skill-availability.ts';

/**
 * Every page of a website asks before it shows a button: an answer serves all who ask until something changes in the account, and
 * no longer than this, because leases end by time alone.
 */
const REMEMBERED_MS = 1000;

/** "Is anybody free for me now?", as visitors ask it. */
export class WebsiteAvailability {
  readonly #availabilities: SkillAvailabilities;
  readonly #events: EventLog;
  readonly #remembered = new VersionedCache<Promise<SkillAvailability>>({ max: 10_000, ttl: REMEMBERED_MS });

  constructor(availabilities: SkillAvailabilities, events: EventLog) {
    this.#availabilities = availabilities;
    this.#events = events;
  }

  /** For the language of the session unless another is named, as when a conversation is started. */
  async of(
    { accountId, websiteId, language: spoken }: VisitorCaller,
    { skillId, language = spoken }: { readonly skillId?: number | undefined; readonly language?: string | undefined },
  ): Promise<SkillAvailability> {
    const position = await this.#events.position(accountId);
    const name = [accountId, websiteId, skillId ?? '', language].join(' ');
    const known = this.#remembered.get(name, position);
    return known ?? this.#remembered.set(name, position, this.#ask(accountId, { skillId, websiteId, language }));
  }

  async #ask(accountId: number, question: Parameters<SkillAvailabilities['answer']>[1][number]) {
    const [answer] = await this.#availabilities.answer(accountId, [question]);
    return answer as SkillAvailability;
  }
}
