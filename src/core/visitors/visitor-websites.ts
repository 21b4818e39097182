import { LRUCache } from 'lru-cache';
import type { Database } from '../../storage/database.ts';
import { REMEMBERED_MS } from '../access/tokens.ts';
import { originsOf } from '../directory/website.ts';

/** A website as its visitors come to it. */
export interface VisitorWebsite {
  readonly accountId: number;
  readonly id: number;
  readonly origins: readonly string[];
  readonly secretVersion: number;
  /** Of those who do not say which one they speak. */
  readonly language: string;
}

/** From where visitors may come. A change is noticed within a second. */
export class VisitorWebsites {
  readonly #database: Database;
  readonly #remembered = new LRUCache<string, VisitorWebsite>({ max: 10_000, ttl: REMEMBERED_MS });
  readonly #allOrigins = new LRUCache<'all', Promise<ReadonlySet<string>>>({ max: 1, ttl: REMEMBERED_MS });

  constructor(database: Database) {
    this.#database = database;
  }

  async find(accountId: number, id: number): Promise<VisitorWebsite | undefined> {
    const name = `${accountId} ${id}`;
    const known = this.#remembered.get(name);
    if (known) return known;
    const start = performance.now();
    const row = await this.#rows().where('accountId', '=', accountId).where('id', '=', id).executeTakeFirst();
    if (!row) return undefined;
    const { secretVersion, languageAdmin: language } = row;
    const website = { accountId, id, origins: originsOf(parsed(row)), secretVersion, language };
    this.#remembered.set(name, website, { start });
    return website;
  }

  /** Whether a page of this origin belongs to any website at all: all that can be asked before a website is named. */
  async isKnown(origin: string): Promise<boolean> {
    let all = this.#allOrigins.get('all');
    if (!all) {
      all = this.#readOrigins();
      this.#allOrigins.set('all', all);
      all.catch(() => this.#allOrigins.delete('all')); // the next one asks again
    }
    return (await all).has(origin);
  }

  async #readOrigins(): Promise<ReadonlySet<string>> {
    const rows = await this.#rows().execute();
    return new Set(rows.flatMap((row) => originsOf(parsed(row))));
  }

  #rows() {
    return this.#database.read
      .selectFrom('websites')
      .select(['accountId', 'id', 'url', 'allowedOrigins', 'secretVersion', 'languageAdmin']);
  }
}

function parsed({ url, allowedOrigins }: { url: string; allowedOrigins: string }) {
  return { url, allowedOrigins: JSON.parse(allowedOrigins) as string[] };
}
