import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type GraphqlClient, graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { createOperator, createResource } from '../../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

let switchboard: Switchboard;
let rest: RestClient;
let client: GraphqlClient;
before(async () => {
  switchboard = await startSwitchboard({ demo: true });
  rest = restClient(switchboard.url, switchboard.key);
  client = graphqlClient(switchboard.url, await logIn(switchboard.url));
});
after(() => switchboard.stop());

const PAGE = 'nodes{id} edges{cursor node{id}} pageInfo{hasNextPage hasPreviousPage startCursor endCursor}';

interface Page {
  readonly ids: number[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor: string | null;
  readonly endCursor: string | null;
}

async function loadPage(slice: object, filter: object | null = null, viewer: GraphqlClient = client): Promise<Page> {
  const { data, errors } = await viewer.run(
    `query($filter:OperatorFilter,$first:Int,$after:String,$last:Int,$before:String){
      operators(filter:$filter,first:$first,after:$after,last:$last,before:$before){${PAGE}}}`,
    { filter, ...slice },
  );
  assert.deepEqual(errors, []);
  return toPage(data.operators);
}

/** Checks that nodes, edges and pageInfo agree. */
// biome-ignore lint/suspicious/noExplicitAny: a raw response
function toPage({ nodes, edges, pageInfo }: any): Page {
  const ids = nodes.map((node: { id: string }) => Number(node.id));
  assert.deepEqual(
    edges.map((edge: { node: { id: string } }) => Number(edge.node.id)),
    ids,
  );
  assert.equal(pageInfo.startCursor, edges[0]?.cursor ?? null);
  assert.equal(pageInfo.endCursor, edges.at(-1)?.cursor ?? null);
  return { ids, ...pageInfo };
}

async function getRejection(slice: string): Promise<string> {
  const { errors, data } = await client.run(`{operators(${slice}){nodes{id}}}`);
  assert.ok(!data?.operators);
  assert.equal(errors.length, 1);
  assert.equal(errors[0]?.extensions.code, 'BAD_REQUEST');
  return errors[0]?.message ?? '';
}

test('both directions return the same list, whatever the page size', async () => {
  const allIds = (await loadPage({ first: 100 })).ids;
  assert.equal(allIds.length, 47);
  assert.deepEqual(allIds, allIds.toSorted((a, b) => b - a)); // biome-ignore format: short
  for (const size of [3, 20, 46, 47, 100]) {
    const forwards: number[] = [];
    const backwards: number[] = [];
    for (let current: Page | undefined; !current || current.hasNextPage; ) {
      current = await loadPage({ first: size, after: current?.endCursor ?? null });
      assert.equal(current.hasPreviousPage, forwards.length > 0);
      forwards.push(...current.ids);
    }
    for (let current: Page | undefined; !current || current.hasPreviousPage; ) {
      current = await loadPage({ last: size, before: current?.startCursor ?? null });
      assert.equal(current.hasNextPage, backwards.length > 0);
      backwards.unshift(...current.ids);
    }
    assert.deepEqual(forwards, allIds);
    assert.deepEqual(backwards, allIds);
  }
});

test('the page size defaults to 20 and may be 0, and after and before can be combined', async () => {
  const allIds = (await loadPage({ first: 100 })).ids;
  const byDefault = await loadPage({});
  assert.deepEqual(
    [byDefault.ids, byDefault.hasNextPage, byDefault.hasPreviousPage],
    [allIds.slice(0, 20), true, false],
  );
  const emptyPage = await loadPage({ first: 0 });
  assert.deepEqual([emptyPage.ids, emptyPage.hasNextPage, emptyPage.startCursor], [[], true, null]);
  const { endCursor: tenth } = await loadPage({ first: 10 });
  const { startCursor: twentieth } = await loadPage({ first: 1, after: (await loadPage({ first: 19 })).endCursor });
  const between = await loadPage({ first: 100, after: tenth, before: twentieth });
  assert.deepEqual(between.ids, allIds.slice(10, 19));
  assert.deepEqual([between.hasNextPage, between.hasPreviousPage], [true, true]);
  const fromEnd = await loadPage({ last: 3, after: tenth, before: twentieth });
  assert.deepEqual(fromEnd.ids, allIds.slice(16, 19));
});

test('invalid sizes and cursors are BAD_REQUEST', async () => {
  assert.match(await getRejection('first:101'), /first must be between 0 and 100/);
  assert.match(await getRejection('last:101'), /last must be between/);
  assert.match(await getRejection('first:-1'), /first must be between/);
  assert.match(await getRejection('last:-1'), /last must be between/);
  assert.match(await getRejection('first:1,last:1'), /not both/);
  const { endCursor } = await loadPage({ first: 1 });
  for (const cursor of [
    '',
    'x',
    '5',
    'aWQ6',
    'aWQ6MA',
    'aWQ6LTE',
    'aWQ6MWUx',
    'MTI',
    `${endCursor}!`,
    `${endCursor}=`,
  ]) {
    assert.match(await getRejection(`after:${JSON.stringify(cursor)}`), /after is not a cursor/, cursor);
    assert.match(await getRejection(`before:${JSON.stringify(cursor)}`), /before is not a cursor/, cursor);
  }
  const beyond = Buffer.from('id:9007199254740993').toString('base64url');
  assert.match(await getRejection(`after:"${beyond}"`), /not a cursor/);
});

test('cursors stay valid while rows are added and deleted', async () => {
  const before = (await loadPage({ first: 100 })).ids;
  const [added] = [await createOperator(rest), await createOperator(rest)];
  const seen: number[] = [];
  let current = await loadPage({ first: 5 });
  seen.push(...current.ids);
  // Delete a seen row, the cursor's row and an unseen row, and add one at the top.
  const deletedIds = [current.ids[0], current.ids.at(-1), before[10]] as number[];
  for (const id of deletedIds) assert.equal((await rest.delete(`/operator/${id}`)).status, 200, `${id}`);
  const addedLater = await createOperator(rest);
  while (current.hasNextPage) {
    current = await loadPage({ first: 5, after: current.endCursor });
    seen.push(...current.ids);
  }
  assert.equal(new Set(seen).size, seen.length, 'a row was returned twice');
  assert.ok(!seen.includes(addedLater.id), 'a row that was added later belongs before the first page');
  assert.ok(seen.includes(added.id) || deletedIds.includes(added.id));
  assert.deepEqual(
    before.filter((id) => !seen.includes(id)),
    [before[10]],
  );
});

// biome-ignore lint/suspicious/noExplicitAny: a raw response
type Row = any;

/** Each filter with the predicate that it stands for. */
const FILTERS: readonly (readonly [object, (row: Row) => boolean])[] = [
  [{ id: '7' }, (row) => row.id === '7'],
  [{ id: '7, 8,99999' }, (row) => ['7', '8'].includes(row.id)],
  [{ id: '1*' }, (row) => row.id.startsWith('1')],
  [{ groupId: '2' }, (row) => row.group?.id === '2'],
  [{ groupId: '*' }, (row) => row.group !== null],
  [{ websiteId: '3' }, (row) => ids(row.websites).includes('3')],
  [{ websiteIds: '1,2' }, (row) => ids(row.websites).some((id) => ['1', '2'].includes(id))],
  [{ skillId: '4' }, (row) => ids(row.skills).includes('4')],
  [{ name: 'martin' }, (row) => row.name === 'Martin'],
  [{ name: '*E*' }, (row) => row.name.toLowerCase().includes('e')],
  [{ externalId: 'DEMO-1*' }, (row) => row.externalId?.startsWith('demo-1')],
  [{ email: 'demo2*' }, (row) => row.email.startsWith('demo2')],
  [{ connected: true }, (row) => row.live.connected],
  [{ connected: false }, (row) => !row.live.connected],
  ...(['chat', 'call', 'video'] as const).flatMap((channel) => [
    [{ available: channel.toUpperCase() }, (row: Row) => row.live[channel].available] as const,
    [{ routable: channel.toUpperCase() }, (row: Row) => row.live[channel].routable] as const,
  ]),
  [{ role: 'MANAGER' }, (row) => row.roles.includes('MANAGER')],
  [{ role: 'EXPERT' }, (row) => row.roles.includes('EXPERT')],
  [{ language: 'fr' }, (row) => row.languageList.includes('fr')],
  [{ language: 'de', connected: true, websiteId: '1' }, (row) => row.languageList.includes('de') && row.live.connected && ids(row.websites).includes('1')], // biome-ignore format: one line each
];

function ids(rows: readonly { id: string }[]): string[] {
  return rows.map((row) => row.id);
}

test('every filter selects the right operators, in the list and in skills, groups and websites', async () => {
  const channels = 'chat{available routable} call{available routable} video{available routable}';
  const { data } = await client.run(`{operators(first:100){nodes{id name email externalId roles languageList group{id}
    websites{id} skills{id} live{connected ${channels}}}}}`);
  const rows: Row[] = data.operators.nodes;
  for (const [filter, matches] of FILTERS) {
    const expected = rows.filter(matches).map((row) => Number(row.id));
    const label = JSON.stringify(filter);
    assert.deepEqual((await loadPage({ first: 100 }, filter)).ids, expected, label);
    assert.ok(expected.length > 0 && expected.length < rows.length, `${label} selects all or none`);
    const members = await client.run(
      `query($filter:OperatorFilter){
        skills(first:20){nodes{id operators(filter:$filter,first:100){${PAGE} totalCount}}}
        groups(first:20){nodes{id operators(filter:$filter,last:2){${PAGE} totalCount}}}
        websites(first:20){nodes{id operators(filter:$filter,first:3){${PAGE} totalCount}}}}`,
      { filter },
    );
    assert.deepEqual(members.errors, []);
    const check = (kind: string, isMember: (row: Row, id: string) => boolean, slice: (all: number[]) => number[]) => {
      for (const owner of members.data[kind].nodes) {
        const all = rows.filter((row) => matches(row) && isMember(row, owner.id)).map((row) => Number(row.id));
        assert.deepEqual(toPage(owner.operators).ids, slice(all), `${kind} ${owner.id} ${label}`);
        assert.equal(owner.operators.totalCount, all.length);
      }
    };
    check('skills', (row, id) => ids(row.skills).includes(id), (all) => all); // biome-ignore format: one line each
    check('groups', (row, id) => row.group?.id === id, (all) => all.slice(-2)); // biome-ignore format: one line each
    check('websites', (row, id) => ids(row.websites).includes(id), (all) => all.slice(0, 3)); // biome-ignore format: one line each
  }
});

test('an invalid filter is BAD_REQUEST, and the message names it', async () => {
  for (const [filter, message] of [
    ['id:""', /filter\.id must be/],
    ['id:"1e1"', /filter\.id must be/],
    ['groupId:"-1"', /filter\.groupId must be/],
    ['name:"a\\u0000"', /filter\.name must be/],
    ['language:"xx"', /filter\.language must be/],
    ['language:""', /filter\.language must be/],
  ] as const) {
    assert.match(await getRejection(`filter:{${filter}}`), message);
  }
});

test('the members of very many skills load, with very long filters too', async () => {
  const parent = await createResource(rest, 'skill', { name: 'Parent' });
  for (let created = 0; created < 520; created += 40) {
    await Promise.all(Array.from({ length: 40 }, (_, n) => createResource(rest, 'skill', { name: `S ${created + n}`, parent_id: parent }))); // biome-ignore format: one line
  }
  const longList = Array.from({ length: 500 }, (_, index) => index + 1).join(',');
  const filter = { id: longList, websiteId: longList, websiteIds: longList };
  for (const variables of [{}, { filter }]) {
    const { data, errors } = await client.run(
      `query($id:ID!,$filter:OperatorFilter){skill(id:$id){children{operators(filter:$filter,first:1){nodes{id} totalCount}}}}`,
      { id: parent, ...variables },
    );
    assert.deepEqual(errors, []);
    assert.equal(data.skill.children.length, 520);
  }
});
