import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  parse,
  validate,
  visit,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import { graphqlError } from './errors.ts';
import { checkDocumentLength, LIMITS, measureDocument } from './limits.ts';

/** A parsed and validated document, with its compiled queries by operation name. */
export interface ParsedDocument {
  readonly document: DocumentNode;
  readonly errors: readonly GraphQLError[];
  /** Whether compiled execution returns exactly the same results as graphql-js. */
  readonly isCompilable: boolean;
  uses: number;
  readonly compiled: Map<string, CompiledQuery | undefined>;
}

/** Estimated memory use: the AST grows with the characters, the compiled query with the selections. */
const ESTIMATED_BYTES = { document: 5000, character: 110, selection: 3000 };
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
  ): ParsedDocument | readonly GraphQLError[] {
    const lengthError = checkDocumentLength(text);
    if (lengthError) return [lengthError];
    let parsed = this.#cache.get(text);
    const document = parsed?.document ?? parseDocument(text);
    if (document instanceof GraphQLError) return [document];
    // Depends on the variables, so it is never cached.
    const selections = measureDocument(this.#schema, document, operationName, variables);
    if (selections instanceof GraphQLError) return [selections];
    if (!parsed) {
      const errors = validateDocument(this.#schema, document);
      parsed = { document, errors, isCompilable: isCompilable(document), uses: 0, compiled: new Map() };
      const size =
        ESTIMATED_BYTES.document + text.length * ESTIMATED_BYTES.character + selections * ESTIMATED_BYTES.selection;
      this.#cache.set(text, parsed, { size });
    }
    return parsed.errors.length > 0 ? parsed.errors : parsed;
  }

  /** Runs a compiled query where possible, graphql-js otherwise. */
  run(parsed: ParsedDocument, args: ExecutionArgs): ExecutionResult | Promise<ExecutionResult> {
    parsed.uses += 1;
    const compiled =
      this.#compileQueries && parsed.isCompilable && parsed.uses > 1
        ? this.#compileOnce(parsed, args.operationName ?? '')
        : undefined;
    if (!compiled) return execute(args) as ExecutionResult | Promise<ExecutionResult>;
    return compiled.query(args.rootValue, args.contextValue, args.variableValues) as
      | ExecutionResult
      | Promise<ExecutionResult>;
  }

  #compileOnce(parsed: ParsedDocument, operationName: string): CompiledQuery | undefined {
    if (!parsed.compiled.has(operationName)) {
      const result = compileQuery(this.#schema, parsed.document, operationName || undefined);
      parsed.compiled.set(operationName, isCompiledQuery(result) ? result : undefined);
    }
    return parsed.compiled.get(operationName);
  }
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
