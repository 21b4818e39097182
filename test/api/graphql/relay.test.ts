import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import {
  type ConcreteRequest,
  Environment,
  type EnvironmentConfig,
  fetchQuery,
  Network,
  RecordSource,
  Store,
} from 'relay-runtime';
import { graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

const PAGE = readFileSync(new URL('../../../docs/graphql-clients.md', import.meta.url), 'utf8');

type GetDataId = NonNullable<EnvironmentConfig['getDataID']>;

/** The function in the documentation. */
const getDataID = new Function(`return ${PAGE.match(/^ *getDataID: (.*),$/m)?.[1]}`)() as GetDataId;

const TEXT = '{ skill(id: "1") { id name } group(id: "1") { id name } }';

const SELECTIONS = ['skill', 'group'].map((name) => ({
  alias: null,
  args: [{ kind: 'Literal', name: 'id', value: '1' }],
  concreteType: name === 'skill' ? 'Skill' : 'Group',
  kind: 'LinkedField',
  name,
  plural: false,
  selections: ['id', 'name'].map((field) => ({
    ...{ alias: null, args: null, kind: 'ScalarField', name: field, storageKey: null },
  })),
  storageKey: `${name}(id:"1")`,
}));

/** What relay-compiler writes for the query. */
const QUERY = {
  fragment: {
    ...{ argumentDefinitions: [], kind: 'Fragment', metadata: null, name: 'Both', type: 'Query', abstractKey: null },
    selections: SELECTIONS,
  },
  kind: 'Request',
  operation: { argumentDefinitions: [], kind: 'Operation', name: 'Both', selections: SELECTIONS },
  params: { cacheID: 'both', id: null, metadata: {}, name: 'Both', operationKind: 'query', text: TEXT },
} as unknown as ConcreteRequest;

let switchboard: Switchboard;
let token: string;
before(async () => {
  switchboard = await startSwitchboard({ demo: true });
  token = await logIn(switchboard.url);
});
after(() => switchboard.stop());

async function readThroughRelay(options: Pick<EnvironmentConfig, 'getDataID'>) {
  const client = graphqlClient(switchboard.url, token);
  const environment = new Environment({
    network: Network.create(async ({ text }) => ({ data: (await client.run(text ?? '')).data })),
    store: new Store(new RecordSource()),
    ...options,
  });
  return fetchQuery(environment, QUERY, {}).toPromise();
}

test('with getDataID as documented, Relay keeps objects of two types with the same id apart', async () => {
  const { data } = await graphqlClient(switchboard.url, token).run(TEXT);
  assert.notEqual(data.skill.name, data.group.name);
  assert.deepEqual(await readThroughRelay({ getDataID }), data);
  assert.notDeepEqual(await readThroughRelay({}), data, 'the default of Relay merges them');
});

test('objects without an id get none', () => {
  assert.equal(getDataID({ name: 'x' }, 'PageInfo'), undefined);
  assert.equal(getDataID({ id: '1' }, 'Skill'), 'Skill:1');
});
