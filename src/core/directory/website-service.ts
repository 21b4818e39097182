import { sql } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';
import { announce, changesBetween } from '../announce.ts';
import { type Caller, type Commit, requireAdmin } from '../caller.ts';
import { takeTagsOffWebsite } from '../conversations/tag-service.ts';
import { unknownId } from '../errors.ts';
import { type IdFilter, matchesId, matchesText, type TextFilter } from '../filters.ts';
import type { InstallationSecrets } from '../identity/secrets.ts';
import { nextId } from '../ids.ts';
import type { Page, Window } from '../page.ts';
import { cut, type Slice, type SlicePage, sliced } from '../slice.ts';
import { fold } from '../text.ts';
import { refuseInUse } from './in-use.ts';
import { type Website, type WebsiteCreate, type WebsiteUpdate, websiteWithDefaults } from './website.ts';

export interface WebsiteFilters {
  readonly id?: IdFilter | undefined;
  readonly label?: TextFilter | undefined;
  readonly url?: TextFilter | undefined;
}

export class WebsiteService {
  readonly #database: Database;

  readonly #secrets: InstallationSecrets;

  constructor(database: Database, secrets: InstallationSecrets) {
    this.#database = database;
    this.#secrets = secrets;
  }

  async find(accountId: number, id: number): Promise<Website | undefined> {
    return (await this.load(accountId, [id]))[0];
  }

  #filtered(accountId: number, filters: WebsiteFilters) {
    let query = this.#database.read
      .selectFrom('websites')
      .where('accountId', '=', accountId)
      .where((eb) => this.#database.withinDeadline(eb.ref('id')));
    const { id, label, url } = filters;
    if (id) query = query.where((eb) => matchesId(eb.ref('id'), id));
    if (label) query = query.where((eb) => matchesText(eb.ref('labelFolded'), label));
    if (url) query = query.where((eb) => matchesText(eb.ref('urlFolded'), url));
    return query;
  }

