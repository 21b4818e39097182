import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type GraphqlClient, graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { add, addOperator } from '../../support/people/people.ts';
import { type PastServer, startPast } from '../../support/processes/past-server.ts';

const PASSWORD = 'a password of this test';

let past: PastServer;
let admin: GraphqlClient;
/** Manages the first group alone. */
let manager: GraphqlClient;
let operator: GraphqlClient;
let shop: number;
let own: number;
let other: number;
let ownOperator: number;
let otherOperator: number;

async function newViewer(fields: object): Promise<GraphqlClient & { id: number }> {
  const { id, email } = await addOperator(past.rest, { password: PASSWORD, ...fields });
  return { id, ...graphqlClient(past.url, await logIn(past.url, { email, password: PASSWORD })) };
}

before(async () => {
  past = await startPast();
  const { rest, rows } = past;
  shop = await add(rest, 'website', { label: 'Shop', url: 'https://shop.example.com' });
  own = await add(rest, 'group', { name: 'Own' });
  other = await add(rest, 'group', { name: 'Other' });
  admin = graphqlClient(past.url, await logIn(past.url));
  manager = await newViewer({ group_id: own, roles: ['manager'] });
  operator = await newViewer({ group_id: own });
  ownOperator = (await addOperator(rest, { group_id: own })).id;
  otherOperator = (await addOperator(rest, { group_id: other })).id;
  for (const [operatorId, name] of [
    [ownOperator, 'ours'],
    [otherOperator, 'theirs'],
  ] as const) {
    const visitorId = await rows.visitor({
      lastname: name,
      externalId: name,
      externalIdFolded: name,
      websites: [shop],
    });
    const moments = { createdAt: 1000, acceptedAt: 3000, firstAnswerAt: 4000, closedAt: 5000 };
    const id = await rows.conversation({ visitorId, operatorId, websiteId: shop, ...moments });
    await rows.satisfaction(id, { operatorId, websiteId: shop, comment: name, createdAt: 6000 });
  }
  // Nobody took it; it asked for the group.
  await rows.conversation({ groupId: own, websiteId: shop, closedBy: 'visitor', createdAt: 1000, closedAt: 9000 });
});
after(() => past.stop());

const data = async (client: GraphqlClient, query: string, variables = {}) => {
  const answer = await client.run(query, variables);
  assert.deepEqual(answer.errors, []);
  return answer.data;
};

test('tags: made, read, changed and deleted, with what the caller can mend', async () => {
  const fields = 'tag { id name websites { id } createdAt } userErrors { field message code }';
  const made = await data(admin, `mutation { tagCreate(input: { name: "Refund" }) { ${fields} } }`);
  const { tag } = made.tagCreate;
  assert.deepEqual(tag.websites, [{ id: String(shop) }]);
  assert.equal(tag.createdAt, new Date(past.installation.clock.now).toISOString());
  const change = async (input: string) =>
    (await data(admin, `mutation { tagUpdate(input: { id: ${tag.id}, ${input} }) { ${fields} } }`)).tagUpdate;
  assert.deepEqual((await change('name: "Money back", websiteIds: []')).tag, {
    ...tag,
    name: 'Money back',
    websites: [],
  });
  const error = async (input: string) => {
    const [first] = (await change(input)).userErrors;
    return [first.field.join('.'), first.code];
  };
  assert.deepEqual(await error('name: ""'), ['input.name', 'INVALID']);
  assert.deepEqual(await error('websiteIds: ["999"]'), ['input.websiteIds', 'INVALID']);
  assert.deepEqual(await error('websiteIds: null'), ['input.websiteIds', 'INVALID']);
  const again = await data(admin, `mutation { tagCreate(input: { name: "MONEY BACK" }) { ${fields} } }`);
  assert.deepEqual(
    again.tagCreate.userErrors.map((each: { code: string }) => each.code),
    ['CONFLICT'],
  );
  const listed = await data(operator, '{ tags(filter: { name: "money*" }) { totalCount nodes { id name } } }');
  assert.deepEqual(listed.tags, { totalCount: 1, nodes: [{ id: tag.id, name: 'Money back' }] });
  const gone = await data(admin, `mutation { tagDelete(input: { id: ${tag.id} }) { deletedId userErrors { code } } }`);
  assert.deepEqual(gone.tagDelete, { deletedId: tag.id, userErrors: [] });
  assert.equal((await data(operator, `{ tag(id: ${tag.id}) { id } }`)).tag, null);
  const unknown = await data(admin, 'mutation { tagDelete(input: { id: 999 }) { userErrors { code } } }');
  assert.equal(unknown.tagDelete.userErrors[0].code, 'UNKNOWN_ID');
});

test('visitors: all for admins, those of their groups for managers', async () => {
  const all = '{ visitors { totalCount nodes { id lastname websites { id } } } }';
  assert.equal((await data(admin, all)).visitors.totalCount, 2);
  assert.deepEqual((await data(manager, all)).visitors, {
    totalCount: 1,
    nodes: [{ id: '1', lastname: 'ours', websites: [{ id: String(shop) }] }],
  });
  const one = (id: number) => `{ visitor(id: ${id}) { lastname } }`;
  assert.equal((await data(manager, one(1))).visitor.lastname, 'ours');
  assert.equal((await data(manager, one(2))).visitor, null, 'like one that does not exist');
  assert.equal((await data(admin, one(2))).visitor.lastname, 'theirs');
  for (const filter of ['externalId: "THEIRS"', 'uniqueId: "unique-2"', 'id: "2"']) {
    const found = (client: GraphqlClient) => data(client, `{ visitors(filter: { ${filter} }) { nodes { id } } }`);
    assert.deepEqual((await found(admin)).visitors.nodes, [{ id: '2' }]);
    assert.deepEqual((await found(manager)).visitors.nodes, []);
  }
});

