import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  type ValueNode,
} from 'graphql';
import { graphqlError } from './errors.ts';

export const LIMITS = {
  /** In characters. */
  length: 50_000,
  tokens: 5000,
  depth: 15,
  aliases: 50,
  directives: 50,
  fragments: 30,
  rootFields: 30,
  /** Rows of pages and long lists that the document may fetch, estimated from the requested sizes. */
  rows: 5000,
  /** Values in the result, estimated from the same sizes: every field of every row. */
  values: 100_000,
  /** Objects in the result of introspection, which is built at once. */
  introspectedObjects: 30_000,
  /** Introspection queries nest deeper, because of wrapped types (`ofType`). */
  introspectionDepth: 25,
  /** Nesting of lists and objects in an argument value. */
  valueDepth: 15,
  /** With all fragments expanded. */
  selections: 2000,
} as const;

const DEFAULT_PAGE_SIZE = 20;
const MAX_PAGE_SIZE = 100;
/** For plain lists with a `first` argument. */
const MAX_LIST_SIZE = 1000;

/** Long texts count as many values. */
const TEXT_VALUES = 25;
const TEXT_FIELDS = new Set(['text', 'description', 'comment']);

/** Assumed sizes of lists without paging; the last line is introspection. */
const DEFAULT_LIST_SIZE = 5;
/** By field, or by type and field where the same name is a short list elsewhere. */
const LIST_SIZES: Readonly<Record<string, number>> = {
  ...{ children: 10, messages: 100, apiKeys: 20, webhooks: 20, restUsage: 100, rows: 1000 },
  ...{ notes: 100, cannedReplies: 500, routingDecisions: 50, ranked: 20, excluded: 10, liveAt: 1000 },
  ...{ 'TransferTargets.operators': 100, 'TransferTargets.groups': 100, 'TransferTargets.skills': 100 },
  ...{ types: 100, fields: 6, args: 2, inputFields: 4, enumValues: 2, interfaces: 1, possibleTypes: 1 },
};

type Variables = Readonly<Record<string, unknown>> | null | undefined;

export interface DocumentSize {
  /** With all fragments expanded. */
  readonly selections: number;
  /** Estimated values in the result. */
  readonly values: number;
  /** Whether the size of a list is a variable: other values would change the estimate. */
  readonly dependsOnVariables: boolean;
}

function tooComplex(reason: string): GraphQLError {
  return graphqlError('TOO_COMPLEX', `The document is too complex: ${reason}.`);
}

export function checkDocumentLength(text: string): GraphQLError | undefined {
  return text.length > LIMITS.length ? tooComplex(`more than ${LIMITS.length} characters`) : undefined;
}

/**
 * Checks a document against the limits before it is validated or run. Fragments are expanded; one that contains itself
 * is rejected.
 */
export function measureDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Variables,
): GraphQLError | DocumentSize {
  const fragments = new Map<string, FragmentDefinitionNode>();
  const operations: OperationDefinitionNode[] = [];
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
    if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition);
  }
  if (fragments.size > LIMITS.fragments) return tooComplex(`more than ${LIMITS.fragments} fragments`);
  const walker = new DocumentWalker(schema, fragments, variables);
  try {
    for (const operation of operations) {
      walker.visitOperation(operation, operations.length === 1 || operation.name?.value === operationName);
    }
    walker.visitUnusedFragments();
    return walker.size;
  } catch (error) {
    return error as GraphQLError;
  }
}

interface WalkState {
  /** Undefined where the document does not match the schema; validation rejects it later. */
  readonly type: GraphQLObjectType | undefined;
  readonly depth: number;
  /** Number of parent objects; 0 in operations that are not executed. */
  readonly rows: number;
  readonly enclosingFragments: ReadonlySet<string>;
  readonly isIntrospection: boolean;
}

class DocumentWalker {
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #variables: Variables;
  readonly #usedFragments = new Set<string>();
  #selections = 0;
  #aliases = 0;
  #directives = 0;
  #rows = 0;
  #values = 0;
  #introspectedObjects = 0;
  #rootFields = 0;
  #dependsOnVariables = false;

