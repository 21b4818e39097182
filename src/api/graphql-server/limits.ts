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
  /** Characters of a document. */
  length: 50_000,
  /** Words and signs of a document. */
  tokens: 5000,
  depth: 15,
  aliases: 50,
  directives: 50,
  fragments: 50,
  rootFields: 30,
  /** Rows that may be fetched, estimated from the sizes that are asked for. */
  rows: 20_000,
  /** The same for parts of the schema's description of itself. */
  described: 100_000,
  /** Levels of the schema's description, where lists of lists make a long way. */
  describedDepth: 25,
  /** Levels of lists and objects in the value of an argument. */
  values: 15,
  /** Selections looked at with all fragments put in. */
  selections: 5000,
} as const;

const DEFAULT_PAGE = 20;
const LARGEST_PAGE = 100;
/** Of a plain list that takes `first`. */
const LARGEST_LIST = 1000;

/** Lists without paging, with the length that is assumed; the second part is the schema's description. */
const OTHER_LIST = 5;
const LISTS: Readonly<Record<string, number>> = {
  ...{ children: 10, messages: 100, apiKeys: 20, webhooks: 20, restUsage: 100, rows: 1000 },
  ...{ routingDecisions: 50, ranked: 20, excluded: 10, liveAt: 1000 },
  ...{ types: 100, fields: 6, args: 2, inputFields: 4, enumValues: 2, interfaces: 1, possibleTypes: 1 },
};

type Variables = Readonly<Record<string, unknown>> | null | undefined;

function tooComplex(what: string): GraphQLError {
  return graphqlError('TOO_COMPLEX', `The document is too complex: ${what}.`);
}

/** Refuses a text that is too long to be looked at. */
export function refuseLongDocument(text: string): GraphQLError | undefined {
  return text.length > LIMITS.length ? tooComplex(`more than ${LIMITS.length} characters`) : undefined;
}

/**
 * Looks at a document before it is validated or run: how deep, how many aliases, directives and fragments, and how many
 * rows it may fetch. Fragments are followed, and one that contains itself is refused. Answers with the number of selections,
 * all fragments put in.
 */
export function measureDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Variables,
): GraphQLError | number {
  const fragments = new Map<string, FragmentDefinitionNode>();
  const operations: OperationDefinitionNode[] = [];
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
    if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition);
  }
  if (fragments.size > LIMITS.fragments) return tooComplex(`more than ${LIMITS.fragments} fragments`);
  const walk = new Walk(schema, fragments, variables);
  try {
    for (const operation of operations) {
      walk.operation(operation, operations.length === 1 || operation.name?.value === operationName);
    }
    walk.unusedFragments();
    return walk.selections;
  } catch (error) {
    return error as GraphQLError;
  }
}

/** Where the walk is. */
interface Place {
  /** Undefined where the document does not fit the schema; it is not run then. */
  readonly type: GraphQLObjectType | undefined;
  readonly depth: number;
  /** How many objects these selections are read of; 0 counts none. */
  readonly rows: number;
  /** Fragments that the place is in. */
  readonly inside: ReadonlySet<string>;
  /** Whether it is in the schema's description of itself. */
  readonly described: boolean;
}

class Walk {
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #variables: Variables;
  readonly #used = new Set<string>();
  #selections = 0;
  #aliases = 0;
  #directives = 0;
  #rows = 0;
  #described = 0;
  #rootFields = 0;

