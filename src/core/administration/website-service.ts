import { sql } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';
import type { InstallationSecrets } from '../access/secrets.ts';
import {
  DEFAULT_ABSENCE_MINUTES,
  type Website,
  type WebsiteCreate,
  type WebsiteUpdate,
  withWebsiteDefaults,
} from '../directory/website.ts';
import {
  deleteWebsite,
  insertWebsite,
  requireWebsiteRow,
  toWebsite,
  updateWebsite,
} from '../directory/website-store.ts';
import { mergeWidget, type WidgetOverrides } from '../directory/widget.ts';
import { passOverAbsent, restoreQueueOrders } from '../engine/records/conversation-store.ts';
import { routeAccountQueue } from '../engine/routing/queue.ts';
import { announce, computeChanges } from '../events/announce.ts';
import { type Caller, type Commit, requireAdmin } from '../kernel/caller.ts';
import { invalidField } from '../kernel/errors.ts';
import { buildIdCondition, buildTextCondition, type IdFilter, type TextFilter } from '../kernel/filters.ts';
import { nextId } from '../kernel/ids.ts';
import { Listing } from '../kernel/listing.ts';
import type { Page, Window } from '../kernel/page.ts';
import type { Slice, SlicePage } from '../kernel/slice.ts';
import { createTargetLookup } from '../operators/targets.ts';
import { requireUnused } from './in-use.ts';
import { removeWebsiteFromTags } from './tag-service.ts';

export interface WebsiteFilters {
  readonly id?: IdFilter | undefined;
  readonly label?: TextFilter | undefined;
  readonly url?: TextFilter | undefined;
}

export class WebsiteService {
  readonly #database: Database;
  readonly #list: Listing<'websites', Website>;
  readonly #secrets: InstallationSecrets;

  constructor(database: Database, secrets: InstallationSecrets) {
    this.#database = database;
    this.#list = new Listing(database, 'websites', toWebsite);
    this.#secrets = secrets;
  }

  find(accountId: number, id: number): Promise<Website | undefined> {
    return this.#list.find(accountId, id);
  }

  #buildQuery(accountId: number, filters: WebsiteFilters) {
    let query = this.#database.read
      .selectFrom('websites')
      .where('accountId', '=', accountId)
      .where((eb) => this.#database.isWithinDeadline(eb.ref('id')));
    const { id, label, url } = filters;
    if (id) query = query.where((eb) => buildIdCondition(eb.ref('id'), id));
    if (label) query = query.where((eb) => buildTextCondition(eb.ref('labelFolded'), label));
    if (url) query = query.where((eb) => buildTextCondition(eb.ref('urlFolded'), url));
    return query;
  }

  page(accountId: number, filters: WebsiteFilters, window: Window): Promise<Page<Website>> {
    return this.#list.page(accountId, this.#buildQuery(accountId, filters), window);
  }

  slice(accountId: number, filters: WebsiteFilters, slice: Slice): Promise<SlicePage<Website>> {
    return this.#list.slice(accountId, this.#buildQuery(accountId, filters), slice);
  }

  count(accountId: number, filters: WebsiteFilters): Promise<number> {
    return this.#list.count(this.#buildQuery(accountId, filters));
  }

  load(accountId: number, ids: readonly number[]): Promise<Website[]> {
    return this.#list.load(accountId, ids);
  }

  async create(commit: Commit<Website>, caller: Caller, input: WebsiteCreate): Promise<Website> {
    requireAdmin(caller);
    return commit(async (tx) => {
      const widget = mergeWidget({}, input.widget ?? {});
      await requireWidgetTargets(tx, caller, widget);
      const id = await nextId(tx, caller.accountId, 'website');
      const website: Website = {
        id,
        clientId: caller.accountId,
        ...withWebsiteDefaults(input),
        allowedOrigins: input.allowedOrigins ?? [],
        secretVersion: 1,
        openingHours: input.openingHours ?? null,
        waitingAbsenceMinutes: input.waitingAbsenceMinutes ?? DEFAULT_ABSENCE_MINUTES.waitingAbsenceMinutes,
        activeAbsenceMinutes: input.activeAbsenceMinutes ?? DEFAULT_ABSENCE_MINUTES.activeAbsenceMinutes,
        widget,
      };
      await insertWebsite(tx, caller, website);
      announce(tx, caller, 'website.created', id, computeChanges({}, toEventSnapshot(website)));
      return website;
    });
  }

