import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { graphqlError } from './errors.ts';
import { checkDocumentLength, type DocumentSize, LIMITS, measureDocument } from './limits.ts';
import { planQuery, type QueryPlan } from './query-plan.ts';
import { runQueryPlan } from './run-query-plan.ts';
import type { OperationTurns } from './turns.ts';

/** A parsed and validated document, with its planned queries. */
interface ParsedDocument {
  readonly document: DocumentNode;
  readonly errors: readonly GraphQLError[];
  /** Undefined if it differs between requests. */
  readonly size: DocumentSize | undefined;
  /** Undefined for an operation that graphql-js runs. */
  readonly plans: Map<OperationDefinitionNode, QueryPlan | undefined>;
}

/** The document of one request. */
export interface PreparedDocument {
  readonly document: DocumentNode;
  readonly parsed: ParsedDocument;
  /** Whether the result takes less time than one turn of the event loop. */
  readonly isShort: boolean;
}

/** Estimated memory use: the AST grows with the characters, the plan with the selections. */
const ESTIMATED_BYTES = { document: 5000, character: 110, selection: 1000 };
/** Estimated values in the result that take about a millisecond. */
const MAX_SHORT_VALUES = 1000;
const MAX_CACHE_BYTES = 32 * 1024 * 1024;

/** Caches documents by text: parsed, validated and planned once, within a memory limit. */
export class DocumentCache {
  readonly #schema: GraphQLSchema;
  readonly #planQueries: boolean;
  readonly #cache = new LRUCache<string, ParsedDocument>({ maxSize: MAX_CACHE_BYTES });

  constructor(schema: GraphQLSchema, planQueries = true) {
    this.#schema = schema;
    this.#planQueries = planQueries;
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
    const size = parsed?.size ?? measureDocument(this.#schema, document, operationName, variables);
    if (size instanceof GraphQLError) return [size];
    if (!parsed) {
      const errors = validateDocument(this.#schema, document);
      parsed = { document, errors, size: size.isFixed ? size : undefined, plans: new Map() };
      this.#cache.set(text, parsed, { size: estimateBytes(text, size) });
    }
    if (parsed.errors.length > 0) return parsed.errors;
    return { document, parsed, isShort: size.values <= MAX_SHORT_VALUES };
  }

  /** Runs a planned query where possible, graphql-js otherwise. */
  run({ parsed, isShort }: PreparedDocument, args: ExecutionArgs): ExecutionResult | Promise<ExecutionResult> {
    (args.contextValue as { turns: OperationTurns }).turns.isShort = isShort;
    const plan = this.#planQueries ? this.#planOnce(parsed, args.operationName) : undefined;
    if (!plan) return execute(args) as ExecutionResult | Promise<ExecutionResult>;
    return runQueryPlan(this.#schema, plan, args.variableValues, args.rootValue, args.contextValue);
  }

  #planOnce({ document, plans }: ParsedDocument, operationName: string | null | undefined): QueryPlan | undefined {
    const operation = getOperationAST(document, operationName);
    if (!operation) return undefined;
    if (!plans.has(operation)) plans.set(operation, planQuery(this.#schema, document, operation));
    return plans.get(operation);
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
