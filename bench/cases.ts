import { Agent, request as httpRequest } from 'node:http';
import type { RecordedResponse } from './bare-server.ts';
import {
  ADMIN_EMAIL,
  API_KEY,
  buildOperator,
  computeIdPrefix,
  getApiKey,
  LOGIN_IDS,
  PASSWORD,
  RARE_NAME,
  RARE_PREFIX,
  SMALL_GROUP,
  SMALL_SKILL,
  SMALL_WEBSITE,
  spreadIds,
} from './data.ts';

/** The benchmark cases. */

export interface Request {
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export const CONNECTIONS = 32;
const SINGLE_READ_COUNT = 400;
/** Consecutive connections write to the same account, so that the writes of each account are spread over all nodes. */
const CONSECUTIVE_CONNECTIONS_PER_ACCOUNT = 4;
const AVAILABILITY_OPERATOR_COUNT = 2 * CONNECTIONS;
const PER_PAGE = 20;
const REQUESTS_PER_WRITE = 100;

/** A case that compares the service with the bare server. */
export interface RatioCase {
  readonly name: string;
  readonly title: string;
  /** The minimum share of the bare server's requests per second. */
  readonly goal?: number;
  /** Also measured on PostgreSQL with several nodes. */
  readonly onNodes?: true;
  /** Also compared with the service using plain graphql-js execution; `goal` is the minimum speedup. */
  readonly plain?: { readonly goal?: number };
  requests(size: number, token: string): Request[];
}

export const RATIO_CASES: readonly RatioCase[] = [
  {
    name: 'single',
    title: 'single operator, 1 % writes',
    goal: 0.6,
    onNodes: true,
    requests: (size) => mixWithWrites(size, singleReads(size)),
  },
  {
    name: 'list',
    title: 'list of 20, full, 1 % writes',
    goal: 0.6,
    onNodes: true,
    requests: (size) => mixWithWrites(size, [get('/operator?full=1')]),
  },
  {
    name: 'live',
    title: 'live list of 100, 1 % writes',
    goal: 0.7,
    onNodes: true,
    requests: (size) => mixWithWrites(size, [get('/operator/live')]),
  },
  { name: 'list', title: 'the same list, uncached', requests: () => [getUncached('/operator?full=1')] },
  { name: 'live', title: 'the same live list, uncached', requests: () => [getUncached('/operator/live?')] },
  { name: 'compression', title: 'list of 20, full, gzip', requests: () => [withGzip(get('/operator?full=1'))] },
  {
    name: 'compression',
    title: 'the same list, uncached, gzip',
    requests: () => [withGzip(getUncached('/operator?full=1'))],
  },
  {
    name: 'compression',
    title: 'GraphQL: 20 operators, all fields, gzip',
    requests: (_size, token) => [withGzip(graphql(token, OPERATORS_QUERY))],
  },
  { name: 'availability', title: 'set availability', onNodes: true, requests: (size) => availabilityWrites(size) },
  {
    name: 'authenticated',
    title: '/_authenticated',
    requests: (_size, token) => [
      { method: 'GET', path: '/_authenticated', headers: { Authorization: `Bearer ${token}` } },
    ],
  },
  {
    name: 'graphql',
    title: 'GraphQL: 20 skills, 10 operators each, live',
    onNodes: true,
    plain: { goal: 1.5 },
    requests: (_size, token) => [graphql(token, SKILLS_QUERY)],
  },
  {
    name: 'graphql',
    title: 'GraphQL: 20 operators, all fields',
    onNodes: true,
    plain: {},
    requests: (_size, token) => [graphql(token, OPERATORS_QUERY)],
  },
  {
    name: 'graphql',
    title: 'GraphQL: one operator',
    plain: {},
    requests: (size, token) =>
      spreadIds(size, SINGLE_READ_COUNT).map((id) =>
        graphql(token, 'query($id:ID!){operator(id:$id){id name email}}', { id }),
      ),
  },
];

/** Conversations: measured once on separate databases, independent of `--sizes`. */
export const ENGINE_CASE = 'engine';
/** What the pages of visitors ask for and keep open, on the same databases. */
export const WIDGET_CASE = 'widget';
export const VISITORS_CASE = 'visitors';
/** The page of an operator, in Chromium. */
export const DESK_CASE = 'desk';
/** The cases that ignore `--sizes`. */
export const SEPARATE_CASES: ReadonlySet<string> = new Set([ENGINE_CASE, WIDGET_CASE, VISITORS_CASE, DESK_CASE]);

/** The cases that `--database embedded` has. */
export const CASE_NAMES = [
  ...new Set(RATIO_CASES.map(({ name }) => name)),
  'login',
  'pages',
  'slow',
  ...SEPARATE_CASES,
];

const SKILLS_QUERY =
  '{skills(first:20){nodes{id name operators(first:10){nodes{id pseudo live{chat{available busy slotNumber routable}}}}}}}';
const OPERATORS_QUERY = `{operators(first:20){nodes{id name firstName pseudo email externalId roles chatEnabled callEnabled videoEnabled
  chatMaxNumber chatAndCall chatToVideo chatPriority callPriority videoPriority languageList languageAdmin ssoKey
  callConfig{type askPhoneNumberAtEveryConnection phoneNumber} group{id name} websites{id label} skills{id name}}}}`;

function withGzip(request: Request): Request {
  return { ...request, headers: { ...request.headers, 'Accept-Encoding': 'gzip' } };
}

export function graphql(token: string, query: string, variables?: object): Request {
  return {
    method: 'POST',
    path: '/graphql',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  };
}

/** The GraphQL cases log in as the admin: other roles cannot read everything. */
export function adminLoginRequest(): Request {
  return {
    method: 'POST',
    path: '/oauth2/token',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: 'password', username: ADMIN_EMAIL, password: PASSWORD }).toString(),
  };
}

