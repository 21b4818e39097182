import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  TypeNameMetaFieldDef,
  type ValueNode,
} from 'graphql';

/** What is known about a query before it runs: everything but the variables and the values. */
export interface QueryPlan {
  readonly operation: OperationDefinitionNode;
  readonly fields: readonly FieldPlan[];
}

export interface FieldPlan {
  /** The name in the result. */
  readonly key: string;
  /** The name in the schema. */
  readonly name: string;
  readonly type: GraphQLObjectType;
  readonly nodes: readonly FieldNode[];
  /** Undefined where the value is a property of the source. */
  readonly resolve: Resolve | undefined;
  /** Undefined if variables decide the arguments. */
  readonly args: Arguments | undefined;
  /** The same for every value: without its path and the variables, which no resolver uses. */
  readonly info: GraphQLResolveInfo;
  /** All variables must have these values, or the field is omitted. */
  readonly conditions: readonly Condition[];
  readonly value: ValuePlan;
}

export type Arguments = Readonly<Record<string, unknown>>;
type Resolve = (source: unknown, args: Arguments, context: unknown, info: GraphQLResolveInfo) => unknown;

interface Condition {
  readonly variable: string;
  readonly expected: boolean;
}

export type ValuePlan = { readonly isNullable: boolean } & (
  | { readonly kind: 'leaf'; serialize(value: unknown): unknown; readonly typeName: string }
  | { readonly kind: 'list'; readonly item: ValuePlan }
  | { readonly kind: 'object'; readonly fields: readonly FieldPlan[] }
);

/** Only graphql-js runs the document. */
class NotPlannable extends Error {}

/** Returns undefined for a document that only graphql-js runs: mutations, introspection and rare constructs. */
export function planQuery(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): QueryPlan | undefined {
  const type = schema.getQueryType();
  if (operation.operation !== 'query' || operation.directives?.length || !type) return undefined;
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  try {
    return { operation, fields: new Planner(fragments).planFields(type, [operation.selectionSet.selections]) };
  } catch (error) {
    if (error instanceof NotPlannable || error instanceof GraphQLError) return undefined;
    throw error;
  }
}

/** The selections of one key. */
interface Selected {
  readonly nodes: FieldNode[];
  readonly conditions: readonly Condition[];
}

class Planner {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;

  constructor(fragments: ReadonlyMap<string, FragmentDefinitionNode>) {
    this.#fragments = fragments;
  }

  planFields(type: GraphQLObjectType, selectionSets: readonly (readonly SelectionNode[])[]): FieldPlan[] {
    const selected = new Map<string, Selected>();
    for (const selections of selectionSets) this.#collect(selections, [], selected);
    return [...selected].map(([key, selection]) => this.#planField(type, key, selection));
  }

  /** Fields of the same key are merged, as validation has checked that they can be. */
  #collect(selections: readonly SelectionNode[], outer: readonly Condition[], selected: Map<string, Selected>): void {
    for (const selection of selections) {
      const conditions = readConditions(selection.directives ?? []);
      if (!conditions) continue;
      const all = [...outer, ...conditions];
      if (selection.kind !== Kind.FIELD) {
        const fragment =
          selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#fragments.get(selection.name.value);
        if (!fragment || (fragment !== selection && fragment.directives?.length)) throw new NotPlannable();
        this.#collect(fragment.selectionSet.selections, all, selected);
        continue;
      }
      const key = (selection.alias ?? selection.name).value;
      const known = selected.get(key);
      if (key === '__proto__' || (known && known.conditions.length + all.length > 0)) throw new NotPlannable();
      if (known) known.nodes.push(selection);
      else selected.set(key, { nodes: [selection], conditions: all });
    }
  }

  #planField(type: GraphQLObjectType, key: string, { nodes, conditions }: Selected): FieldPlan {
    const [node] = nodes as [FieldNode];
    const name = node.name.value;
    const info = { fieldName: name, fieldNodes: nodes, parentType: type } as Partial<GraphQLResolveInfo>;
    const common = { key, name, type, nodes, conditions, info: info as GraphQLResolveInfo };
    if (name === TypeNameMetaFieldDef.name) {
      const value = planLeaf('String', String);
      return { ...common, resolve: () => type.name, args: {}, value };
    }
    const definition = type.getFields()[name];
    if (!definition) throw new NotPlannable();
    const isFixed = !(node.arguments ?? []).some(({ value }) => hasVariable(value));
    return {
      ...common,
      resolve: definition.resolve as Resolve | undefined,
      args: isFixed ? getArgumentValues(definition, node) : undefined,
      value: this.#planValue(definition.type, nodes),
    };
  }

  #planValue(type: GraphQLOutputType, nodes: readonly FieldNode[]): ValuePlan {
    if (isNonNullType(type)) return { ...this.#planValue(type.ofType, nodes), isNullable: false };
    if (isListType(type)) return { kind: 'list', isNullable: true, item: this.#planValue(type.ofType, nodes) };
    if (isLeafType(type)) return planLeaf(type.name, (value) => type.serialize(value));
    if (!isObjectType(type)) throw new NotPlannable();
    const selectionSets = nodes.map(({ selectionSet }) => selectionSet?.selections ?? []);
    return { kind: 'object', isNullable: true, fields: this.planFields(type, selectionSets) };
  }
}

function planLeaf(typeName: string, serialize: (value: unknown) => unknown): ValuePlan {
  return { kind: 'leaf', isNullable: true, serialize, typeName };
}

/** Returns the conditions of `skip` and `include`; undefined if the selection is never included. */
function readConditions(directives: readonly DirectiveNode[]): Condition[] | undefined {
  const conditions: Condition[] = [];
  for (const { name, arguments: [argument] = [] } of directives) {
    const expected = name.value === GraphQLIncludeDirective.name;
    if ((!expected && name.value !== GraphQLSkipDirective.name) || !argument) throw new NotPlannable();
    const { value } = argument;
    if (value.kind === Kind.VARIABLE) conditions.push({ variable: value.name.value, expected });
    else if (value.kind !== Kind.BOOLEAN) throw new NotPlannable();
    else if (value.value !== expected) return undefined;
  }
  return conditions;
}

function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(hasVariable);
  if (value.kind === Kind.OBJECT) return value.fields.some((field) => hasVariable(field.value));
  return value.kind === Kind.VARIABLE;
}