  async page(accountId: number, filters: WebsiteFilters, window: Window): Promise<Page<Website>> {
    const query = this.#filtered(accountId, filters).select('id').orderBy('id', 'desc');
    const ids = (await this.#database.slowly(query.limit(window.limit).offset(window.offset))).map((row) => row.id);
    return { rows: await this.load(accountId, ids), count: await this.count(accountId, filters) };
  }

  async slice(accountId: number, filters: WebsiteFilters, slice: Slice): Promise<SlicePage<Website>> {
    const query = sliced(this.#filtered(accountId, filters).select('id'), 'id', slice);
    const page = cut(
      (await this.#database.slowly(query)).map((row) => row.id),
      slice,
    );
    return { ...page, rows: await this.load(accountId, page.rows) };
  }

  async count(accountId: number, filters: WebsiteFilters): Promise<number> {
    const query = this.#filtered(accountId, filters).select((eb) => eb.fn.countAll<number>().as('count'));
    return (await this.#database.slowly(query))[0]?.count ?? 0;
  }

  async create(caller: Caller, input: WebsiteCreate, commit: Commit<Website>): Promise<Website> {
    requireAdmin(caller);
    return commit(async (tx) => {
      const id = await nextId(tx, caller.accountId, 'website');
      const website: Website = {
        id,
        clientId: caller.accountId,
        ...websiteWithDefaults(input),
        allowedOrigins: input.allowedOrigins ?? [],
        secretVersion: 1,
      };
      await tx.db
        .insertInto('websites')
        .values({ accountId: caller.accountId, id, operatorCount: 0, ...columns(website) })
        .execute();
      announce(tx, caller, 'website.created', id, changesBetween({}, shown(website)));
      return website;
    });
  }

  async update(caller: Caller, id: number, input: WebsiteUpdate, commit: Commit<Website>): Promise<Website> {
    requireAdmin(caller);
    return commit(async (tx) => {
      const { accountId } = caller;
      const before = fromRow(await requireRow(tx, accountId, id));
      const website: Website = {
        ...before,
        url: input.url ?? before.url,
        label: input.label ?? before.label,
        currency: input.currency ?? before.currency,
        languageAdmin: input.languageAdmin ?? before.languageAdmin,
        timezone: input.timezone ?? before.timezone,
        allowedOrigins: input.allowedOrigins ?? before.allowedOrigins,
      };
      await tx.db
        .updateTable('websites')
        .set(columns(website))
        .where('accountId', '=', accountId)
        .where('id', '=', id)
        .execute();
      announce(tx, caller, 'website.updated', id, changesBetween(before, website));
      return website;
    });
  }

  /** The secret with which the website vouches for who its visitors are. */
  visitorSecret(caller: Caller, { id, secretVersion }: Website): string {
    requireAdmin(caller);
    return this.#secrets.websiteSecret(caller.accountId, id, secretVersion);
  }

  /** A new secret; what was signed with the old one is worth nothing from now on. */
  async rotateSecret(caller: Caller, id: number, commit: Commit<Website>): Promise<Website> {
    requireAdmin(caller);
    return commit(async (tx) => {
      const { accountId } = caller;
      const before = fromRow(await requireRow(tx, accountId, id));
      const secretVersion = before.secretVersion + 1;
      await tx.db
        .updateTable('websites')
        .set({ secretVersion })
        .where('accountId', '=', accountId)
        .where('id', '=', id)
        .execute();
      announce(tx, caller, 'website.updated', id, { fields: ['visitorSecret'], values: {} });
      return { ...before, secretVersion };
    });
  }

  async remove(caller: Caller, id: number, commit: Commit<Website>): Promise<Website> {
    requireAdmin(caller);
    return commit(async (tx) => {
      const { accountId } = caller;
      const row = await requireRow(tx, accountId, id);
      const open = await tx.db
        .selectFrom('conversations')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('accountId', '=', accountId)
        .where('websiteId', '=', id)
        .where('state', '<>', sql.lit('closed'))
        .executeTakeFirstOrThrow();
      refuseInUse('website', id, { operators: row.operatorCount, 'open conversations': open.count });
      await takeTagsOffWebsite(tx, caller, id);
      await tx.db.deleteFrom('websites').where('accountId', '=', accountId).where('id', '=', id).execute();
      announce(tx, caller, 'website.deleted', id);
      return fromRow(row);
    });
  }

  async load(accountId: number, ids: readonly number[]): Promise<Website[]> {
    if (ids.length === 0) return [];
    const rows = await this.#database.read
      .selectFrom('websites')
      .selectAll()
      .where('accountId', '=', accountId)
      .where('id', 'in', ids)
      .orderBy('id', 'desc')
      .execute();
    return rows.map(fromRow);
  }
}

function columns(website: Website) {
  const { url, label, currency, languageAdmin, timezone, secretVersion } = website;
  const folded = { urlFolded: fold(url), labelFolded: fold(label) };
  const allowedOrigins = JSON.stringify(website.allowedOrigins);
  return { url, label, ...folded, currency, languageAdmin, timezone, allowedOrigins, secretVersion };
}

/** Without what nobody sees. */
function shown({ secretVersion: _version, ...website }: Website) {
  return website;
}

async function requireRow(tx: Transaction, accountId: number, id: number) {
  const row = await tx.db
    .selectFrom('websites')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw unknownId('website', id);
  return row;
}

interface WebsiteRow {
  accountId: number;
  id: number;
  url: string;
  label: string;
  currency: string;
  languageAdmin: string;
  timezone: string;
  allowedOrigins: string;
  secretVersion: number;
}

function fromRow({ accountId, id, url, label, currency, languageAdmin, timezone, ...row }: WebsiteRow): Website {
  return {
    id,
    url,
    label,
    clientId: accountId,
    currency,
    languageAdmin: languageAdmin as Website['languageAdmin'],
    timezone,
    allowedOrigins: JSON.parse(row.allowedOrigins) as string[],
    secretVersion: row.secretVersion,
  };
}