export function singleReads(size: number): Request[] {
  return spreadIds(size, SINGLE_READ_COUNT).map((id) => get(`/operator/${id}`));
}

/** Every write is a change: one connection switches each operator between unavailable and available. */
export function availabilityWrites(size: number, accounts = 1): Request[] {
  const offline = spreadIds(size, AVAILABILITY_OPERATOR_COUNT * 2)
    .filter((id) => !buildOperator(size, id).isConnected)
    .slice(0, AVAILABILITY_OPERATOR_COUNT);
  return [0, 1].flatMap((flag) =>
    offline.map((id, index) => ({
      method: 'PUT' as const,
      path: `/api/2/operator/${id}/live`,
      headers: {
        'X-API-Key': getApiKey(1 + (Math.floor(index / CONSECUTIVE_CONNECTIONS_PER_ACCOUNT) % accounts)),
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: `chat[available]=${flag}`,
    })),
  );
}

/** Every change makes cached lists outdated, so lists without any would look too fast. */
function mixWithWrites(size: number, reads: readonly Request[]): Request[] {
  const writes = availabilityWrites(size);
  const requests: Request[] = [];
  // Twice as many, because a write is undone by the next one. Each connection sends every 32nd of them.
  for (let round = 0; round < 2 * REQUESTS_PER_WRITE; round += 1) {
    for (let connection = 0; connection < CONNECTIONS; connection += 1) {
      // The writes of the connections are spread evenly, too.
      const position = (round + connection * 3 + 1) % REQUESTS_PER_WRITE;
      const flag = round < REQUESTS_PER_WRITE ? 0 : 1;
      const write = writes[flag * AVAILABILITY_OPERATOR_COUNT + connection];
      requests.push((position === 0 ? write : reads[requests.length % reads.length]) as Request);
    }
  }
  return requests;
}

/** Spread over all operators who can log in, because one user may log in ten times per minute. */
export function loginRequests(size: number, count: number): Request[] {
  return Array.from({ length: count }, (_, index) => {
    const { email } = buildOperator(size, LOGIN_IDS[index % LOGIN_IDS.length] as number);
    return {
      method: 'POST' as const,
      path: '/oauth2/token',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type: 'password', username: email, password: PASSWORD }).toString(),
    };
  });
}

