import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type GraphqlClient, graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { add, addOperator } from '../../support/people/people.ts';
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

/** One page of operators; what stands in it twice must agree. */
async function page(slice: object, filter: object | null = null, from: GraphqlClient = client): Promise<Page> {
  const { data, errors } = await from.run(
    `query($filter:OperatorFilter,$first:Int,$after:String,$last:Int,$before:String){
      operators(filter:$filter,first:$first,after:$after,last:$last,before:$before){${PAGE}}}`,
    { filter, ...slice },
  );
  assert.deepEqual(errors, []);
  return checked(data.operators);
}

// biome-ignore lint/suspicious/noExplicitAny: an answer as it came
function checked({ nodes, edges, pageInfo }: any): Page {
  const ids = nodes.map((node: { id: string }) => Number(node.id));
  assert.deepEqual(
    edges.map((edge: { node: { id: string } }) => Number(edge.node.id)),
    ids,
  );
  assert.equal(pageInfo.startCursor, edges[0]?.cursor ?? null);
  assert.equal(pageInfo.endCursor, edges.at(-1)?.cursor ?? null);
  return { ids, ...pageInfo };
}

async function refused(slice: string): Promise<string> {
  const { errors, data } = await client.run(`{operators(${slice}){nodes{id}}}`);
  assert.ok(!data?.operators);
  assert.equal(errors.length, 1);
  assert.equal(errors[0]?.extensions.code, 'BAD_REQUEST');
  return errors[0]?.message ?? '';
}

test('both directions walk through the same list, whatever the size of the pages', async () => {
  const everyone = (await page({ first: 100 })).ids;
  assert.equal(everyone.length, 41);
  assert.deepEqual(everyone, everyone.toSorted((a, b) => b - a)); // biome-ignore format: short
  for (const size of [3, 20, 40, 41, 100]) {
    const forwards: number[] = [];
    const backwards: number[] = [];
    for (let at: Page | undefined; !at || at.hasNextPage; ) {
      at = await page({ first: size, after: at?.endCursor ?? null });
      assert.equal(at.hasPreviousPage, forwards.length > 0);
      forwards.push(...at.ids);
    }
    for (let at: Page | undefined; !at || at.hasPreviousPage; ) {
      at = await page({ last: size, before: at?.startCursor ?? null });
      assert.equal(at.hasNextPage, backwards.length > 0);
      backwards.unshift(...at.ids);
    }
    assert.deepEqual(forwards, everyone);
    assert.deepEqual(backwards, everyone);
  }
});

test('20 when nothing is said, nothing when 0 is asked for, and both ends together', async () => {
  const everyone = (await page({ first: 100 })).ids;
  const plain = await page({});
  assert.deepEqual([plain.ids, plain.hasNextPage, plain.hasPreviousPage], [everyone.slice(0, 20), true, false]);
  const none = await page({ first: 0 });
  assert.deepEqual([none.ids, none.hasNextPage, none.startCursor], [[], true, null]);
  const { endCursor: tenth } = await page({ first: 10 });
  const { startCursor: twentieth } = await page({ first: 1, after: (await page({ first: 19 })).endCursor });
  const between = await page({ first: 100, after: tenth, before: twentieth });
  assert.deepEqual(between.ids, everyone.slice(10, 19));
  assert.deepEqual([between.hasNextPage, between.hasPreviousPage], [true, true]);
  const fromEnd = await page({ last: 3, after: tenth, before: twentieth });
  assert.deepEqual(fromEnd.ids, everyone.slice(16, 19));
});

test('sizes and cursors that make no sense are BAD_REQUEST', async () => {
  assert.match(await refused('first:101'), /first must be between 0 and 100/);
  assert.match(await refused('last:101'), /last must be between/);
  assert.match(await refused('first:-1'), /first must be between/);
  assert.match(await refused('last:-1'), /last must be between/);
  assert.match(await refused('first:1,last:1'), /not both/);
  const { endCursor } = await page({ first: 1 });
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
    assert.match(await refused(`after:${JSON.stringify(cursor)}`), /after is not a cursor/, cursor);
    assert.match(await refused(`before:${JSON.stringify(cursor)}`), /before is not a cursor/, cursor);
  }
  const beyond = Buffer.from('id:9007199254740993').toString('base64url');
  assert.match(await refused(`after:"${beyond}"`), /not a cursor/);
});

