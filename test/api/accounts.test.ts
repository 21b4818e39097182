import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { keyClient } from '../support/clients/graphql.ts';
import { type RestClient, restClient } from '../support/clients/rest.ts';
import { createOperator, createResource, listIds, newOperatorFields } from '../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../support/processes/switchboard.ts';

/**
 * Two accounts on one installation. Identifiers are counted per account: FOREIGN exists only in the large account,
 * ABSENT in neither.
 */
const FOREIGN = 4;
const ABSENT = 7;

let switchboard: Switchboard;
let large: RestClient;
let small: RestClient;
let smallKey: string;
const KINDS = ['operator', 'website', 'group', 'skill'] as const;

before(async () => {
  switchboard = await startSwitchboard();
  large = restClient(switchboard.url, switchboard.key);
  const args = ['account', 'create', '--name', 'Small', '--email', 'small@example.com'];
  const { stdout } = await switchboard.runCommand(args, 'a long enough password\n');
  smallKey = stdout.match(/sb_\S+/)?.[0] ?? '';
  small = restClient(switchboard.url, smallKey);
  for (let index = 1; index <= FOREIGN; index += 1) {
    const url = `https://large${index}.example.com`;
    await createResource(large, 'website', { url, label: `Large ${index}` });
    const group_id = await createResource(large, 'group', { name: `Large ${index}` });
    const skill_id = await createResource(large, 'skill', { name: `Large ${index}` });
    await createOperator(large, { name: 'Large', group_id, skill_list: [skill_id], external_id: `person-${index}` });
  }
  await large.put(`/operator/${FOREIGN}/profile`, { status: 'Here', city: 'Rome' });
  await createResource(small, 'website', { url: 'https://small.example.com', label: 'Small 1' });
  await createResource(small, 'group', { name: 'Small 1' });
  await createResource(small, 'skill', { name: 'Small 1' });
  await createOperator(small, { name: 'Small', group_id: 1, skill_list: [1] });
});
after(() => switchboard.stop());

