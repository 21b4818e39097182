import { get, graphql, type Request } from '../cases.ts';
import { spreadIds } from '../data.ts';

/** The same work as requests to the service and to each peer. */

const SINGLE_READ_COUNT = 400;

export const PARSE_APPLICATION = 'bench';
export const PARSE_MASTER_KEY = 'the master key of the benchmark';
const PARSE_HEADERS = {
  'X-Parse-Application-Id': PARSE_APPLICATION,
  'X-Parse-Master-Key': PARSE_MASTER_KEY,
  'Content-Type': 'application/json',
};

interface GraphqlRead {
  readonly title: string;
  readonly service: string;
  readonly postgraphile: string;
}

const NEWEST = 'first:20,condition:{accountId:"1"},orderBy:[PRIMARY_KEY_DESC]';

export const GRAPHQL_READS: readonly GraphqlRead[] = [
  {
    title: 'GraphQL: one operator',
    service: '{operator(id:500){id name email}}',
    postgraphile: '{operatorByAccountIdAndRowId(accountId:"1",rowId:"500"){rowId name email}}',
  },
  {
    title: 'GraphQL: 20 operators with 14 fields',
    service: `{operators(first:20){nodes{id name firstName pseudo email externalId roles languageList
      chatEnabled callEnabled videoEnabled chatMaxNumber chatAndCall chatToVideo}}}`,
    postgraphile: `{allOperators(${NEWEST}){nodes{rowId name firstName pseudo email externalId roles languageList
      live{chatEnabled callEnabled videoEnabled chatMaxNumber chatAndCall chatToVideo}}}}`,
  },
  {
    title: 'GraphQL: 20 operators with group, skills, websites, live',
    service: `{operators(first:20){nodes{id name email group{id name} skills{id name} websites{id label}
      live{connected chat{available busy slotNumber routable}}}}}`,
    postgraphile: `{allOperators(${NEWEST}){nodes{rowId name email group{rowId name}
      skills{nodes{skill{rowId name}}} websites{nodes{website{rowId label}}}
      live{leaseUntil chatAvailable chatMaxNumber chatSlots routableUntil}}}}`,
  },
];

export function serviceGraphql({ service }: GraphqlRead, token: string): Request[] {
  return [graphql(token, service)];
}

/** It checks no token. */
export function postgraphileGraphql({ postgraphile }: GraphqlRead): Request[] {
  const body = JSON.stringify({ query: postgraphile });
  return [{ method: 'POST', path: '/graphql', headers: { 'Content-Type': 'application/json' }, body }];
}

/** What the REST interface and its peers answer alike. */
export type RestRead = 'single' | 'list';

export function parseRest(read: RestRead, size: number): Request[] {
  const path = '/classes/Operator';
  const toGet = (suffix: string): Request => ({ method: 'GET', path: path + suffix, headers: PARSE_HEADERS });
  if (read === 'list') return [toGet('?limit=20&count=1')];
  return spreadIds(size, SINGLE_READ_COUNT).map((id) => toGet(`/${id}`));
}

export function jsonRest(read: RestRead, size: number): Request[] {
  const toGet = (suffix: string): Request => ({ method: 'GET', path: `/operators${suffix}`, headers: {} });
  if (read === 'list') return [toGet('?_page=1&_limit=20')];
  return spreadIds(size, SINGLE_READ_COUNT).map((id) => toGet(`/${id}`));
}

/** An operator as REST answers. */
export type Row = Readonly<Record<string, unknown>> & { readonly id: number };

/** Stores the operators in Parse Server, with their own ids. Its names may not start with an underscore. */
export function parseFill(rows: readonly Row[]): Request {
  const requests = rows.map(({ id, _link, ...fields }) => ({
    ...{ method: 'POST', path: '/classes/Operator' },
    body: { objectId: String(id), ...fields },
  }));
  return { method: 'POST', path: '/batch', headers: PARSE_HEADERS, body: JSON.stringify({ requests }) };
}

export function operatorPage(page: number): Request {
  return get(`/operator?full=1&page=${page}`);
}
