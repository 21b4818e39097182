import type { initGraphQLTada, TadaDocumentNode } from 'gql.tada';
import type { introspection } from '../../../dist/types/graphql-schema.d.ts';
import { type Answer, fail, send, succeed } from './request.ts';

/** What the scalars of the schema are in JSON. */
interface Scalars {
  DateTime: string;
  JSON: unknown;
}

/** What a fragment selects can be read like any other field. */
type Tag = ReturnType<typeof initGraphQLTada<{ introspection: introspection; scalars: Scalars; disableMasking: true }>>;

/**
 * A query or mutation whose variables and result have the types of the schema. It is a string when the page runs: the
 * compiler reads the types from the text, so that no page carries a parser. A fragment brings those that it names.
 */
export const graphql = ((text: string, fragments: readonly string[] = []) =>
  [text, ...fragments].join('\n')) as unknown as Tag;

/** Runs a query or mutation as the operator who is logged in. What the service rejects is in `userErrors`. */
export function runQuery<Result, Variables>(
  document: TadaDocumentNode<Result, Variables>,
  ...[variables]: Record<string, never> extends Variables ? [variables?: Variables] : [variables: Variables]
): Promise<Answer<Result>> {
  return run(document, variables, () => true);
}

/** The same, where the fields that the operator may not read are null instead of a failure. */
export function runPermittedQuery<Result, Variables>(
  document: TadaDocumentNode<Result, Variables>,
  variables: Variables,
): Promise<Answer<Result>> {
  return run(document, variables, ({ path, extensions }) => extensions?.code !== 'FORBIDDEN' || path === undefined);
}

async function run<Result>(
  document: unknown,
  variables: unknown,
  isFailure: (error: ResponseError) => boolean,
): Promise<Answer<Result>> {
  const answer = await send('/graphql', { method: 'POST', body: { query: document, variables } });
  if (!answer.ok) return answer;
  const { data, errors = [] } = answer.value as { data?: Result; errors?: readonly ResponseError[] };
  const error = errors.find(isFailure);
  if (error === undefined) return succeed(data as Result);
  const code = error.extensions?.code ?? 'INTERNAL';
  if (code === 'UNAUTHENTICATED') return fail({ kind: 'loggedOut' });
  if (code === 'RATE_LIMITED') return fail({ kind: 'limited', seconds: error.extensions?.retryAfterSeconds ?? 60 });
  if (code === 'UNAVAILABLE' || code === 'INTERNAL') return fail({ kind: 'unreachable' });
  return fail({ kind: 'refused', code, description: error.message });
}

interface ResponseError {
  readonly message: string;
  /** Of the field that is null. */
  readonly path?: readonly (string | number)[];
  readonly extensions?: { readonly code?: string; readonly retryAfterSeconds?: number };
}
