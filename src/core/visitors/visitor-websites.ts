import type { Database } from '../../storage/database.ts';
import { resolveOrigins } from '../directory/website.ts';
import { ShortLivedCache } from '../kernel/caches.ts';

/** The data of a website that is needed to open a session. */
export interface VisitorWebsite {
  readonly accountId: number;
  readonly id: number;
  readonly origins: readonly string[];
  readonly secretVersion: number;
  /** The default for sessions. */
  readonly language: string;
}

/** Finds websites and their allowed origins. A change takes effect within a second. */
export class VisitorWebsites {
  readonly #database: Database;
  readonly #cache = new ShortLivedCache<VisitorWebsite>();
  readonly #allOrigins = new ShortLivedCache<ReadonlySet<string>>(1);

  constructor(database: Database) {
    this.#database = database;
  }

  find(accountId: number, id: number): Promise<VisitorWebsite | undefined> {
    return this.#cache.get(`${accountId} ${id}`, async () => {
      const row = await this.#selectRows().where('accountId', '=', accountId).where('id', '=', id).executeTakeFirst();
      if (!row) return undefined;
      const { secretVersion, languageAdmin: language } = row;
      return { accountId, id, origins: resolveOrigins(parseOrigins(row)), secretVersion, language };
    });
  }

  /** Whether the origin belongs to any website: all that can be checked before the website is known. */
  async isKnownOrigin(origin: string): Promise<boolean> {
    const knownOrigins = await this.#allOrigins.get('all', () => this.#readOrigins());
    return knownOrigins?.has(origin) === true;
  }

  async #readOrigins(): Promise<ReadonlySet<string>> {
    const rows = await this.#selectRows().execute();
    return new Set(rows.flatMap((row) => resolveOrigins(parseOrigins(row))));
  }

  #selectRows() {
    return this.#database.read
      .selectFrom('websites')
      .select(['accountId', 'id', 'url', 'allowedOrigins', 'secretVersion', 'languageAdmin']);
  }
}

function parseOrigins({ url, allowedOrigins }: { url: string; allowedOrigins: string }) {
  return { url, allowedOrigins: JSON.parse(allowedOrigins) as string[] };
}
