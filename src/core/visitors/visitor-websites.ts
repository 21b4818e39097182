import type { Database } from '../../storage/database.ts';
import { originsOf } from '../directory/website.ts';
import { ShortLivedCache } from '../kernel/caches.ts';

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
  readonly #remembered = new ShortLivedCache<VisitorWebsite>();
  readonly #allOrigins = new ShortLivedCache<ReadonlySet<string>>(1);

  constructor(database: Database) {
    this.#database = database;
  }

  find(accountId: number, id: number): Promise<VisitorWebsite | undefined> {
    return this.#remembered.get(`${accountId} ${id}`, async () => {
      const row = await this.#rows().where('accountId', '=', accountId).where('id', '=', id).executeTakeFirst();
      if (!row) return undefined;
      const { secretVersion, languageAdmin: language } = row;
      return { accountId, id, origins: originsOf(parsed(row)), secretVersion, language };
    });
  }

  /** Whether a page of this origin belongs to any website at all: all that can be asked before a website is named. */
  async isKnown(origin: string): Promise<boolean> {
    const all = await this.#allOrigins.get('all', () => this.#readOrigins());
    return all?.has(origin) === true;
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
