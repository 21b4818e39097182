import {
  parseRequestParams as parseStandardParams,
  type Request,
  type RequestParams,
  type Response,
} from 'graphql-http';
import { graphqlError } from './errors.ts';

/** The parts of an operation that clients send in many forms. */
interface SentOperation {
  readonly query?: unknown;
  readonly extensions?: unknown;
}

/** Parses a request as graphql-http does, and accepts or explains what real clients send besides. */
export async function parseRequestParams<Raw, Context>(
  request: Request<Raw, Context>,
): Promise<RequestParams | Response> {
  try {
    const params = await parseStandardParams(request);
    if (!('query' in params)) return params;
    if (isPersistedQuery(params)) return PERSISTED_QUERY_RESPONSE;
    return { ...params, operationName: normalizeOperationName(params.operationName) };
  } catch (error) {
    const content = await readContent(request);
    if (Array.isArray(content)) throw new Error('Batches are not supported: send one operation per request.');
    if (isPersistedQuery(content)) return PERSISTED_QUERY_RESPONSE;
    throw error;
  }
}

/** Whether the client sends only the hash of a document, as Apollo's persisted queries do at first. */
export function isPersistedQuery({ query, extensions }: SentOperation): boolean {
  const { persistedQuery } = (extensions ?? {}) as { readonly persistedQuery?: unknown };
  return !query && Boolean(persistedQuery);
}

/** Text and code by which clients know that they must send the document instead. */
export const PERSISTED_QUERY_ERROR = graphqlError('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');

/** The same status as of Apollo Server: some clients read the errors only of successful responses. */
const PERSISTED_QUERY_RESPONSE: Response = [
  JSON.stringify({ errors: [PERSISTED_QUERY_ERROR] }),
  { status: 200, statusText: 'OK', headers: { 'content-type': 'application/json; charset=utf-8' } },
];

/** In the specification, an empty name is equivalent to none. */
export function normalizeOperationName(operationName: string | null | undefined): string | null | undefined {
  return operationName === '' ? undefined : operationName;
}

/** Reads a request that graphql-http rejected, if possible. */
async function readContent({ method, url, body }: Request<unknown, unknown>): Promise<SentOperation> {
  try {
    const text =
      method === 'GET'
        ? `{"extensions":${new URLSearchParams(url.split('?')[1]).get('extensions')}}`
        : String(typeof body === 'function' ? await body() : body);
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