/** Reads all data of one account, to detect changes. */
async function readAll(rest: RestClient): Promise<string> {
  const paths = KINDS.map((kind) => `/${kind}?full=1&limit=100`);
  const responses = [
    ...paths,
    '/client?full=1',
    '/operator/live?connected=0',
    `/operator/${FOREIGN}/live`,
    `/operator/${FOREIGN}/profile`,
  ].map(async (path) => (await rest.get(path)).body);
  return JSON.stringify(await Promise.all(responses));
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

/** `<id>` in the path and the body is replaced by an identifier. */
const createCall = (method: string, path: string, body?: string): Call =>
  body === undefined ? { method, path } : { method, path, body };

const CALLS: readonly Call[] = [
  ...KINDS.flatMap((kind) => [
    createCall('GET', `/${kind}/<id>`),
    createCall('GET', `/${kind}/<id>?fields[]=id`),
    createCall('HEAD', `/${kind}/<id>`),
    createCall('PUT', `/${kind}/<id>`, kind === 'website' ? 'label=taken' : 'name=taken'),
    createCall('PUT', `/${kind}/<id>`, ''),
    createCall('PUT', `/${kind}/<id>`, 'foo=1'),
    createCall('PUT', `/${kind}/<id>`, 'id=<id>'),
    createCall('DELETE', `/${kind}/<id>`),
    createCall('POST', `/${kind}/<id>`, 'name=taken'),
    createCall('PATCH', `/${kind}/<id>`, 'name=taken'),
    createCall('OPTIONS', `/${kind}/<id>`),
  ]),
  createCall('GET', '/operator/<id>/live'),
  createCall('PUT', '/operator/<id>/live', 'chat[available]=1'),
  createCall('PUT', '/operator/<id>/live', 'connected=0'),
  createCall('PUT', '/operator/<id>/live', 'connected=1'),
  createCall('DELETE', '/operator/<id>/live'),
  createCall('GET', '/operator/<id>/statistic'),
  createCall('PUT', '/operator/<id>/statistic', 'experience=1'),
  createCall('GET', '/operator/<id>/profile'),
  createCall('PUT', '/operator/<id>/profile', 'city=Paris'),
  createCall('PUT', '/operator/<id>/profile', 'user_id=<id>'),
  createCall('DELETE', '/operator/<id>/profile'),
  createCall('PUT', '/operator/<id>', 'password=a+password+for+another'),
  createCall('PUT', '/operator/<id>', '_link=/operator/<id>'),
  createCall('PUT', '/operator/<id>', 'external_id=person-1'),
];

/** Everything in the response that a caller could compare, with the identifier replaced. */
async function sendNormalized({ method, path, body }: Call, id: number, key: string): Promise<string> {
  const response = await fetch(`${switchboard.url}/api/2${path.replace('<id>', String(id))}`, {
    method,
    headers: {
      'X-API-Key': key,
      ...(body === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
    },
    ...(body === undefined ? {} : { body: body.replace('<id>', String(id)) }),
  });
  const headers = [...response.headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
  const text = `${response.status} ${JSON.stringify(headers)} ${await response.text()}`;
  return text.replaceAll(`'id' ${id}`, "'id' #").replaceAll(`/${id}`, '/#');
}

suite('an identifier of another account', () => {
  let originalData: string;
  before(async () => {
    originalData = await readAll(large);
  });

  for (const call of CALLS) {
    const { method, path, body = '' } = call;
    test(`${method} ${path} ${body} gets the same response as an unknown identifier`, async () => {
      const foreign = await sendNormalized(call, FOREIGN, smallKey);
      assert.equal(foreign, await sendNormalized(call, ABSENT, smallKey));
      assert.doesNotMatch(foreign, /^20[01]/);
    });
  }

  test('GET /client/<id> gets the same response as an unknown identifier', async () => {
    const read = createCall('GET', '/client/<id>');
    assert.equal(await sendNormalized(read, 1, smallKey), await sendNormalized(read, ABSENT, smallKey));
    assert.match(await sendNormalized(read, 2, smallKey), /^200 /);
  });

  test('afterwards the other account is unchanged', async () => {
    assert.equal(await readAll(large), originalData);
  });
});

suite('lists', () => {
  for (const kind of KINDS) {
    test(`of ${kind}s return and count only those of the account`, async () => {
      const expected = kind === 'operator' ? [2, 1] : [1];
      for (const query of ['', '?full=1', '?fields[]=name', '?filters[id]=*', '?filters[id]=1,2,3,4,5']) {
        assert.deepEqual(await listIds(small, `/${kind}${query}`), expected, query);
      }
      assert.deepEqual(await listIds(small, `/${kind}?filters[id]=${FOREIGN}`), []);
      const name = kind === 'website' ? 'label' : 'name';
      assert.deepEqual(await listIds(small, `/${kind}?filters[${name}]=Large*`), []);
      assert.doesNotMatch(JSON.stringify((await small.get(`/${kind}?full=1`)).body), /large/i);
    });
  }

  test('of clients return the account itself', async () => {
    assert.deepEqual(await listIds(small, '/client'), [2]);
    assert.deepEqual(await listIds(large, '/client'), [1]);
    assert.deepEqual(await listIds(small, '/client?filters[id]=1'), []);
  });

  for (const path of ['/operator', '/operator/live']) {
    test(`${path}: filters by resources of another account match no operators`, async () => {
      const includeOffline = path === '/operator' ? '' : '&connected=0';
      for (const filter of ['id', 'group_id', 'website_id', 'website_list', 'skill_id']) {
        assert.deepEqual(await listIds(small, `${path}?filters[${filter}]=${FOREIGN}${includeOffline}`), [], filter);
      }
      for (const filter of ['name=Large', 'external_id=person-*', 'email=admin@example.com']) {
        assert.deepEqual(
          await listIds(small, `${path}?filters[${filter.replace('=', ']=')}${includeOffline}`),
          [],
          filter,
        );
      }
    });
  }

  test('filtered by an operator or a parent of another account are empty', async () => {
    assert.deepEqual(await listIds(large, `/skill?filters[operator_id]=${FOREIGN}`), [FOREIGN - 1]);
    assert.deepEqual(await listIds(small, `/skill?filters[operator_id]=${FOREIGN}`), []);
    assert.deepEqual(await listIds(small, `/group?filters[parent_id]=${FOREIGN}`), []);
  });
});

suite('writes', () => {
  for (const [method, path, field] of [
    ['post', '/operator', 'group_id'],
    ['post', '/operator', 'website_list'],
    ['post', '/operator', 'skill_list'],
    ['put', '/operator/2', 'group_id'],
    ['put', '/operator/2', 'website_list'],
    ['put', '/operator/2', 'skill_list'],
    ['post', '/group', 'parent_id'],
    ['put', '/group/1', 'parent_id'],
    ['post', '/skill', 'parent_id'],
    ['put', '/skill/1', 'parent_id'],
  ] as const) {
    test(`${method} ${path} cannot reference a ${field} of another account`, async () => {
      const send = async (id: number) => {
        const value = field.endsWith('list') ? [id] : id;
        const base = method === 'put' ? {} : path === '/operator' ? newOperatorFields() : { name: 'New' };
        const { status, body } = await small[method](path, { ...base, [field]: value });
        return { status, text: JSON.stringify(body) };
      };
      const foreign = await send(FOREIGN);
      assert.deepEqual(foreign, await send(ABSENT));
      assert.equal(foreign.status, 400);
    });
  }

  test('affect the resource of the account, not the one with the same id in another account', async () => {
    const before = await readAll(large);
    const ownOperator = (await small.get('/operator/2')).body.data;
    assert.equal(ownOperator.name, 'Small');
    assert.equal((await small.put('/operator/2', { name: 'Renamed' })).status, 200);
    assert.equal((await small.put('/operator/2/live', 'chat[available]=1')).status, 200);
    assert.equal((await small.put('/operator/2/profile', { city: 'Oslo' })).status, 200);
    assert.equal((await small.put('/website/1', { label: 'Renamed' })).status, 200);
    assert.equal((await small.get('/operator/2')).body.data.name, 'Renamed');
    assert.equal((await large.get('/operator/2')).body.data.name, 'Large');
    assert.notEqual((await large.get('/operator/2')).body.data.sso_key, ownOperator.sso_key);
    assert.equal(await readAll(large), before);
  });

  test('two accounts can use the same external_id, but not the same e-mail', async () => {
    assert.equal((await small.post('/operator', newOperatorFields({ external_id: 'person-1' }))).status, 201);
    const duplicate = await small.post('/operator', newOperatorFields({ email: 'ADMIN@example.com' }));
    assert.equal(duplicate.status, 409);
  });

  test('two accounts can use the same Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'the-same-key' };
    assert.equal((await large.post('/group', { name: 'One' }, headers)).status, 201);
    const other = await small.post('/group', { name: 'Two' }, headers);
    assert.equal(other.status, 201);
    assert.equal(other.body.data.name, 'Two');
    assert.equal(other.headers.get('idempotency-replayed'), null);
  });
});

suite('an API key at /graphql', () => {
  const run = async (query: string, headers: Record<string, string> = {}) => {
    const { status, data, errors } = await keyClient(switchboard.url, smallKey).run(query, {}, headers);
    return { status, data, errors };
  };
  const normalize = async (document: string, id: number) =>
    JSON.stringify(await run(document.replace('<id>', String(id)))).replaceAll(`'id' ${id}`, "'id' #");

  for (const kind of KINDS) {
    test(`treats a ${kind} of another account like an unknown one`, async () => {
      const before = await readAll(large);
      const field = kind === 'website' ? 'label' : 'name';
      for (const document of [
        `{ ${kind}(id: <id>) { id ${field} } }`,
        `{ ${kind}s(filter: { id: "<id>" }) { totalCount nodes { id } } }`,
        `mutation { ${kind}Update(input: { id: <id>, ${field}: "Taken" }) { ${kind} { id } userErrors { code message } } }`,
        `mutation { ${kind}Delete(input: { id: <id> }) { deletedId userErrors { code message } } }`,
      ]) {
        assert.equal(await normalize(document, FOREIGN), await normalize(document, ABSENT), document);
      }
      const { data } = await run(`{ ${kind}(id: ${FOREIGN}) { id } ${kind}s { nodes { ${field} } } }`);
      assert.equal(data[kind], null);
      assert.doesNotMatch(JSON.stringify(data), /large/i);
      assert.equal(await readAll(large), before);
    });
  }

  test('has the events, keys and idempotency keys of its account', async () => {
    const { data } = await run('{ account { id } apiKeys { prefix } events(first: 100) { nodes { values } } }');
    assert.equal(data.account.id, '2');
    assert.deepEqual(data.apiKeys, [{ prefix: smallKey.slice(0, 8) }]);
    assert.doesNotMatch(JSON.stringify(data.events), /large/i);
    // Both keys have the identifier 1 in their account.
    const headers = { 'Idempotency-Key': 'the-same-at-graphql' };
    const create = 'mutation { groupCreate(input: { name: "Same" }) { group { id } } }';
    const first = await keyClient(switchboard.url, switchboard.key).run(create, {}, headers);
    const second = await run(create, headers);
    assert.notEqual(second.data.groupCreate.group.id, first.data.groupCreate.group.id);
  });
});