test('surveys: all for admins, those about their operators for managers', async () => {
  const all = '{ satisfactions { totalCount nodes { comment conversationId operator { id } website { id } } } }';
  const ours = {
    comment: 'ours',
    conversationId: '1',
    operator: { id: String(ownOperator) },
    website: { id: String(shop) },
  };
  assert.equal((await data(admin, all)).satisfactions.totalCount, 2);
  assert.deepEqual((await data(manager, all)).satisfactions, { totalCount: 1, nodes: [ours] });
  assert.equal((await data(manager, '{ satisfaction(id: 2) { id } }')).satisfaction, null);
  const period = (from: number, to: number) => ({
    filter: { from: new Date(from).toISOString(), to: new Date(to).toISOString() },
  });
  const inPeriod = 'query ($filter: SatisfactionFilter) { satisfactions(filter: $filter) { totalCount } }';
  assert.equal((await data(admin, inPeriod, period(6000, 6001))).satisfactions.totalCount, 2);
  assert.equal((await data(admin, inPeriod, period(5000, 6000))).satisfactions.totalCount, 0);
});

test('rule 19: figures of the account, of websites, groups and skills, for managers of their groups only', async () => {
  const fields = '{ conversationNumber abandonedNumber waitingSeconds firstAnswerSeconds satisfactionRate }';
  const figures = { waitingSeconds: 2, firstAnswerSeconds: 1, satisfactionRate: 0.8 };
  const everything = { conversationNumber: 2, abandonedNumber: 1, ...figures };
  const ours = { conversationNumber: 1, abandonedNumber: 1, ...figures };
  const account = `{ statistics ${fields} website(id: ${shop}) { statistics ${fields} } }`;
  assert.deepEqual(await data(admin, account), { statistics: everything, website: { statistics: everything } });
  assert.deepEqual(await data(manager, account), { statistics: ours, website: { statistics: ours } });
  const group = (id: number) => `{ group(id: ${id}) { statistics ${fields} } }`;
  assert.deepEqual((await data(manager, group(own))).group.statistics, ours);
  assert.deepEqual((await data(admin, group(other))).group.statistics, { ...ours, abandonedNumber: 0 });
  const refused = await manager.run(group(other));
  assert.equal(refused.data.group.statistics, null);
  assert.equal(refused.errors[0]?.extensions.code, 'FORBIDDEN');

  const filtered = async (client: GraphqlClient, filter: string) =>
    (await data(client, `{ statistics(filter: { ${filter} }) { conversationNumber } }`)).statistics.conversationNumber;
  assert.equal(await filtered(admin, `groupId: "${other}"`), 1);
  assert.equal(await filtered(manager, `groupId: "${other}"`), 0);
  assert.equal(await filtered(manager, `operatorId: "${otherOperator}"`), 0);
  assert.equal(await filtered(admin, `operatorId: "${ownOperator},${otherOperator}"`), 2);
  assert.equal(await filtered(admin, 'channel: CALL'), 0);
  assert.equal(await filtered(admin, `websiteIds: "${shop}", channel: CHAT`), 2);
  const later = '{ statistics(from: "1970-01-01T00:00:02Z") { conversationNumber } }';
  assert.equal((await data(admin, later)).statistics.conversationNumber, 0);
});

test('what was refused and hours worked are told where they are known', async () => {
  const { database, clock } = past.installation;
  await database.transaction(async ({ db }) => {
    await db
      .insertInto('refusals')
      .values({ accountId: 1, day: '2026-01-01', websiteId: shop, reason: 'x', count: 3 })
      .execute();
  });
  const read = `{ statistics { refusedNumber } website(id: ${shop}) { statistics { refusedNumber } }
    group(id: ${own}) { statistics { refusedNumber connectedSeconds } } }`;
  assert.deepEqual(await data(admin, read), {
    statistics: { refusedNumber: 3 },
    website: { statistics: { refusedNumber: 3 } },
    group: { statistics: { refusedNumber: null, connectedSeconds: 0 } },
  });
  assert.equal((await data(manager, read)).statistics.refusedNumber, null);

  await data(operator, 'mutation { operatorConnect(input: { ttlSeconds: 60 }) { userErrors { code } } }');
  clock.advance(40_000);
  const { viewer, group } = await data(operator, '{ viewer { statistics { connectedSeconds } } group: viewer { id } }');
  assert.equal(viewer.statistics.connectedSeconds, 40);
  assert.equal((await data(manager, read)).group.statistics.connectedSeconds, 40);
  clock.advance(60_000);
  const after = await data(admin, `{ operator(id: ${group.id}) { statistics { connectedSeconds } } }`);
  assert.equal(after.operator.statistics.connectedSeconds, 60, 'a lease ends by time');
});
