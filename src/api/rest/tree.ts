import type { FastifyInstance } from 'fastify';
import type { TreeService } from '../../core/administration/tree-service.ts';
import {
  groupCreate,
  groupSchema,
  groupUpdate,
  type NodeWithAncestors,
  skillCreate,
  skillSchema,
  skillUpdate,
  type TreeKind,
  type TreeNode,
  type TreeNodeInput,
} from '../../core/directory/tree.ts';
import type { Caller } from '../../core/kernel/caller.ts';
import { unknownId } from '../../core/kernel/errors.ts';
import type { Window } from '../../core/kernel/page.ts';
import type { RestUsage } from '../../core/reports/rest-usage.ts';
import { readBody } from './body.ts';
import { toWireDate } from './dates.ts';
import { renderSingle } from './envelope.ts';
import { WriteMeter } from './meter.ts';
import type { Filters, Selection } from './query.ts';
import { rejectOtherLink, rejectReadOnlyChanges } from './read-only.ts';
import { type Resource, readPathId, registerReads, renderObject } from './resource.ts';
import { readInput } from './wire.ts';
import { registerDelete, toCreatedResponse, type Writes } from './write.ts';

export const TREE_FILTERS = {
  group: {
    id: { name: 'id', kind: 'id' },
    name: { name: 'name', kind: 'text' },
    parent_id: { name: 'parentId', kind: 'id' },
  },
  skill: {
    id: { name: 'id', kind: 'id' },
    name: { name: 'name', kind: 'text' },
    operator_id: { name: 'operatorId', kind: 'id' },
    parent_id: { name: 'parentId', kind: 'id' },
  },
} as const;

function toWireNode(kind: TreeKind, node: TreeNode, ancestors: readonly number[], operatorIds: readonly number[]) {
  const { id, name, order, parentId } = node;
  const created_at = toWireDate(node.createdAt);
  return kind === 'group'
    ? { id, name, created_at, parent_id: parentId, parent_list: ancestors, operator_list: operatorIds }
    : { id, name, order, created_at, parent_id: parentId, operator_list: operatorIds };
}

class TreeResource implements Resource<TreeNode> {
  readonly name: TreeKind;
  readonly schema: Resource<TreeNode>['schema'];
  readonly filters: Resource<TreeNode>['filters'];
  readonly #nodes: TreeService;

  constructor(kind: TreeKind, nodes: TreeService) {
    this.name = kind;
    this.schema = kind === 'group' ? groupSchema : skillSchema;
    this.filters = TREE_FILTERS[kind];
    this.#nodes = nodes;
  }

  page(caller: Caller, filters: Filters, window: Window) {
    return this.#nodes.page(caller.accountId, filters, window);
  }

  find(caller: Caller, id: number) {
    return this.#nodes.find(caller.accountId, id);
  }

  async render({ accountId }: Caller, nodes: readonly TreeNode[], selection: Selection): Promise<string[]> {
    const isSelected = (field: string) => selection === 'all' || selection.has(field);
    const operatorIds = isSelected('operator_list') ? await this.#nodes.loadOperatorIds(accountId, nodes) : undefined;
    const ancestors = isSelected('parent_list') ? await this.#nodes.loadAncestors(accountId, nodes) : undefined;
    return nodes.map((node) =>
      renderObject(
        this.name,
        toWireNode(this.name, node, ancestors?.get(node.id) ?? [], operatorIds?.get(node.id) ?? []),
        selection,
      ),
    );
  }
}

/** Groups and skills: both are trees with the same reads and writes. */
export function registerTree(
  app: FastifyInstance,
  kind: TreeKind,
  nodes: TreeService,
  writes: Writes,
  usage: RestUsage,
): void {
  const resource = new TreeResource(kind, nodes);
  registerReads(app, resource, usage);
  const meter = new WriteMeter(usage, kind, resource.schema);
  const create = kind === 'group' ? groupCreate : skillCreate;
  const update = kind === 'group' ? groupUpdate : skillUpdate;
  const renderBody = (node: NodeWithAncestors, operatorIds: readonly number[]) =>
    renderSingle(renderObject(kind, toWireNode(kind, node, node.ancestors, operatorIds), 'all'));

  app.post(`/${kind}`, (request, reply) =>
    writes.run<NodeWithAncestors>(request, reply, {
      perform: async (commit) =>
        nodes.create(commit, request.caller, readInput(create, readBody(request)) as TreeNodeInput & { name: string }),
      toResponse: (node) => toCreatedResponse(kind, node.id, renderBody(node, [])),
    }),
  );

  app.put(`/${kind}/:id`, (request, reply) => {
    let operatorIds: readonly number[] = [];
    return writes.run<NodeWithAncestors>(request, reply, {
      perform: async (commit) => {
        const id = readPathId(request, kind);
        const body = readBody(request);
        const input = readInput(update, body) as Record<string, unknown>;
        meter.count(request.caller, body);
        const { accountId } = request.caller;
        const current = await nodes.find(accountId, id);
        if (!current) throw unknownId(kind, id);
        operatorIds = (await nodes.loadOperatorIds(accountId, [current])).get(id) ?? [];
        const ancestors = (await nodes.loadAncestors(accountId, [current])).get(id);
        rejectOtherLink(kind, id, input._link as string | undefined);
        rejectReadOnlyChanges(
          { id, createdAt: toWireDate(current.createdAt), operatorList: operatorIds, parentList: ancestors },
          input,
        );
        return nodes.update(commit, request.caller, id, input as TreeNodeInput);
      },
      toResponse: (node) => ({ status: 200, body: renderBody(node, operatorIds) }),
    });
  });

  registerDelete(app, kind, nodes, writes);
}