export interface NamedRequest {
  readonly title: string;
  readonly request: Request;
}

/** First pages: unfiltered, and with every filter. Each filter matches about as many operators at every size. */
export function firstPages(size: number): NamedRequest[] {
  const spread = spreadIds(size, 30).join(',');
  const lastOperator = buildOperator(size, size - 1);
  const filters: readonly (readonly [string, string | number])[] = [
    ['id', spread],
    ['id', `${computeIdPrefix(size)}*`],
    ['group_id', SMALL_GROUP],
    ['group_id', `${SMALL_GROUP}*`],
    ['website_id', SMALL_WEBSITE],
    ['website_id', `${SMALL_WEBSITE}*`],
    ['website_list', SMALL_WEBSITE],
    ['website_list', `${SMALL_WEBSITE}*`],
    ['skill_id', SMALL_SKILL],
    ['skill_id', `${SMALL_SKILL}*`],
    ['name', RARE_NAME],
    ['name', `${RARE_NAME.slice(0, 5)}*`],
    ['external_id', lastOperator.externalId],
    ['external_id', `${RARE_PREFIX}*`],
    ['email', lastOperator.email],
    ['email', `${RARE_PREFIX}*`],
  ];
  return [
    { title: 'plain', request: getUncached('/operator?') },
    { title: 'plain, full', request: getUncached('/operator?full=1') },
    ...filters.map(([name, value]) => ({
      title: `${name} ${String(value).endsWith('*') ? 'prefix' : 'exact'}`,
      request: getFiltered(name, value),
    })),
    { title: 'website_id of almost all operators', request: getFiltered('website_id', 1) },
  ];
}

/** Reads without an index: they may be slow or time out, but must not block other requests. */
export function slowReads(size: number): NamedRequest[] {
  const lastPage = Math.ceil(size / PER_PAGE);
  return [
    { title: 'last page', request: getUncached(`/operator?page=${lastPage}`) },
    { title: 'last page of a website', request: getFiltered('website_id', 1, `&page=${lastPage}`) },
    { title: 'name=*a*t*', request: getFiltered('name', '*a*t*') },
    { title: 'email=*x*7*', request: getFiltered('email', '*x*7*') },
    { title: 'name of 1 in 90 operators', request: getFiltered('name', 'Martin') },
  ];
}

function getFiltered(name: string, value: string | number, suffix = ''): Request {
  return getUncached(`/operator?filters[${name}]=${encodeURIComponent(value)}${suffix}`);
}

/** List responses are cached until something changes, but not for a URL this long: it is computed every time. */
export function getUncached(path: string): Request {
  return get(`${path}&_=${'x'.repeat(500)}`);
}

export function get(path: string): Request {
  return { method: 'GET', path: `/api/2${path}`, headers: { 'X-API-Key': API_KEY } };
}

/** Returns the request as HTTP/1.1 text. */
export function serializeRequest({ method, path, headers, body = '' }: Request): string {
  const lines = Object.entries({
    Host: '127.0.0.1',
    ...headers,
    ...(method === 'GET' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

const HEADERS_ADDED_BY_NODE = new Set(['date', 'connection', 'keep-alive']);
const agent = new Agent({ keepAlive: true });

/** Sends a request once and returns the response, byte for byte. Any status but 200 is an error. */
export function recordResponse(port: number, { method, path, headers, body }: Request): Promise<RecordedResponse> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ port, host: '127.0.0.1', method, path, headers, agent }, async (response) => {
      const text = (await response.setEncoding('latin1').toArray()).join('');
      const { statusCode: status = 0, rawHeaders } = response;
      if (status !== 200) return reject(new Error(`${method} ${path} returned ${status}: ${text}`));
      resolve({ status, headers: removeNodeHeaders(rawHeaders), body: text });
    });
    request.once('error', reject);
    request.end(body);
  });
}

function removeNodeHeaders(headers: readonly string[]): string[] {
  return headers.filter(
    (_, index) => !HEADERS_ADDED_BY_NODE.has((headers[index - (index % 2)] as string).toLowerCase()),
  );
}
