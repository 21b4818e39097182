import { LRUCache } from 'lru-cache';
import type { SkillAvailabilities, SkillAvailability } from '../availability/skill-availability.ts';
import type { VisitorCaller } from '../conversations/conversation-access.ts';

/** Every page of a website asks before it shows a button: an answer serves all who ask within a second. */
const REMEMBERED_MS = 1000;

/** "Is anybody free for me now?", as visitors ask it. */
export class WebsiteAvailability {
  readonly #availabilities: SkillAvailabilities;
  readonly #remembered = new LRUCache<string, Promise<SkillAvailability>>({ max: 10_000, ttl: REMEMBERED_MS });

  constructor(availabilities: SkillAvailabilities) {
    this.#availabilities = availabilities;
  }

  /** For the language of the session unless another is named, as when a conversation is started. */
  of(
    { accountId, websiteId, language: spoken }: VisitorCaller,
    { skillId, language = spoken }: { readonly skillId?: number | undefined; readonly language?: string | undefined },
  ): Promise<SkillAvailability> {
    const name = [accountId, websiteId, skillId ?? '', language].join(' ');
    const known = this.#remembered.get(name);
    if (known) return known;
    const asked = this.#ask(accountId, { skillId, websiteId, language });
    this.#remembered.set(name, asked);
    asked.catch(() => this.#remembered.delete(name));
    return asked;
  }

  async #ask(accountId: number, question: Parameters<SkillAvailabilities['answer']>[1][number]) {
    const [answer] = await this.#availabilities.answer(accountId, [question]);
    return answer as SkillAvailability;
  }
}
