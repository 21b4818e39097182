import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate,
  visit,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import { graphqlError } from './errors.ts';
import { checkDocumentLength, type DocumentSize, LIMITS, measureDocument } from './limits.ts';
import type { OperationTurns } from './turns.ts';

/** A parsed and validated document, with its compiled queries by schema and operation name. */
interface ParsedDocument {
  readonly document: DocumentNode;
  readonly errors: readonly GraphQLError[];
  /** Whether compiled execution returns exactly the same results as graphql-js. */
  readonly isCompilable: boolean;
  uses: number;
  readonly compiled: Map<GraphQLSchema, Map<string, CompiledQuery | undefined>>;
  /** By the operation that is executed, unless variables change the size. */
  readonly sizes: Map<OperationDefinitionNode, DocumentSize>;
}

/** The document of one request. */
export interface PreparedDocument {
  readonly document: DocumentNode;
  readonly parsed: ParsedDocument;
  /** Whether the operation changes nothing. */
  readonly isQuery: boolean;
  /** Whether a compiled query may run. */
  readonly isCompilable: boolean;
}

/** Estimated memory use: the AST grows with the characters, the compiled query with the selections. */
const ESTIMATED_BYTES = { document: 5000, character: 110, selection: 3000 };
/** Neither compiling nor a compiled query can let other work run in between, so both are for small documents. */
const MAX_COMPILED: Omit<DocumentSize, 'dependsOnVariables'> = { selections: 300, values: 3000 };
const MAX_CACHE_BYTES = 32 * 1024 * 1024;

/** Caches documents by text: parsed and validated once, compiled from the second use on, within a memory limit. */
export class DocumentCache {
  readonly #schema: GraphQLSchema;
  readonly #compileQueries: boolean;
  readonly #cache = new LRUCache<string, ParsedDocument>({ maxSize: MAX_CACHE_BYTES });

  constructor(schema: GraphQLSchema, compileQueries = true) {
    this.#schema = schema;
    this.#compileQueries = compileQueries;
  }

  /** Returns the document of a request, or the errors that reject it. */
  prepare(
    text: string,
    operationName: string | null | undefined,
    variables: Readonly<Record<string, unknown>> | null | undefined,
  ): PreparedDocument | readonly GraphQLError[] {
    const lengthError = checkDocumentLength(text);
    if (lengthError) return [lengthError];
    let parsed = this.#cache.get(text);
    const document = parsed?.document ?? parseDocument(text);
    if (document instanceof GraphQLError) return [document];
    const operation = getOperationAST(document, operationName);
    const knownSize = operation && parsed?.sizes.get(operation);
    const size = knownSize ?? measureDocument(this.#schema, document, operationName, variables);
    if (size instanceof GraphQLError) return [size];
    if (!parsed) {
      const errors = validateDocument(this.#schema, document);
      parsed = {
        document,
        errors,
        isCompilable: isCompilable(document),
        uses: 0,
        compiled: new Map(),
        sizes: new Map(),
      };
      this.#cache.set(text, parsed, { size: estimateBytes(text, size) });
    }
    if (operation && !knownSize && !size.dependsOnVariables) parsed.sizes.set(operation, size);
    if (parsed.errors.length > 0) return parsed.errors;
    const isSmall = size.selections <= MAX_COMPILED.selections && size.values <= MAX_COMPILED.values;
    const isQuery = operation?.operation === 'query';
    return { document, parsed, isQuery, isCompilable: parsed.isCompilable && isSmall };
  }

  /** Runs a compiled query where possible, graphql-js otherwise. */
  run({ parsed, isCompilable }: PreparedDocument, args: ExecutionArgs): ExecutionResult | Promise<ExecutionResult> {
    parsed.uses += 1;
    const compiled =
      this.#compileQueries && isCompilable && parsed.uses > 1
        ? this.#compileOnce(args.schema, parsed, args.operationName ?? '')
        : undefined;
    (args.contextValue as { turns: OperationTurns }).turns.canDelayItems = !compiled;
    if (!compiled) return execute(args) as ExecutionResult | Promise<ExecutionResult>;
    return compiled.query(args.rootValue, args.contextValue, args.variableValues) as
      | ExecutionResult
      | Promise<ExecutionResult>;
  }

  #compileOnce(schema: GraphQLSchema, { compiled, document }: ParsedDocument, operationName: string) {
    const queries = compiled.get(schema) ?? new Map<string, CompiledQuery | undefined>();
    compiled.set(schema, queries);
    if (!queries.has(operationName)) {
      const result = compileQuery(schema, document, operationName || undefined);
      queries.set(operationName, isCompiledQuery(result) ? result : undefined);
    }
    return queries.get(operationName);
  }
}

function estimateBytes(text: string, { selections }: DocumentSize): number {
  const { document, character, selection } = ESTIMATED_BYTES;
  return document + text.length * character + selections * selection;
}

/** The start of graphql-js' message for `maxTokens`, up to its typo "that". */
const TOO_MANY_TOKENS_PREFIX = 'Syntax Error: Document contains more tha';

function parseDocument(text: string): DocumentNode | GraphQLError {
  try {
    return parse(text, { maxTokens: LIMITS.tokens, noLocation: false });
  } catch (error) {
    if (error instanceof GraphQLError && !error.message.startsWith(TOO_MANY_TOKENS_PREFIX)) return error;
    // Deeply nested brackets overflow the stack, which is a RangeError.
    if (!(error instanceof GraphQLError || error instanceof RangeError)) throw error;
    return graphqlError('TOO_COMPLEX', `The document is too complex: more than ${LIMITS.tokens} tokens.`);
  }
}

function validateDocument(schema: GraphQLSchema, document: DocumentNode): readonly GraphQLError[] {
  const errors = validate(schema, document, undefined, { maxErrors: 10 });
  // graphql-js' message when comparing all pairs of fields would take too long.
  if (!errors.some((error) => error.message === 'Validation aborted.')) return errors;
  return [graphqlError('TOO_COMPLEX', 'The document is too complex: too many fields with the same name.')];
}

/**
 * Compiled queries treat an absent variable inside an object or list literal as null, so such documents are not
 * compiled. Neither are mutations, subscriptions, introspection, and directives other than `skip` and `include`.
 */
function isCompilable(document: DocumentNode): boolean {
  let literalDepth = 0;
  let canCompile = true;
  const enter = () => {
    literalDepth += 1;
  };
  const leave = () => {
    literalDepth -= 1;
  };
  visit(document, {
    OperationDefinition: ({ operation }) => {
      if (operation !== 'query') canCompile = false;
    },
    ObjectValue: { enter, leave },
    ListValue: { enter, leave },
    Variable: () => {
      if (literalDepth > 0) canCompile = false;
    },
    Directive: ({ name }) => {
      if (name.value !== 'skip' && name.value !== 'include') canCompile = false;
    },
    Field: ({ name }) => {
      if (name.kind === Kind.NAME && name.value.startsWith('__') && name.value !== '__typename') canCompile = false;
    },
  });
  return canCompile;
}
