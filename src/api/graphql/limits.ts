import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
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
  /** Selections looked at with all fragments put in. */
  selections: 5000,
} as const;

const DEFAULT_PAGE = 20;
const LARGEST_PAGE = 100;

/** Fields that are lists without paging, with the length that is assumed. */
const LISTS: Readonly<Record<string, number>> = { children: 10, websites: 5, skills: 5, apiKeys: 20 };

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
 * rows it may fetch. Fragments are followed, and one that contains itself is refused.
 */
export function refuseComplexDocument(
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Variables,
): GraphQLError | undefined {
  const fragments = new Map<string, FragmentDefinitionNode>();
  const operations: OperationDefinitionNode[] = [];
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
    if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition);
  }
  if (fragments.size > LIMITS.fragments) return tooComplex(`more than ${LIMITS.fragments} fragments`);
  const walk = new Walk(fragments, variables);
  try {
    // Fragments that nothing uses are looked at too: they are validated like the others.
    for (const fragment of fragments.values()) walk.into(fragment.selectionSet, 1, 0, new Set([fragment.name.value]));
    for (const operation of operations) {
      const meant = operations.length === 1 || operation.name?.value === operationName;
      if (operation.selectionSet.selections.length > LIMITS.rootFields)
        throw tooComplex(`more than ${LIMITS.rootFields} fields at the root`);
      walk.into(operation.selectionSet, 1, meant ? 1 : 0, new Set());
    }
    return undefined;
  } catch (error) {
    return error as GraphQLError;
  }
}

class Walk {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #variables: Variables;
  #selections = 0;
  #aliases = 0;
  #directives = 0;
  #rows = 0;

  constructor(fragments: ReadonlyMap<string, FragmentDefinitionNode>, variables: Variables) {
    this.#fragments = fragments;
    this.#variables = variables;
  }

  /** `rows` is how many objects these selections are read of; 0 counts none. */
  into(set: SelectionSetNode, depth: number, rows: number, inside: ReadonlySet<string>): void {
    if (depth > LIMITS.depth) throw tooComplex(`deeper than ${LIMITS.depth} levels`);
    for (const selection of set.selections) {
      this.#selections += 1;
      if (this.#selections > LIMITS.selections) throw tooComplex(`more than ${LIMITS.selections} selections`);
      this.#directives += selection.directives?.length ?? 0;
      if (this.#directives > LIMITS.directives) throw tooComplex(`more than ${LIMITS.directives} directives`);
      if (selection.kind === Kind.FIELD) this.#field(selection, depth, rows, inside);
      else if (selection.kind === Kind.INLINE_FRAGMENT) this.into(selection.selectionSet, depth, rows, inside);
      else this.#spread(selection.name.value, depth, rows, inside);
    }
  }

  #field(field: FieldNode, depth: number, rows: number, inside: ReadonlySet<string>): void {
    const name = field.name.value;
    if (field.alias && field.alias.value !== name) {
      this.#aliases += 1;
      if (this.#aliases > LIMITS.aliases) throw tooComplex(`more than ${LIMITS.aliases} aliases`);
    }
    // The schema describes itself in nested lists that are never long.
    if (!field.selectionSet || name === '__schema' || name === '__type') return;
    const size = rows * this.#size(field);
    this.#rows += size;
    if (this.#rows > LIMITS.rows) throw tooComplex(`it may fetch more than ${LIMITS.rows} rows; ask for smaller pages`);
    this.into(field.selectionSet, depth + 1, size, inside);
  }

  #spread(name: string, depth: number, rows: number, inside: ReadonlySet<string>): void {
    if (inside.has(name)) throw tooComplex(`the fragment ${name} contains itself`);
    const fragment = this.#fragments.get(name);
    if (fragment) this.into(fragment.selectionSet, depth, rows, new Set([...inside, name]));
  }

  /** How many objects a field yields for each one that it is read of. */
  #size(field: FieldNode): number {
    const paged = field.selectionSet?.selections.some(
      (selection) =>
        selection.kind === Kind.FIELD && (selection.name.value === 'nodes' || selection.name.value === 'edges'),
    );
    if (!paged) return LISTS[field.name.value] ?? 1;
    for (const argument of field.arguments ?? []) {
      if (argument.name.value !== 'first' && argument.name.value !== 'last') continue;
      if (argument.value.kind === Kind.INT) return Math.min(Number(argument.value.value), LARGEST_PAGE);
      if (argument.value.kind === Kind.VARIABLE) {
        const given = this.#variables?.[argument.value.name.value];
        return typeof given === 'number' ? Math.min(given, LARGEST_PAGE) : LARGEST_PAGE;
      }
    }
    return DEFAULT_PAGE;
  }
}
