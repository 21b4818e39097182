import { Agent, request as httpRequest } from 'node:http';
import type { RecordedAnswer } from './bare-server.ts';
import {
  ADMIN_EMAIL,
  API_KEY,
  apiKeyOf,
  idPrefix,
  LOGIN_IDS,
  PASSWORD,
  personAt,
  RARE_NAME,
  RARE_PREFIX,
  SMALL_GROUP,
  SMALL_SKILL,
  SMALL_WEBSITE,
  spreadIds,
} from './data.ts';

/** What is measured. */

export interface Request {
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export const CONNECTIONS = 32;
const SINGLE_IDS = 400;
/** Of one account after the other, so that those who write in one come through every node. */
const CONNECTIONS_IN_A_ROW = 4;
const AVAILABILITY_IDS = 2 * CONNECTIONS;
const PER_PAGE = 20;

/** A case in which the service is compared with the bare server. */
export interface RatioCase {
  readonly name: string;
  readonly title: string;
  /** The least share of the bare server's requests per second. */
  readonly goal?: number;
  /** Also measured on PostgreSQL with several nodes. */
  readonly onNodes?: true;
  /** Also against the service with plain graphql-js execution: the least number of times that it is faster. */
  readonly plain?: { readonly goal?: number };
  requests(size: number, token: string): Request[];
}

export const RATIO_CASES: readonly RatioCase[] = [
  { name: 'single', title: 'single operator', goal: 0.6, onNodes: true, requests: (size) => singleReads(size) },
  { name: 'list', title: 'list of 20, full', goal: 0.25, onNodes: true, requests: () => [get('/operator?full=1')] },
  { name: 'live', title: 'live list of 100', goal: 0.25, onNodes: true, requests: () => [get('/operator/live')] },
  { name: 'list', title: 'the same list, made anew', requests: () => [anew('/operator?full=1')] },
  { name: 'live', title: 'the same live list, made anew', requests: () => [anew('/operator/live?')] },
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
      spreadIds(size, SINGLE_IDS).map((id) =>
        graphql(token, 'query($id:ID!){operator(id:$id){id name email}}', { id }),
      ),
  },
];

/** Conversations: its own databases, measured once, whatever the sizes. */
export const ENGINE = 'engine';

/** All names that `--case` takes. */
export const CASE_NAMES = [...new Set(RATIO_CASES.map(({ name }) => name)), 'login', 'pages', 'slow', ENGINE];

const SKILLS_QUERY =
  '{skills(first:20){nodes{id name operators(first:10){nodes{id pseudo live{chat{available busy slotNumber routable}}}}}}}';
const OPERATORS_QUERY = `{operators(first:20){nodes{id name firstName pseudo email externalId roles chatEnabled callEnabled videoEnabled
  chatMaxNumber chatAndCall chatToVideo chatPriority callPriority videoPriority languageList languageAdmin ssoKey
  callConfig{type askPhoneNumberAtEveryConnection phoneNumber} group{id name} websites{id label} skills{id name}}}}`;

function graphql(token: string, query: string, variables?: object): Request {
  return {
    method: 'POST',
    path: '/graphql',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  };
}

/** The admin logs in for the GraphQL cases: nobody else may read everything. */
export function adminLogin(): Request {
  return {
    method: 'POST',
    path: '/oauth2/token',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: 'password', username: ADMIN_EMAIL, password: PASSWORD }).toString(),
  };
}

export function singleReads(size: number): Request[] {
  return spreadIds(size, SINGLE_IDS).map((id) => get(`/operator/${id}`));
}

/** Every write changes something: each operator is set unavailable and available in turn, by one connection. */
export function availabilityWrites(size: number, accounts = 1): Request[] {
  const offline = spreadIds(size, AVAILABILITY_IDS * 2)
    .filter((id) => !personAt(size, id).connected)
    .slice(0, AVAILABILITY_IDS);
  return [0, 1].flatMap((flag) =>
    offline.map((id, index) => ({
      method: 'PUT' as const,
      path: `/api/2/operator/${id}/live`,
      headers: {
        'X-API-Key': apiKeyOf(1 + (Math.floor(index / CONNECTIONS_IN_A_ROW) % accounts)),
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: `chat[available]=${flag}`,
    })),
  );
}

/** So many logins, in turn by those who can log in: one user may try ten times per minute. */
export function logins(size: number, count: number): Request[] {
  return Array.from({ length: count }, (_, index) => {
    const { email } = personAt(size, LOGIN_IDS[index % LOGIN_IDS.length] as number);
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

/** First pages: plain, and by every filter in such a way that about as many operators match at every size. */
export function firstPages(size: number): NamedRequest[] {
  const rare = spreadIds(size, 30).join(',');
  const one = personAt(size, size - 1);
  const filters: readonly (readonly [string, string | number])[] = [
    ['id', rare],
    ['id', `${idPrefix(size)}*`],
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
    ['external_id', one.externalId],
    ['external_id', `${RARE_PREFIX}*`],
    ['email', one.email],
    ['email', `${RARE_PREFIX}*`],
  ];
  return [
    { title: 'plain', request: anew('/operator?') },
    { title: 'plain, full', request: anew('/operator?full=1') },
    ...filters.map(([name, value]) => ({
      title: `${name} ${String(value).endsWith('*') ? 'prefix' : 'exact'}`,
      request: filtered(name, value),
    })),
    { title: 'website_id of nearly all', request: filtered('website_id', 1) },
  ];
}

/** Reads that no index serves: they may be slow, or be given up, but must not hold up others. */
export function slowReads(size: number): NamedRequest[] {
  const lastPage = Math.ceil(size / PER_PAGE);
  return [
    { title: 'last page', request: anew(`/operator?page=${lastPage}`) },
    { title: 'last page of a website', request: filtered('website_id', 1, `&page=${lastPage}`) },
    { title: 'name=*a*t*', request: filtered('name', '*a*t*') },
    { title: 'email=*x*7*', request: filtered('email', '*x*7*') },
    { title: 'a name of one in ninety', request: filtered('name', 'Martin') },
  ];
}

function filtered(name: string, value: string | number, more = ''): Request {
  return anew(`/operator?filters[${name}]=${encodeURIComponent(value)}${more}`);
}

/** Answers of lists are kept until something changes, but not for so long an address: this one is made every time. */
function anew(path: string): Request {
  return get(`${path}&_=${'x'.repeat(500)}`);
}

function get(path: string): Request {
  return { method: 'GET', path: `/api/2${path}`, headers: { 'X-API-Key': API_KEY } };
}

/** The request as it goes over the wire. */
export function wire({ method, path, headers, body = '' }: Request): string {
  const lines = Object.entries({
    Host: '127.0.0.1',
    ...headers,
    ...(method === 'GET' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

const ADDED_BY_NODE = new Set(['date', 'connection', 'keep-alive']);
const agent = new Agent({ keepAlive: true });

/** Sends a request once and keeps the answer, byte for byte. Anything but a success is an error. */
export function record(port: number, { method, path, headers, body }: Request): Promise<RecordedAnswer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ port, host: '127.0.0.1', method, path, headers, agent }, async (response) => {
      const text = (await response.setEncoding('utf8').toArray()).join('');
      const { statusCode: status = 0, rawHeaders } = response;
      if (status !== 200) return reject(new Error(`${method} ${path} was answered with ${status}: ${text}`));
      resolve({ status, headers: kept(rawHeaders), body: text });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

function kept(headers: readonly string[]): string[] {
  return headers.filter((_, index) => !ADDED_BY_NODE.has((headers[index - (index % 2)] as string).toLowerCase()));
}
