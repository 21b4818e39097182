import { sql } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';
import type { NodeWithAncestors, TreeKind, TreeNode, TreeNodeInput } from '../directory/tree.ts';
import {
  deleteNode,
  insertNode,
  loadParents,
  requireNode,
  TREE_TABLES,
  toTreeNode,
  updateNode,
} from '../directory/tree-store.ts';
import { countWebsitesAskingFor } from '../directory/website-store.ts';
import { endUnservable } from '../engine/conversations/unservable.ts';
import { routeAccountQueue } from '../engine/routing/queue.ts';
import { announce, computeChanges } from '../events/announce.ts';
import { type Caller, type Commit, requireAdmin } from '../kernel/caller.ts';
import { invalidField } from '../kernel/errors.ts';
import { buildIdCondition, buildTextCondition, type IdFilter, type TextFilter } from '../kernel/filters.ts';
import { nextId } from '../kernel/ids.ts';
import { Listing } from '../kernel/listing.ts';
import type { Page, Window } from '../kernel/page.ts';
import type { Slice, SlicePage } from '../kernel/slice.ts';
import { listAncestors, wouldCreateCycle } from '../kernel/tree.ts';
import { deleteRepliesOf } from './canned-replies/canned-reply-store.ts';
import { requireUnused } from './in-use.ts';
import { endUnusableLinks } from './password-links.ts';

export interface TreeFilters {
  readonly id?: IdFilter | undefined;
  readonly name?: TextFilter | undefined;
  readonly parentId?: IdFilter | undefined;
  /** Skills only: skills that any of these operators has. */
  readonly operatorId?: IdFilter | undefined;
}

/** Lists of more operators than this are read off-thread. */
const OFF_THREAD_THRESHOLD = 2000;

/** Groups and skills: same rules, two tables with the same columns. */
export class TreeService {
  readonly #database: Database;
  readonly #kind: TreeKind;
  readonly #table: 'skills';
  readonly #list: Listing<'skills', TreeNode>;

  constructor(database: Database, kind: TreeKind) {
    this.#database = database;
    this.#kind = kind;
    this.#table = TREE_TABLES[kind];
    this.#list = new Listing(database, this.#table, toTreeNode);
  }

  find(accountId: number, id: number): Promise<TreeNode | undefined> {
    return this.#list.find(accountId, id);
  }

