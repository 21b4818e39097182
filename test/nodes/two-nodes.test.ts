import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import postgres from 'postgres';
import { graphqlClient, logIn } from '../support/clients/graphql.ts';
import { openSocket } from '../support/clients/subscriptions.ts';
import { TEST_SECRET } from '../support/databases/postgres-database.ts';
import { ADMIN, type SwitchboardProcess, startSwitchboardProcess } from '../support/processes/switchboard.ts';

const server = process.env.TEST_DATABASE_URL;
const DATABASE_NAME = `nodes_${process.pid}`;

describe('two nodes on one PostgreSQL', { skip: server === undefined }, () => {
  let nodes: [SwitchboardProcess, SwitchboardProcess];
  let tokens: [string, string];
  let sql: postgres.Sql;

  before(async () => {
    sql = postgres(server ?? '', { max: 1, onnotice: () => undefined });
    await sql.unsafe(`create database ${DATABASE_NAME}`);
    const url = new URL(server ?? '');
    url.pathname = `/${DATABASE_NAME}`;
    const env = {
      DATABASE_URL: String(url),
      SWITCHBOARD_SECRET: TEST_SECRET,
      SWITCHBOARD_VISITOR_SESSIONS_PER_MINUTE: '0',
      SWITCHBOARD_VISITOR_STARTS_PER_MINUTE: '0',
      SWITCHBOARD_VISITOR_ADDRESS_STARTS_PER_MINUTE: '0',
    };
    nodes = await Promise.all([startSwitchboardProcess({ env }), startSwitchboardProcess({ env })]);
    tokens = [await logIn(nodes[0].url, ADMIN), await logIn(nodes[1].url, ADMIN)];
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await sql.unsafe(`drop database ${DATABASE_NAME} with (force)`);
    await sql.end();
  });

  test('a desk on one node serves visitors of the other, and no operator exceeds their capacity', async () => {
    const [firstNode, secondNode] = nodes;
    const admin = graphqlClient(firstNode.url, tokens[0]);
    const website = (await admin.run('mutation{websiteCreate(input:{url:"https://a.example" label:"A"}){website{id}}}'))
      .data.websiteCreate.website.id;
    const created = await admin.run(
      `mutation{operatorCreate(input:{name:"O" email:"o@example.com" password:"a long enough password" chatMaxNumber:3 websiteIds:[${website}]}){operator{id} userErrors{message}}}`,
    );
    const id = created.data.operatorCreate.operator.id;
    const token = await logIn(firstNode.url, { email: 'o@example.com', password: 'a long enough password' });
    await graphqlClient(secondNode.url, token).run(
      `mutation{operatorAvailabilityUpdate(input:{id:${id} chat:true}){userErrors{message}}}`,
    );
    const desk = openSocket(firstNode.url, token);
    const subscription = await desk.subscribe('subscription{deskEvents{type conversationId conversation{state}}}');
    const starts = Array.from({ length: 12 }, async (_, index) => {
      const node = nodes[index % 2] as SwitchboardProcess;
      const session = await fetch(`${node.url}/visitor/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ websiteId: website }),
      });
      const { token: visitor } = (await session.json()) as { token: string };
      const response = await fetch(`${node.url}/visitor/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${visitor}` },
        body: JSON.stringify({
          query:
            'mutation{conversationStart(input:{channel:CHAT message:"Hello"}){conversation{id state} userErrors{message}}}',
        }),
      });
      const { data } = (await response.json()) as { data: { conversationStart: { conversation: { state: string } } } };
      return data.conversationStart.conversation.state;
    });
    const states = await Promise.all(starts);
    assert.equal(states.filter((state) => state === 'OFFERED').length, 3);
    assert.equal(states.filter((state) => state === 'QUEUED').length, 9);
    const offers = () =>
      subscription.results.filter(({ data }) => data.deskEvents.type === 'conversation.offered').length;
    await subscription.waitUntil(() => offers() === 3);
    const { code, stdout } = await secondNode.runCommand(['doctor']);
    assert.equal(code, 0, stdout);
    desk.end();
  });
});
