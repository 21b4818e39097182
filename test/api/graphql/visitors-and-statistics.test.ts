import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type GraphqlClient, graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { createOperator, createResource } from '../../support/fixtures/resources.ts';
import { type SeededServer, startSeededServer } from '../../support/processes/seeded-server.ts';

const PASSWORD = 'a password of this test';

let server: SeededServer;
let admin: GraphqlClient;
/** Manages only the first group. */
let manager: GraphqlClient;
let operator: GraphqlClient;
let shop: number;
let ownGroup: number;
let otherGroup: number;
let ownOperator: number;
let otherOperator: number;

async function createViewer(fields: object): Promise<GraphqlClient & { id: number }> {
  const { id, email } = await createOperator(server.rest, { password: PASSWORD, ...fields });
  return { id, ...graphqlClient(server.url, await logIn(server.url, { email, password: PASSWORD })) };
}

before(async () => {
  server = await startSeededServer();
  const { rest, seeder } = server;
  shop = await createResource(rest, 'website', { label: 'Shop', url: 'https://shop.example.com' });
  ownGroup = await createResource(rest, 'group', { name: 'Own' });
  otherGroup = await createResource(rest, 'group', { name: 'Other' });
  admin = graphqlClient(server.url, await logIn(server.url));
  manager = await createViewer({ group_id: ownGroup, roles: ['manager'] });
  operator = await createViewer({ group_id: ownGroup });
  ownOperator = (await createOperator(rest, { group_id: ownGroup })).id;
  otherOperator = (await createOperator(rest, { group_id: otherGroup })).id;
  for (const [operatorId, name] of [
    [ownOperator, 'ours'],
    [otherOperator, 'theirs'],
  ] as const) {
    const visitorId = await seeder.addVisitor({
      lastname: name,
      externalId: name,
      externalIdFolded: name,
      websites: [shop],
    });
    const times = { createdAt: 1000, acceptedAt: 3000, firstAnswerAt: 4000, closedAt: 5000 };
    const id = await seeder.addConversation({ visitorId, operatorId, websiteId: shop, ...times });
    await seeder.addSatisfaction(id, { operatorId, websiteId: shop, comment: name, createdAt: 6000 });
  }
  // An abandoned conversation that requested the group.
  await seeder.addConversation({
    groupId: ownGroup,
    websiteId: shop,
    closedBy: 'visitor',
    createdAt: 1000,
    closedAt: 9000,
  });
});
after(() => server.stop());

const runQuery = async (client: GraphqlClient, query: string, variables = {}) => {
  const response = await client.run(query, variables);
  assert.deepEqual(response.errors, []);
  return response.data;
};

test('tags are created, read, updated and deleted, with user errors', async () => {
  const fields = 'tag { id name websites { id } createdAt } userErrors { field message code }';
  const created = await runQuery(admin, `mutation { tagCreate(input: { name: "Refund" }) { ${fields} } }`);
  const { tag } = created.tagCreate;
  assert.deepEqual(tag.websites, [{ id: String(shop) }]);
  assert.equal(tag.createdAt, new Date(server.installation.clock.now).toISOString());
  const updateTag = async (input: string) =>
    (await runQuery(admin, `mutation { tagUpdate(input: { id: ${tag.id}, ${input} }) { ${fields} } }`)).tagUpdate;
  assert.deepEqual((await updateTag('name: "Money back", websiteIds: []')).tag, {
    ...tag,
    name: 'Money back',
    websites: [],
  });
  const readUpdateError = async (input: string) => {
    const [first] = (await updateTag(input)).userErrors;
    return [first.field.join('.'), first.code];
  };
  assert.deepEqual(await readUpdateError('name: ""'), ['input.name', 'INVALID']);
  assert.deepEqual(await readUpdateError('websiteIds: ["999"]'), ['input.websiteIds', 'INVALID']);
  assert.deepEqual(await readUpdateError('websiteIds: null'), ['input.websiteIds', 'INVALID']);
  const duplicate = await runQuery(admin, `mutation { tagCreate(input: { name: "MONEY BACK" }) { ${fields} } }`);
  assert.deepEqual(
    duplicate.tagCreate.userErrors.map((error: { code: string }) => error.code),
    ['CONFLICT'],
  );
  const listed = await runQuery(operator, '{ tags(filter: { name: "money*" }) { totalCount nodes { id name } } }');
  assert.deepEqual(listed.tags, { totalCount: 1, nodes: [{ id: tag.id, name: 'Money back' }] });
  const deleted = await runQuery(
    admin,
    `mutation { tagDelete(input: { id: ${tag.id} }) { deletedId userErrors { code } } }`,
  );
  assert.deepEqual(deleted.tagDelete, { deletedId: tag.id, userErrors: [] });
  assert.equal((await runQuery(operator, `{ tag(id: ${tag.id}) { id } }`)).tag, null);
  const unknown = await runQuery(admin, 'mutation { tagDelete(input: { id: 999 }) { userErrors { code } } }');
  assert.equal(unknown.tagDelete.userErrors[0].code, 'UNKNOWN_ID');
});