  #buildQuery(accountId: number, filters: TreeFilters) {
    const { id, name, parentId, operatorId } = filters;
    let query = this.#database.read
      .selectFrom(this.#table)
      .where('accountId', '=', accountId)
      .where((eb) => this.#database.isWithinDeadline(eb.ref('id')));
    if (id) query = query.where((eb) => buildIdCondition(eb.ref('id'), id));
    if (name) query = query.where((eb) => buildTextCondition(eb.ref('nameFolded'), name));
    if (parentId) query = query.where((eb) => buildIdCondition(eb.ref('parentId'), parentId));
    if (operatorId) {
      query = query.where('id', 'in', (eb) =>
        eb
          .selectFrom('operatorSkills')
          .select('skillId')
          .where('operatorSkills.accountId', '=', accountId)
          .where((inner) => buildIdCondition(inner.ref('operatorSkills.operatorId'), operatorId)),
      );
    }
    return query;
  }

  page(accountId: number, filters: TreeFilters, window: Window): Promise<Page<TreeNode>> {
    return this.#list.page(accountId, this.#buildQuery(accountId, filters), window);
  }

  slice(accountId: number, filters: TreeFilters, slice: Slice): Promise<SlicePage<TreeNode>> {
    return this.#list.slice(accountId, this.#buildQuery(accountId, filters), slice);
  }

  count(accountId: number, filters: TreeFilters): Promise<number> {
    return this.#list.count(this.#buildQuery(accountId, filters));
  }

  load(accountId: number, ids: readonly number[]): Promise<TreeNode[]> {
    return this.#list.load(accountId, ids);
  }

  async create(
    commit: Commit<NodeWithAncestors>,
    caller: Caller,
    input: TreeNodeInput & { name: string },
  ): Promise<NodeWithAncestors> {
    requireAdmin(caller);
    return commit(async (tx) => {
      const { accountId } = caller;
      const [ancestors, id] = await Promise.all([
        this.#requireParent(tx, accountId, undefined, input.parentId ?? null),
        nextId(tx, accountId, this.#kind),
      ]);
      const node = {
        id,
        name: input.name,
        order: input.order ?? 0,
        parentId: input.parentId ?? null,
        createdAt: tx.now,
        operatorCount: 0,
      };
      insertNode(tx, caller, this.#kind, node);
      announce(tx, caller, `${this.#kind}.created`, node.id, computeChanges({}, eventSnapshot(node)));
      return { ...node, ancestors };
    });
  }

  async update(
    commit: Commit<NodeWithAncestors>,
    caller: Caller,
    id: number,
    input: TreeNodeInput,
  ): Promise<NodeWithAncestors> {
    requireAdmin(caller);
    return commit(async (tx) => {
      const { accountId } = caller;
      const before = await requireNode(tx, this.#kind, accountId, id);
      const parentId = input.parentId === undefined ? before.parentId : input.parentId;
      const node = { ...before, name: input.name ?? before.name, order: input.order ?? before.order, parentId };
      const ancestors = await this.#requireParent(tx, accountId, id, parentId);
      await updateNode(tx, caller, this.#kind, node);
      announce(tx, caller, `${this.#kind}.updated`, id, computeChanges(eventSnapshot(before), eventSnapshot(node)));
      // A new parent changes which operators are eligible for conversations that require one of its ancestors.
      if (parentId !== before.parentId) {
        if (this.#kind === 'group') await endUnusableLinks(tx, caller);
        await routeAccountQueue(tx, caller, 'directory_changed');
        await endUnservable(tx, caller);
      }
      return { ...node, ancestors };
    });
  }

  async delete(commit: Commit<TreeNode>, caller: Caller, id: number): Promise<TreeNode> {
    requireAdmin(caller);
    return commit(async (tx) => {
      const { accountId } = caller;
      const node = await requireNode(tx, this.#kind, accountId, id);
      const childCount = await tx.db
        .selectFrom(this.#table)
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('accountId', '=', accountId)
        .where('parentId', '=', id)
        .executeTakeFirstOrThrow();
      const openConversations = await tx.db
        .selectFrom('conversations')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('accountId', '=', accountId)
        .where(`${this.#kind}Id`, '=', id)
        .where('state', '<>', sql.lit('closed'))
        .executeTakeFirstOrThrow();
      requireUnused(this.#kind, id, {
        operators: node.operatorCount,
        [`child ${this.#kind}s`]: childCount.count,
        'open conversations': openConversations.count,
        'widgets of websites': await countWebsitesAskingFor(tx, caller, this.#kind, id),
      });
      if (this.#kind === 'group') await deleteRepliesOf(tx, caller, { scope: 'group', id });
      await deleteNode(tx, caller, this.#kind, id);
      announce(tx, caller, `${this.#kind}.deleted`, id);
      return node;
    });
  }

  /** Direct children of each node, in the order of `ids`. */
  async loadChildren(accountId: number, ids: readonly number[]): Promise<TreeNode[][]> {
    const rows = await this.#database.read
      .selectFrom(this.#table)
      .selectAll()
      .where('accountId', '=', accountId)
      .where('parentId', 'in', ids)
      .orderBy('position')
      .orderBy('id')
      .execute();
    const byParent = Map.groupBy(rows.map(toTreeNode), (node) => node.parentId);
    return ids.map((id) => byParent.get(id) ?? []);
  }

  /** Ancestors by node, nearest first. */
  async loadAncestors(accountId: number, nodes: readonly TreeNode[]): Promise<Map<number, number[]>> {
    const parents = nodes.some((node) => node.parentId !== null)
      ? await loadParents(this.#database.read, this.#kind, accountId)
      : new Map<number, number | null>();
    return new Map(nodes.map((node) => [node.id, listAncestors(node.parentId, parents)]));
  }

  /** Operator identifiers by node. */
  async loadOperatorIds(accountId: number, nodes: readonly TreeNode[]): Promise<Map<number, number[]>> {
    const ids = nodes.filter((node) => node.operatorCount > 0).map((node) => node.id);
    const lists = new Map<number, number[]>(nodes.map((node) => [node.id, []]));
    if (ids.length === 0) return lists;
    const query = this.#selectMembers(accountId, ids);
    const isLarge = nodes.reduce((sum, node) => sum + node.operatorCount, 0) > OFF_THREAD_THRESHOLD;
    const rows = isLarge ? await this.#database.readOffThread(query) : await query.execute();
    for (const { node, operator } of rows) lists.get(node)?.push(operator);
    return lists;
  }

  #selectMembers(accountId: number, ids: readonly number[]) {
    const { read } = this.#database;
    if (this.#kind === 'group') {
      return read
        .selectFrom('operators')
        .select((eb) => [eb.ref('groupId').$castTo<number>().as('node'), 'id as operator'])
        .where('accountId', '=', accountId)
        .where('groupId', 'in', ids)
        .where((eb) => this.#database.isWithinDeadline(eb.ref('id')))
        .orderBy('groupId')
        .orderBy('id');
    }
    return read
      .selectFrom('operatorSkills')
      .select((eb) => [eb.ref('skillId').as('node'), 'operatorId as operator'])
      .where('accountId', '=', accountId)
      .where('skillId', 'in', ids)
      .where((eb) => this.#database.isWithinDeadline(eb.ref('operatorId')))
      .orderBy('skillId')
      .orderBy('operatorId');
  }

  /** Rejects a parent that does not exist or would create a cycle. Returns the ancestors, nearest first. */
  async #requireParent(
    tx: Transaction,
    accountId: number,
    id: number | undefined,
    parentId: number | null,
  ): Promise<number[]> {
    if (parentId === null) return [];
    const parents = await loadParents(tx.db, this.#kind, accountId);
    if (!parents.has(parentId)) throw invalidField('parentId', `must be an existing ${this.#kind}`);
    if (id !== undefined && wouldCreateCycle(id, parentId, parents)) {
      throw invalidField('parentId', `must not be the ${this.#kind} itself or one of its descendants`);
    }
    return listAncestors(parentId, parents);
  }
}

function eventSnapshot({ name, order, parentId }: TreeNode) {
  return { name, order, parentId };
}
