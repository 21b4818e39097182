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
import { LIMITS, measureDocument, refuseLongDocument } from './limits.ts';

/** A document that was parsed and validated once. */
export interface KnownDocument {
  readonly document: DocumentNode;
  readonly errors: readonly GraphQLError[];
  /** Whether a compiled form answers exactly like plain execution. */
  readonly compilable: boolean;
  uses: number;
  readonly compiled: Map<string, CompiledQuery | undefined>;
}

/** What a document weighs: its tree by its characters, its compiled form by its selections. */
const BYTES = { document: 5000, character: 110, selection: 3000 };
const MAX_BYTES = 32 * 1024 * 1024;

/** Documents by their text: parsed and validated once, compiled from the second use on, within a bounded memory. */
export class Documents {
  readonly #schema: GraphQLSchema;
  readonly #compile: boolean;
  readonly #known = new LRUCache<string, KnownDocument>({ maxSize: MAX_BYTES });

  constructor(schema: GraphQLSchema, compile = true) {
    this.#schema = schema;
    this.#compile = compile;
  }

  /** The document of a request, or why it is refused; nothing of it has run then. */
  read(
    text: string,
    operationName: string | null | undefined,
    variables: Readonly<Record<string, unknown>> | null | undefined,
  ): KnownDocument | readonly GraphQLError[] {
    const long = refuseLongDocument(text);
    if (long) return [long];
    let known = this.#known.get(text);
    const document = known?.document ?? parsed(text);
    if (document instanceof GraphQLError) return [document];
    // The estimate depends on the variables, so it is made every time.
    const selections = measureDocument(this.#schema, document, operationName, variables);
    if (selections instanceof GraphQLError) return [selections];
    if (!known) {
      const errors = validated(this.#schema, document);
      known = { document, errors, compilable: isCompilable(document), uses: 0, compiled: new Map() };
      const size = BYTES.document + text.length * BYTES.character + selections * BYTES.selection;
      this.#known.set(text, known, { size });
    }
    return known.errors.length > 0 ? known.errors : known;
  }

  /** Runs a query: compiled where that is the same, by graphql-js otherwise. */
  run(known: KnownDocument, args: ExecutionArgs): ExecutionResult | Promise<ExecutionResult> {
    known.uses += 1;
    const compiled =
      this.#compile && known.compilable && known.uses > 1 ? this.#compiled(known, args.operationName ?? '') : undefined;
    if (!compiled) return execute(args) as ExecutionResult | Promise<ExecutionResult>;
    return compiled.query(args.rootValue, args.contextValue, args.variableValues) as
      | ExecutionResult
      | Promise<ExecutionResult>;
  }

  #compiled(known: KnownDocument, operationName: string): CompiledQuery | undefined {
    if (!known.compiled.has(operationName)) {
      const result = compileQuery(this.#schema, known.document, operationName || undefined);
      known.compiled.set(operationName, isCompiledQuery(result) ? result : undefined);
    }
    return known.compiled.get(operationName);
  }
}

/** How the parser begins to say that its limit is reached. */
const TOO_MANY_TOKENS = 'Syntax Error: Document contains more tha';

function parsed(text: string): DocumentNode | GraphQLError {
  try {
    return parse(text, { maxTokens: LIMITS.tokens, noLocation: false });
  } catch (error) {
    if (error instanceof GraphQLError && !error.message.startsWith(TOO_MANY_TOKENS)) return error;
    // A RangeError is the end of the stack: brackets in brackets.
    if (!(error instanceof GraphQLError || error instanceof RangeError)) throw error;
    return graphqlError('TOO_COMPLEX', `The document is too complex: more than ${LIMITS.tokens} words and signs.`);
  }
}

function validated(schema: GraphQLSchema, document: DocumentNode): readonly GraphQLError[] {
  const errors = validate(schema, document, undefined, { maxErrors: 10 });
  // How validation says that comparing all fields with each other would take too long.
  if (!errors.some((error) => error.message === 'Validation aborted.')) return errors;
  return [graphqlError('TOO_COMPLEX', 'The document is too complex: too many fields of the same name.')];
}

/**
 * Compiled queries treat an absent variable inside an object or list literal as null, so such documents are not compiled;
 * mutations and subscriptions never are.
 */
function isCompilable(document: DocumentNode): boolean {
  let literals = 0;
  let fits = true;
  const enter = () => {
    literals += 1;
  };
  const leave = () => {
    literals -= 1;
  };
  visit(document, {
    OperationDefinition: ({ operation }) => {
      if (operation !== 'query') fits = false;
    },
    ObjectValue: { enter, leave },
    ListValue: { enter, leave },
    Variable: () => {
      if (literals > 0) fits = false;
    },
    Directive: ({ name }) => {
      if (name.value !== 'skip' && name.value !== 'include') fits = false;
    },
    Field: ({ name }) => {
      if (name.kind === Kind.NAME && name.value.startsWith('__') && name.value !== '__typename') fits = false;
    },
  });
  return fits;
}