test('cursors stay right while rows come and go', async () => {
  const before = (await page({ first: 100 })).ids;
  const [doomed] = [await addOperator(rest), await addOperator(rest)];
  const seen: number[] = [];
  let at = await page({ first: 5 });
  seen.push(...at.ids);
  // What the cursor stands on goes, what was seen goes, what was not seen goes, and somebody new comes at the top.
  const gone = [at.ids[0], at.ids.at(-1), before[10]] as number[];
  for (const id of gone) assert.equal((await rest.delete(`/operator/${id}`)).status, 200, `${id}`);
  const late = await addOperator(rest);
  while (at.hasNextPage) {
    at = await page({ first: 5, after: at.endCursor });
    seen.push(...at.ids);
  }
  assert.equal(new Set(seen).size, seen.length, 'something came twice');
  assert.ok(!seen.includes(late.id), 'what came later stands before the first page');
  assert.ok(seen.includes(doomed.id) || gone.includes(doomed.id));
  assert.deepEqual(
    before.filter((id) => !seen.includes(id)),
    [before[10]],
  );
});

// biome-ignore lint/suspicious/noExplicitAny: an answer as it came
type Row = any;

/** Each filter with what it means for an operator whose fields are at hand. */
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

test('every filter means what it says, in the list and among the members of skills, groups and websites', async () => {
  const channels = 'chat{available routable} call{available routable} video{available routable}';
  const { data } = await client.run(`{operators(first:100){nodes{id name email externalId roles languageList group{id}
    websites{id} skills{id} live{connected ${channels}}}}}`);
  const rows: Row[] = data.operators.nodes;
  for (const [filter, means] of FILTERS) {
    const expected = rows.filter(means).map((row) => Number(row.id));
    const shown = JSON.stringify(filter);
    assert.deepEqual((await page({ first: 100 }, filter)).ids, expected, shown);
    assert.ok(expected.length > 0 && expected.length < rows.length, `${shown} tells nothing`);
    const members = await client.run(
      `query($filter:OperatorFilter){
        skills(first:20){nodes{id operators(filter:$filter,first:100){${PAGE} totalCount}}}
        groups(first:20){nodes{id operators(filter:$filter,last:2){${PAGE} totalCount}}}
        websites(first:20){nodes{id operators(filter:$filter,first:3){${PAGE} totalCount}}}}`,
      { filter },
    );
    assert.deepEqual(members.errors, []);
    const check = (kind: string, holds: (row: Row, id: string) => boolean, cut: (all: number[]) => number[]) => {
      for (const owner of members.data[kind].nodes) {
        const all = rows.filter((row) => means(row) && holds(row, owner.id)).map((row) => Number(row.id));
        assert.deepEqual(checked(owner.operators).ids, cut(all), `${kind} ${owner.id} ${shown}`);
        assert.equal(owner.operators.totalCount, all.length);
      }
    };
    check('skills', (row, id) => ids(row.skills).includes(id), (all) => all); // biome-ignore format: one line each
    check('groups', (row, id) => row.group?.id === id, (all) => all.slice(-2)); // biome-ignore format: one line each
    check('websites', (row, id) => ids(row.websites).includes(id), (all) => all.slice(0, 3)); // biome-ignore format: one line each
  }
});

test('a filter that cannot mean anything is BAD_REQUEST and says which one', async () => {
  for (const [filter, says] of [
    ['id:""', /filter\.id must be/],
    ['id:"1e1"', /filter\.id must be/],
    ['groupId:"-1"', /filter\.groupId must be/],
    ['name:"a\\u0000"', /filter\.name must be/],
    ['language:"xx"', /filter\.language must be/],
    ['language:""', /filter\.language must be/],
  ] as const) {
    assert.match(await refused(`filter:{${filter}}`), says);
  }
});

test('the members of very many skills, and very long filters, are no more than some statements', async () => {
  const parent = await add(rest, 'skill', { name: 'Parent' });
  for (let made = 0; made < 520; made += 40) {
    await Promise.all(Array.from({ length: 40 }, (_, n) => add(rest, 'skill', { name: `S ${made + n}`, parent_id: parent }))); // biome-ignore format: one line
  }
  const long = Array.from({ length: 500 }, (_, index) => index + 1).join(',');
  const filter = { id: long, websiteId: long, websiteIds: long };
  for (const variables of [{}, { filter }]) {
    const { data, errors } = await client.run(
      `query($id:ID!,$filter:OperatorFilter){skill(id:$id){children{operators(filter:$filter,first:1){nodes{id} totalCount}}}}`,
      { id: parent, ...variables },
    );
    assert.deepEqual(errors, []);
    assert.equal(data.skill.children.length, 520);
  }
});
