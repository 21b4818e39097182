import type { Database, Transaction } from '../../storage/database.ts';
import type { Tag, TagCreate, TagUpdate } from '../directory/tag.ts';
import { deleteTag, insertTag, requireTag, toTag, updateTag } from '../directory/tag-store.ts';
import { removeTag } from '../engine/records/conversation-tags.ts';
import { announce, computeChanges } from '../events/announce.ts';
import { type ActorContext, type Caller, type Commit, requireAdmin } from '../kernel/caller.ts';
import { DomainError, invalidField } from '../kernel/errors.ts';
import { buildIdCondition, buildTextCondition, type IdFilter, type TextFilter } from '../kernel/filters.ts';
import { nextId } from '../kernel/ids.ts';
import { Listing } from '../kernel/listing.ts';
import type { Page, Window } from '../kernel/page.ts';
import type { Slice, SlicePage } from '../kernel/slice.ts';
import { fold } from '../kernel/text.ts';
import { createTargetLookup } from '../operators/targets.ts';

export interface TagFilters {
  readonly id?: IdFilter | undefined;
  readonly name?: TextFilter | undefined;
  readonly websiteId?: IdFilter | undefined;
}

/** Tags of an account: created by admins, set on conversations by operators. */
export class TagService {
  readonly #database: Database;
  readonly #list: Listing<'tags', Tag>;

  constructor(database: Database) {
    this.#database = database;
    this.#list = new Listing(database, 'tags', toTag);
  }

  find(accountId: number, id: number): Promise<Tag | undefined> {
    return this.#list.find(accountId, id);
  }

  load(accountId: number, ids: readonly number[]): Promise<Tag[]> {
    return this.#list.load(accountId, ids);
  }

  page(accountId: number, filters: TagFilters, window: Window): Promise<Page<Tag>> {
    return this.#list.page(accountId, this.#buildQuery(accountId, filters), window);
  }

  slice(accountId: number, filters: TagFilters, slice: Slice): Promise<SlicePage<Tag>> {
    return this.#list.slice(accountId, this.#buildQuery(accountId, filters), slice);
  }

  count(accountId: number, filters: TagFilters): Promise<number> {
    return this.#list.count(this.#buildQuery(accountId, filters));
  }

  /** Loads the tag identifiers of each conversation, in ascending order. */
  async loadTagIds(accountId: number, ids: readonly number[]): Promise<ReadonlyMap<number, readonly number[]>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#database.read
      .selectFrom('conversationTags')
      .select(['conversationId', 'tagId'])
      .where('accountId', '=', accountId)
      .where('conversationId', 'in', ids)
      .orderBy('conversationId')
      .orderBy('tagId')
      .execute();
    const lists = new Map<number, number[]>(ids.map((id) => [id, []]));
    for (const { conversationId, tagId } of rows) lists.get(conversationId)?.push(tagId);
    return lists;
  }

  async create(commit: Commit<Tag>, caller: Caller, input: TagCreate): Promise<Tag> {
    requireAdmin(caller);
    return commit(async (tx) => {
      const { accountId } = caller;
      const targets = createTargetLookup(tx, accountId);
      const websiteList = sortUnique(input.websiteList ?? (await targets.loadAllWebsiteIds()));
      await requireValidTag(tx, accountId, { name: input.name, websiteList });
      const id = await nextId(tx, accountId, 'tag');
      const tag = { id, name: input.name, websiteList, createdAt: tx.now };
      await insertTag(tx, caller, tag);
      announce(tx, caller, 'tag.created', id, computeChanges({}, toEventSnapshot(tag)));
      return tag;
    });
  }

  async update(commit: Commit<Tag>, caller: Caller, id: number, input: TagUpdate): Promise<Tag> {
    requireAdmin(caller);
    return commit(async (tx) => {
      const { accountId } = caller;
      const before = await requireTag(tx, accountId, id);
      const websiteList = input.websiteList ? sortUnique(input.websiteList) : before.websiteList;
      const tag = { ...before, name: input.name ?? before.name, websiteList };
      await requireValidTag(tx, accountId, tag);
      await updateAndAnnounce(tx, caller, before, tag);
      return tag;
    });
  }

  /** Also removes the tag from every conversation. */
  async delete(commit: Commit<Tag>, caller: Caller, id: number): Promise<Tag> {
    requireAdmin(caller);
    return commit(async (tx) => {
      const { accountId } = caller;
      const tag = await requireTag(tx, accountId, id);
      await removeTag(tx, caller, id);
      await deleteTag(tx, caller, tag);
      announce(tx, caller, 'tag.deleted', id);
      return tag;
    });
  }

  #buildQuery(accountId: number, { id, name, websiteId }: TagFilters) {
    let query = this.#database.read
      .selectFrom('tags')
      .where('accountId', '=', accountId)
      .where((eb) => this.#database.isWithinDeadline(eb.ref('id')));
    if (id) query = query.where((eb) => buildIdCondition(eb.ref('id'), id));
    if (name) query = query.where((eb) => buildTextCondition(eb.ref('nameFolded'), name));
    if (websiteId) {
      query = query.where('id', 'in', (eb) =>
        eb
          .selectFrom('tagWebsites')
          .select('tagId')
          .where('tagWebsites.accountId', '=', accountId)
          .where((inner) => buildIdCondition(inner.ref('tagWebsites.websiteId'), websiteId)),
      );
    }
    return query;
  }
}

export async function removeWebsiteFromTags(tx: Transaction, context: ActorContext, websiteId: number): Promise<void> {
  const { accountId } = context;
  const rows = await tx.db
    .selectFrom('tags')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('tagWebsites')
        .select('tagId')
        .where('tagWebsites.accountId', '=', accountId)
        .where('tagWebsites.websiteId', '=', websiteId),
    )
    .execute();
  for (const tag of rows.map(toTag)) {
    const websiteList = tag.websiteList.filter((id) => id !== websiteId);
    await updateAndAnnounce(tx, context, tag, { ...tag, websiteList });
  }
}

async function updateAndAnnounce(tx: Transaction, context: ActorContext, before: Tag, tag: Tag): Promise<void> {
  await updateTag(tx, context, before, tag);
  announce(tx, context, 'tag.updated', tag.id, computeChanges(toEventSnapshot(before), toEventSnapshot(tag)));
}

/** Makes the checks that need the database: existing websites and a unique name. */
async function requireValidTag(
  tx: Transaction,
  accountId: number,
  { id, name, websiteList }: Pick<Tag, 'name' | 'websiteList'> & { readonly id?: number },
): Promise<void> {
  if (!(await createTargetLookup(tx, accountId).allExist('websites', websiteList))) {
    throw invalidField('websiteList', 'must name websites of the account');
  }
  const existing = await tx.db
    .selectFrom('tags')
    .select('id')
    .where('accountId', '=', accountId)
    .where('nameFolded', '=', fold(name))
    .executeTakeFirst();
  if (existing && existing.id !== id) {
    throw new DomainError('conflict', 'The name is already used.', {
      problems: [{ path: ['name'], code: 'invalid', rule: 'is already used by another tag' }],
    });
  }
}

function sortUnique(ids: readonly number[]): number[] {
  return [...new Set(ids)].sort((a, b) => a - b);
}

function toEventSnapshot({ name, websiteList }: Tag) {
  return { name, websiteList };
}