  async update(commit: Commit<Website>, caller: Caller, id: number, input: WebsiteUpdate): Promise<Website> {
    requireAdmin(caller);
    return commit(async (tx) => {
      const before = toWebsite(await requireWebsiteRow(tx, caller.accountId, id));
      const website: Website = {
        ...before,
        url: input.url ?? before.url,
        label: input.label ?? before.label,
        currency: input.currency ?? before.currency,
        languageAdmin: input.languageAdmin ?? before.languageAdmin,
        timezone: input.timezone ?? before.timezone,
        allowedOrigins: input.allowedOrigins ?? before.allowedOrigins,
        openingHours: input.openingHours === undefined ? before.openingHours : input.openingHours,
        waitingAbsenceMinutes: input.waitingAbsenceMinutes ?? before.waitingAbsenceMinutes,
        activeAbsenceMinutes: input.activeAbsenceMinutes ?? before.activeAbsenceMinutes,
        widget: input.widget === undefined ? before.widget : mergeWidget(before.widget, input.widget),
      };
      await requireWidgetTargets(tx, caller, website.widget, before.widget);
      await updateWebsite(tx, caller, website);
      announce(tx, caller, 'website.updated', id, computeChanges(before, website));
      if (before.waitingAbsenceMinutes > 0 && website.waitingAbsenceMinutes === 0)
        await stopPassingOver(tx, caller, id);
      if (before.waitingAbsenceMinutes === 0 && website.waitingAbsenceMinutes > 0) await passOverAbsent(tx, caller, id);
      return website;
    });
  }

  /** Derives the secret with which the website signs the `externalId` of its visitors. */
  deriveVisitorSecret(caller: Caller, { id, secretVersion }: Website): string {
    requireAdmin(caller);
    return this.#secrets.deriveVisitorSecret(caller.accountId, id, secretVersion);
  }

  /** Derives the secret with which the website signs identity tokens. */
  deriveIdentitySecret(caller: Caller, { id, secretVersion }: Website): string {
    requireAdmin(caller);
    return this.#secrets.deriveIdentitySecret(caller.accountId, id, secretVersion);
  }

  /** Signatures and tokens with the old secrets are no longer accepted. */
  async rotateSecret(commit: Commit<Website>, caller: Caller, id: number): Promise<Website> {
    requireAdmin(caller);
    return commit(async (tx) => {
      const before = toWebsite(await requireWebsiteRow(tx, caller.accountId, id));
      const website = { ...before, secretVersion: before.secretVersion + 1 };
      await updateWebsite(tx, caller, website);
      announce(tx, caller, 'website.updated', id, { fields: ['visitorSecret', 'identitySecret'], values: {} });
      return website;
    });
  }

  async delete(commit: Commit<Website>, caller: Caller, id: number): Promise<Website> {
    requireAdmin(caller);
    return commit(async (tx) => {
      const { accountId } = caller;
      const row = await requireWebsiteRow(tx, accountId, id);
      const website = toWebsite(row);
      const openConversations = await tx.db
        .selectFrom('conversations')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('accountId', '=', accountId)
        .where('websiteId', '=', id)
        .where('state', '<>', sql.lit('closed'))
        .executeTakeFirstOrThrow();
      const openMessages = await tx.db
        .selectFrom('messagesLeft')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('accountId', '=', accountId)
        .where('websiteId', '=', id)
        .where('doneAt', 'is', null)
        .executeTakeFirstOrThrow();
      requireUnused('website', id, {
        operators: row.operatorCount,
        'open conversations': openConversations.count,
        'open messages left': openMessages.count,
      });
      await removeWebsiteFromTags(tx, caller, id);
      await deleteWebsite(tx, caller, id);
      announce(tx, caller, 'website.deleted', id);
      return website;
    });
  }
}

/** Conversations of absent visitors are offered again. */
async function stopPassingOver(tx: Transaction, caller: Caller, websiteId: number): Promise<void> {
  await restoreQueueOrders(tx, caller, websiteId);
  await routeAccountQueue(tx, caller, 'directory_changed');
}

/** Throws if the widget asks for a skill or group that does not exist, unless it did so before. */
async function requireWidgetTargets(
  tx: Transaction,
  { accountId }: Caller,
  widget: WidgetOverrides,
  before: WidgetOverrides = {},
): Promise<void> {
  const targets = createTargetLookup(tx, accountId);
  for (const kind of ['skill', 'group'] as const) {
    const id = widget[`${kind}Id`] ?? undefined;
    if (id === undefined || id === before[`${kind}Id`]) continue;
    if (!(await targets.allExist(`${kind}s`, [id])))
      throw invalidField(['widget', `${kind}Id`], `must name a ${kind} of the account`);
  }
}

/** Omits internal fields. */
function toEventSnapshot({ secretVersion: _version, ...website }: Website) {
  return website;
}