  constructor(schema: GraphQLSchema, fragments: ReadonlyMap<string, FragmentDefinitionNode>, variables: Variables) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#variables = variables;
  }

  get size(): DocumentSize {
    return { selections: this.#selections, values: this.#values, dependsOnVariables: this.#dependsOnVariables };
  }

  visitOperation(operation: OperationDefinitionNode, isExecuted: boolean): void {
    const { directives = [], variableDefinitions = [], selectionSet } = operation;
    for (const { defaultValue, directives: variableDirectives = [] } of variableDefinitions) {
      if (defaultValue) this.#visitValue(defaultValue, 0);
      this.#countDirectives(variableDirectives);
    }
    this.#countDirectives(directives);
    this.#rootFields = 0;
    const type = this.#schema.getRootType(operation.operation) ?? undefined;
    this.#visitSelections(selectionSet, {
      type,
      depth: 1,
      rows: isExecuted ? 1 : 0,
      enclosingFragments: new Set(),
      isIntrospection: false,
    });
  }

  /** Validation processes unused fragments too. */
  visitUnusedFragments(): void {
    for (const name of this.#fragments.keys()) {
      if (this.#usedFragments.has(name)) continue;
      this.#visitFragment(name, {
        type: undefined,
        depth: 2,
        rows: 0,
        enclosingFragments: new Set(),
        isIntrospection: false,
      });
    }
  }

  #visitSelections(set: SelectionSetNode, state: WalkState): void {
    const maxDepth = state.isIntrospection ? LIMITS.introspectionDepth : LIMITS.depth;
    if (state.depth > maxDepth) throw tooComplex(`deeper than ${maxDepth} levels`);
    for (const selection of set.selections) {
      this.#selections += 1;
      if (this.#selections > LIMITS.selections) throw tooComplex(`more than ${LIMITS.selections} selections`);
      this.#countDirectives(selection.directives ?? []);
      if (selection.kind === Kind.FIELD) this.#visitField(selection, state);
      else if (selection.kind === Kind.FRAGMENT_SPREAD) this.#visitFragment(selection.name.value, state);
      else this.#visitSelections(selection.selectionSet, this.#narrow(state, selection.typeCondition?.name.value));
    }
  }

  #visitField(field: FieldNode, state: WalkState): void {
    const name = field.name.value;
    for (const { value } of field.arguments ?? []) this.#visitValue(value, 0);
    if (field.alias && field.alias.value !== name) {
      this.#aliases += 1;
      if (this.#aliases > LIMITS.aliases) throw tooComplex(`more than ${LIMITS.aliases} aliases`);
    }
    if (state.depth === 1) {
      this.#rootFields += 1;
      if (this.#rootFields > LIMITS.rootFields) throw tooComplex(`more than ${LIMITS.rootFields} fields at the root`);
    }
    if (!state.isIntrospection) this.#countValues(state.rows * (TEXT_FIELDS.has(name) ? TEXT_VALUES : 1));
    if (!field.selectionSet) return;
    const definition = findDefinition(state.type, name);
    const type = definition && getNamedType(definition.type);
    const isIntrospection = state.isIntrospection || name === '__schema' || name === '__type';
    const rows = state.rows * this.#estimateSize(field, definition, state.type);
    if (isIntrospection) this.#introspectedObjects += rows;
    else if (name in LIST_SIZES || isConnection(type)) this.#rows += rows;
    if (this.#rows > LIMITS.rows) throw tooComplex(`it may fetch more than ${LIMITS.rows} rows; request smaller pages`);
    if (this.#introspectedObjects > LIMITS.introspectedObjects) throw tooComplex('too many introspection fields');
    this.#visitSelections(field.selectionSet, {
      type: isObjectType(type) ? type : undefined,
      depth: state.depth + 1,
      rows,
      enclosingFragments: state.enclosingFragments,
      isIntrospection,
    });
  }

  #countValues(count: number): void {
    this.#values += count;
    if (this.#values > LIMITS.values)
      throw tooComplex(`its result may have more than ${LIMITS.values} values; request smaller pages or fewer fields`);
  }

  #visitFragment(name: string, state: WalkState): void {
    if (state.enclosingFragments.has(name)) throw tooComplex(`the fragment ${name} contains itself`);
    const fragment = this.#fragments.get(name);
    if (!fragment) return;
    this.#usedFragments.add(name);
    this.#countDirectives(fragment.directives ?? []);
    const enclosingFragments = new Set([...state.enclosingFragments, name]);
    this.#visitSelections(fragment.selectionSet, {
      ...this.#narrow(state, fragment.typeCondition.name.value),
      enclosingFragments,
    });
  }

  #narrow(state: WalkState, typeName: string | undefined): WalkState {
    const type = typeName === undefined ? state.type : this.#schema.getType(typeName);
    return { ...state, type: isObjectType(type) ? type : undefined };
  }

  #countDirectives(directives: readonly DirectiveNode[]): void {
    this.#directives += directives.length;
    if (this.#directives > LIMITS.directives) throw tooComplex(`more than ${LIMITS.directives} directives`);
    for (const directive of directives) for (const { value } of directive.arguments ?? []) this.#visitValue(value, 0);
  }

  #visitValue(value: ValueNode, depth: number): void {
    if (depth > LIMITS.valueDepth) throw tooComplex(`a value is deeper than ${LIMITS.valueDepth} levels`);
    if (value.kind === Kind.LIST) for (const item of value.values) this.#visitValue(item, depth + 1);
    if (value.kind === Kind.OBJECT) for (const field of value.fields) this.#visitValue(field.value, depth + 1);
  }

  /** Estimates the number of objects that a field returns per parent object. */
  #estimateSize(field: FieldNode, definition: Definition | undefined, parent: GraphQLObjectType | undefined): number {
    // The rows of a connection are counted at the field that returns the connection.
    if (!definition || isConnection(parent)) return 1;
    const isList = isListType(getNullableType(definition.type));
    const name = field.name.value;
    const listSize = LIST_SIZES[`${parent?.name}.${name}`] ?? LIST_SIZES[name] ?? DEFAULT_LIST_SIZE;
    if (isList) return this.#requestedSize(field, listSize, MAX_LIST_SIZE);
    return isConnection(getNamedType(definition.type))
      ? this.#requestedSize(field, DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE)
      : 1;
  }

  #requestedSize(field: FieldNode, fallback: number, max: number): number {
    for (const { name, value } of field.arguments ?? []) {
      if (name.value !== 'first' && name.value !== 'last') continue;
      if (value.kind === Kind.INT) return clampSize(Number(value.value), max);
      if (value.kind === Kind.VARIABLE) {
        this.#dependsOnVariables = true;
        return clampSize(this.#variables?.[value.name.value], max);
      }
    }
    return fallback;
  }
}

type Definition = GraphQLField<unknown, unknown>;

function findDefinition(type: GraphQLObjectType | undefined, name: string): Definition | undefined {
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  return name === TypeMetaFieldDef.name ? TypeMetaFieldDef : type?.getFields()[name];
}

function isConnection(type: { readonly name: string } | undefined): boolean {
  return /(Connection|Page)$/.test(type?.name ?? '');
}

/** Invalid sizes count as the maximum. They are rejected later. */
function clampSize(requested: unknown, max: number): number {
  return typeof requested === 'number' && requested >= 0 ? Math.min(requested, max) : max;
}
