import type { FastifyInstance } from 'fastify';
import type { TreeService } from '../../core/administration/tree-service.ts';
import {
  groupCreate,
  groupSchema,
  groupUpdate,
  type PlacedNode,
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
import { wireDate } from './dates.ts';
import { single } from './envelope.ts';
import { WriteMeter } from './meter.ts';
import type { Filters, Selection } from './query.ts';
import { refuseOtherLink, refuseReadOnlyChanges } from './read-only.ts';
import { pathId, type Resource, registerReads, renderObject } from './resource.ts';
import { readInput } from './wire.ts';
import { created, registerRemove, type Writes } from './write.ts';

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

/** A group or a skill as the interface shows it. */
function shown(kind: TreeKind, node: TreeNode, above: readonly number[], operators: readonly number[]) {
  const { id, name, order, parentId } = node;
  const created_at = wireDate(node.createdAt);
  return kind === 'group'
    ? { id, name, created_at, parent_id: parentId, parent_list: above, operator_list: operators }
    : { id, name, order, created_at, parent_id: parentId, operator_list: operators };
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
    const wants = (field: string) => selection === 'all' || selection.has(field);
    const operators = wants('operator_list') ? await this.#nodes.operatorsOf(accountId, nodes) : undefined;
    const above = wants('parent_list') ? await this.#nodes.ancestorsOf(accountId, nodes) : undefined;
    return nodes.map((node) =>
      renderObject(
        this.name,
        shown(this.name, node, above?.get(node.id) ?? [], operators?.get(node.id) ?? []),
        selection,
      ),
    );
  }
}

/** Groups and skills: trees of names with the same reads and writes. */
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
  const body = (node: PlacedNode, operators: readonly number[]) =>
    single(renderObject(kind, shown(kind, node, node.above, operators), 'all'));

  app.post(`/${kind}`, (request, reply) =>
    writes.run<PlacedNode>(request, reply, {
      perform: async (commit) =>
        nodes.create(commit, request.caller, readInput(create, readBody(request)) as TreeNodeInput & { name: string }),
      answer: (node) => created(kind, node.id, body(node, [])),
    }),
  );

  app.put(`/${kind}/:id`, (request, reply) => {
    let operators: readonly number[] = [];
    return writes.run<PlacedNode>(request, reply, {
      perform: async (commit) => {
        const id = pathId(request, kind);
        const sent = readBody(request);
        const input = readInput(update, sent) as Record<string, unknown>;
        meter.count(request.caller, sent);
        const { accountId } = request.caller;
        const present = await nodes.find(accountId, id);
        if (!present) throw unknownId(kind, id);
        operators = (await nodes.operatorsOf(accountId, [present])).get(id) ?? [];
        const above = (await nodes.ancestorsOf(accountId, [present])).get(id);
        refuseOtherLink(kind, id, input._link as string | undefined);
        refuseReadOnlyChanges(
          { id, createdAt: wireDate(present.createdAt), operatorList: operators, parentList: above },
          input,
        );
        return nodes.update(commit, request.caller, id, input as TreeNodeInput);
      },
      answer: (node) => ({ status: 200, body: body(node, operators) }),
    });
  });

  registerRemove(app, kind, nodes, writes);
}
