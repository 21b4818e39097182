import type { Database } from '../../storage/database.ts';
import { type OpeningHours, parseOpeningHours } from '../directory/opening-hours.ts';
import { resolveOrigins } from '../directory/website.ts';
import { parseWidget, type WidgetOverrides } from '../directory/widget.ts';
import { ShortLivedCache } from '../kernel/caches.ts';

/** The data of a website that visitors need before they have a session. */
export interface VisitorWebsite {
  readonly accountId: number;
  readonly id: number;
  readonly origins: readonly string[];
  readonly secretVersion: number;
  /** The default for sessions. */
  readonly language: string;
  readonly timezone: string;
  readonly openingHours: OpeningHours | null;
  readonly widget: WidgetOverrides;
  /** Changes with the opening hours and the settings of the widget. */
  readonly settingsText: string;
  readonly operatorCount: number;
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
      const row = await this.#selectRows()
        .select(['timezone', 'openingHours', 'widget', 'operatorCount'])
        .where('accountId', '=', accountId)
        .where('id', '=', id)
        .executeTakeFirst();
      if (!row) return undefined;
      const { secretVersion, languageAdmin: language, timezone, operatorCount } = row;
      return {
        ...{ accountId, id, origins: resolveOrigins(parseOrigins(row)), secretVersion, language, timezone },
        openingHours: parseOpeningHours(row.openingHours),
        widget: parseWidget(row.widget),
        settingsText: `${row.openingHours} ${row.widget}`,
        operatorCount,
      };
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