  constructor(schema: GraphQLSchema, fragments: ReadonlyMap<string, FragmentDefinitionNode>, variables: Variables) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#variables = variables;
  }

  get selections(): number {
    return this.#selections;
  }

  operation(operation: OperationDefinitionNode, meant: boolean): void {
    const { directives = [], variableDefinitions = [], selectionSet } = operation;
    for (const { defaultValue, directives: own = [] } of variableDefinitions) {
      if (defaultValue) this.#value(defaultValue, 0);
      this.#countDirectives(own);
    }
    this.#countDirectives(directives);
    this.#rootFields = 0;
    const type = this.#schema.getRootType(operation.operation) ?? undefined;
    this.#into(selectionSet, { type, depth: 1, rows: meant ? 1 : 0, inside: new Set(), described: false });
  }

  /** Fragments that nothing uses are looked at too: they are validated like the others. */
  unusedFragments(): void {
    for (const name of this.#fragments.keys()) {
      if (this.#used.has(name)) continue;
      this.#spread(name, { type: undefined, depth: 2, rows: 0, inside: new Set(), described: false });
    }
  }

  #into(set: SelectionSetNode, place: Place): void {
    const deepest = place.described ? LIMITS.describedDepth : LIMITS.depth;
    if (place.depth > deepest) throw tooComplex(`deeper than ${deepest} levels`);
    for (const selection of set.selections) {
      this.#selections += 1;
      if (this.#selections > LIMITS.selections) throw tooComplex(`more than ${LIMITS.selections} selections`);
      this.#countDirectives(selection.directives ?? []);
      if (selection.kind === Kind.FIELD) this.#field(selection, place);
      else if (selection.kind === Kind.FRAGMENT_SPREAD) this.#spread(selection.name.value, place);
      else this.#into(selection.selectionSet, this.#narrowed(place, selection.typeCondition?.name.value));
    }
  }

  #field(field: FieldNode, place: Place): void {
    const name = field.name.value;
    for (const { value } of field.arguments ?? []) this.#value(value, 0);
    if (field.alias && field.alias.value !== name) {
      this.#aliases += 1;
      if (this.#aliases > LIMITS.aliases) throw tooComplex(`more than ${LIMITS.aliases} aliases`);
    }
    if (place.depth === 1) {
      this.#rootFields += 1;
      if (this.#rootFields > LIMITS.rootFields) throw tooComplex(`more than ${LIMITS.rootFields} fields at the root`);
    }
    if (!field.selectionSet) return;
    const definition = definitionOf(place.type, name);
    const type = definition && getNamedType(definition.type);
    const described = place.described || name === '__schema' || name === '__type';
    const rows = place.rows * this.#size(field, definition, place.type);
    if (described) this.#described += rows;
    else this.#rows += rows;
    if (this.#rows > LIMITS.rows) throw tooComplex(`it may fetch more than ${LIMITS.rows} rows; ask for smaller pages`);
    if (this.#described > LIMITS.described) throw tooComplex('it asks for too much of the schema');
    this.#into(field.selectionSet, {
      type: isObjectType(type) ? type : undefined,
      depth: place.depth + 1,
      rows,
      inside: place.inside,
      described,
    });
  }

  #spread(name: string, place: Place): void {
    if (place.inside.has(name)) throw tooComplex(`the fragment ${name} contains itself`);
    const fragment = this.#fragments.get(name);
    if (!fragment) return;
    this.#used.add(name);
    this.#countDirectives(fragment.directives ?? []);
    const inside = new Set([...place.inside, name]);
    this.#into(fragment.selectionSet, { ...this.#narrowed(place, fragment.typeCondition.name.value), inside });
  }

  #narrowed(place: Place, typeName: string | undefined): Place {
    const type = typeName === undefined ? place.type : this.#schema.getType(typeName);
    return { ...place, type: isObjectType(type) ? type : undefined };
  }

  #countDirectives(directives: readonly DirectiveNode[]): void {
    this.#directives += directives.length;
    if (this.#directives > LIMITS.directives) throw tooComplex(`more than ${LIMITS.directives} directives`);
    for (const directive of directives) for (const { value } of directive.arguments ?? []) this.#value(value, 0);
  }

  #value(value: ValueNode, depth: number): void {
    if (depth > LIMITS.values) throw tooComplex(`a value is deeper than ${LIMITS.values} levels`);
    if (value.kind === Kind.LIST) for (const item of value.values) this.#value(item, depth + 1);
    if (value.kind === Kind.OBJECT) for (const field of value.fields) this.#value(field.value, depth + 1);
  }

  /** How many objects a field yields for each one that it is read of. */
  #size(field: FieldNode, definition: Definition | undefined, parent: GraphQLObjectType | undefined): number {
    // The rows of a connection are counted with the field that gives the connection.
    if (!definition || isConnection(parent)) return 1;
    const isList = isListType(getNullableType(definition.type));
    if (isList) return this.#pageSize(field, LISTS[field.name.value] ?? OTHER_LIST, LARGEST_LIST);
    return isConnection(getNamedType(definition.type)) ? this.#pageSize(field, DEFAULT_PAGE, LARGEST_PAGE) : 1;
  }

  #pageSize(field: FieldNode, otherwise: number, most: number): number {
    for (const { name, value } of field.arguments ?? []) {
      if (name.value !== 'first' && name.value !== 'last') continue;
      if (value.kind === Kind.INT) return pageOf(Number(value.value), most);
      if (value.kind === Kind.VARIABLE) return pageOf(this.#variables?.[value.name.value], most);
    }
    return otherwise;
  }
}

type Definition = GraphQLField<unknown, unknown>;

function definitionOf(type: GraphQLObjectType | undefined, name: string): Definition | undefined {
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  return name === TypeMetaFieldDef.name ? TypeMetaFieldDef : type?.getFields()[name];
}

function isConnection(type: { readonly name: string } | undefined): boolean {
  return /(Connection|Page)$/.test(type?.name ?? '');
}

/** A size that is refused later must not make room for others here. */
function pageOf(asked: unknown, most: number): number {
  return typeof asked === 'number' && asked >= 0 ? Math.min(asked, most) : most;
}