test('admins read all visitors, managers those of their groups', async () => {
  const listQuery = '{ visitors { totalCount nodes { id lastname websites { id } } } }';
  assert.equal((await runQuery(admin, listQuery)).visitors.totalCount, 2);
  assert.deepEqual((await runQuery(manager, listQuery)).visitors, {
    totalCount: 1,
    nodes: [{ id: '1', lastname: 'ours', websites: [{ id: String(shop) }] }],
  });
  const visitorQuery = (id: number) => `{ visitor(id: ${id}) { lastname } }`;
  assert.equal((await runQuery(manager, visitorQuery(1))).visitor.lastname, 'ours');
  assert.equal((await runQuery(manager, visitorQuery(2))).visitor, null, 'hidden, as if it did not exist');
  assert.equal((await runQuery(admin, visitorQuery(2))).visitor.lastname, 'theirs');
  for (const filter of ['externalId: "THEIRS"', 'uniqueId: "unique-2"', 'id: "2"']) {
    const findVisitors = (client: GraphqlClient) =>
      runQuery(client, `{ visitors(filter: { ${filter} }) { nodes { id } } }`);
    assert.deepEqual((await findVisitors(admin)).visitors.nodes, [{ id: '2' }]);
    assert.deepEqual((await findVisitors(manager)).visitors.nodes, []);
  }
});

test('admins read all surveys, managers those about their operators', async () => {
  const listQuery = '{ satisfactions { totalCount nodes { comment conversationId operator { id } website { id } } } }';
  const ours = {
    comment: 'ours',
    conversationId: '1',
    operator: { id: String(ownOperator) },
    website: { id: String(shop) },
  };
  assert.equal((await runQuery(admin, listQuery)).satisfactions.totalCount, 2);
  assert.deepEqual((await runQuery(manager, listQuery)).satisfactions, { totalCount: 1, nodes: [ours] });
  assert.equal((await runQuery(manager, '{ satisfaction(id: 2) { id } }')).satisfaction, null);
  const period = (from: number, to: number) => ({
    filter: { from: new Date(from).toISOString(), to: new Date(to).toISOString() },
  });
  const inPeriod = 'query ($filter: SatisfactionFilter) { satisfactions(filter: $filter) { totalCount } }';
  assert.equal((await runQuery(admin, inPeriod, period(6000, 6001))).satisfactions.totalCount, 2);
  assert.equal((await runQuery(admin, inPeriod, period(5000, 6000))).satisfactions.totalCount, 0);
});

test("rule 19: statistics of the account, websites and groups include only a manager's own groups", async () => {
  const fields = '{ conversationNumber abandonedNumber waitingSeconds firstAnswerSeconds satisfactionRate }';
  const figures = { waitingSeconds: 2, firstAnswerSeconds: 1, satisfactionRate: 0.8 };
  const total = { conversationNumber: 2, abandonedNumber: 1, ...figures };
  const ours = { conversationNumber: 1, abandonedNumber: 1, ...figures };
  const account = `{ statistics ${fields} website(id: ${shop}) { statistics ${fields} } }`;
  assert.deepEqual(await runQuery(admin, account), { statistics: total, website: { statistics: total } });
  assert.deepEqual(await runQuery(manager, account), { statistics: ours, website: { statistics: ours } });
  const groupQuery = (id: number) => `{ group(id: ${id}) { statistics ${fields} } }`;
  assert.deepEqual((await runQuery(manager, groupQuery(ownGroup))).group.statistics, ours);
  assert.deepEqual((await runQuery(admin, groupQuery(otherGroup))).group.statistics, { ...ours, abandonedNumber: 0 });
  const rejected = await manager.run(groupQuery(otherGroup));
  assert.equal(rejected.data.group.statistics, null);
  assert.equal(rejected.errors[0]?.extensions.code, 'FORBIDDEN');

  const countConversations = async (client: GraphqlClient, filter: string) =>
    (await runQuery(client, `{ statistics(filter: { ${filter} }) { conversationNumber } }`)).statistics
      .conversationNumber;
  assert.equal(await countConversations(admin, `groupId: "${otherGroup}"`), 1);
  assert.equal(await countConversations(manager, `groupId: "${otherGroup}"`), 0);
  assert.equal(await countConversations(manager, `operatorId: "${otherOperator}"`), 0);
  assert.equal(await countConversations(admin, `operatorId: "${ownOperator},${otherOperator}"`), 2);
  assert.equal(await countConversations(admin, 'channel: CALL'), 0);
  assert.equal(await countConversations(admin, `websiteIds: "${shop}", channel: CHAT`), 2);
  const later = '{ statistics(from: "1970-01-01T00:00:02Z") { conversationNumber } }';
  assert.equal((await runQuery(admin, later)).statistics.conversationNumber, 0);
});

test('refusals are reported for the account and websites, connected time for groups and operators', async () => {
  const { database, clock } = server.installation;
  await database.transaction(async ({ db }) => {
    await db
      .insertInto('refusals')
      .values({ accountId: 1, day: '2026-01-01', websiteId: shop, reason: 'x', count: 3 })
      .execute();
  });
  const query = `{ statistics { refusedNumber } website(id: ${shop}) { statistics { refusedNumber } }
    group(id: ${ownGroup}) { statistics { refusedNumber connectedSeconds } } }`;
  assert.deepEqual(await runQuery(admin, query), {
    statistics: { refusedNumber: 3 },
    website: { statistics: { refusedNumber: 3 } },
    group: { statistics: { refusedNumber: null, connectedSeconds: 0 } },
  });
  assert.equal((await runQuery(manager, query)).statistics.refusedNumber, null);

  await runQuery(operator, 'mutation { operatorConnect(input: { ttlSeconds: 60 }) { userErrors { code } } }');
  clock.advance(40_000);
  const { viewer } = await runQuery(operator, '{ viewer { id statistics { connectedSeconds } } }');
  assert.equal(viewer.statistics.connectedSeconds, 40);
  assert.equal((await runQuery(manager, query)).group.statistics.connectedSeconds, 40);
  clock.advance(60_000);
  const after = await runQuery(admin, `{ operator(id: ${viewer.id}) { statistics { connectedSeconds } } }`);
  assert.equal(after.operator.statistics.connectedSeconds, 60, 'the lease expired');
});
