import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import postgres from 'postgres';
import { SECRET } from '../support/postgres-database.ts';
import { graphqlClient, logIn } from '../support/graphql.ts';
import { openSocket } from '../support/subscriptions.ts';
import { ADMIN, type Switchboard, startSwitchboard } from '../support/switchboard.ts';

const server = process.env.TEST_DATABASE_URL;
const NAME = `nodes_${process.pid}`;

describe('two nodes on one PostgreSQL', { skip: server === undefined }, () => {
  let nodes: [Switchboard, Switchboard];
  let tokens: [string, string];
  let sql: postgres.Sql;

  before(async () => {
    sql = postgres(server ?? '', { max: 1, onnotice: () => undefined });
    await sql.unsafe(`create database ${NAME}`);
    const url = new URL(server ?? '');
    url.pathname = `/${NAME}`;
    const env = {
      DATABASE_URL: String(url),
      SWITCHBOARD_SECRET: SECRET,
      SWITCHBOARD_VISITOR_SESSIONS_PER_MINUTE: '0',
      SWITCHBOARD_VISITOR_STARTS_PER_MINUTE: '0',
      SWITCHBOARD_VISITOR_ADDRESS_STARTS_PER_MINUTE: '0',
    };
    nodes = await Promise.all([startSwitchboard({ env }), startSwitchboard({ env })]);
    tokens = [await logIn(nodes[0].url, ADMIN), await logIn(nodes[1].url, ADMIN)];
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await sql.unsafe(`drop database ${NAME} with (force)`);
    await sql.end();
  });

  test('of several that start at once on an empty database, one migrates and makes the account', async () => {
    const { code, stdout } = await nodes[0].command(['account', 'list']);
    assert.equal(code, 0);
    assert.equal(stdout.match(/^\s*\d+ /gm)?.length, 1, stdout);
  });

  test('a read through any node shows every write that was acknowledged before, through whichever node', async () => {
    const clients = nodes.map((node, index) => graphqlClient(node.url, tokens[index] as string));
    for (let number = 0; number < 40; number += 1) {
      const [writer, reader] = number % 2 === 0 ? [clients[0], clients[1]] : [clients[1], clients[0]];
      const made = await writer?.run(`mutation{skillCreate(input:{name:"Skill ${number}"}){skill{id}}}`);
      const read = await reader?.run(`{skill(id:${made?.data.skillCreate.skill.id}){name}}`);
      assert.equal(read?.data.skill.name, `Skill ${number}`);
    }
  });

  test('a revoked token ends on every node within a second', async () => {
    const token = await logIn(nodes[0].url, ADMIN);
    const status = async () =>
      (await fetch(`${nodes[1].url}/_authenticated`, { headers: { authorization: `Bearer ${token}` } })).status;
    assert.equal(await status(), 200);
    await fetch(`${nodes[0].url}/oauth2/revoke`, { method: 'POST', body: new URLSearchParams({ token }) });
    await new Promise((resolve) => setTimeout(resolve, 1100));
    assert.equal(await status(), 401);
  });

  test('login limits are exact over all nodes', async () => {
    const tries = Array.from({ length: 60 }, (_, index) =>
      fetch(`${nodes[index % 2]?.url}/oauth2/token`, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: 'password', username: 'nobody@example.com', password: 'wrong' }),
      }).then((response) => response.status),
    );
    const statuses = await Promise.all(tries);
    assert.equal(statuses.filter((status) => status === 400).length, 10);
    assert.equal(statuses.filter((status) => status === 429).length, 50);
  });

  test('a desk on one node serves visitors of the other, and no maximum is exceeded', async () => {
    const [here, there] = nodes;
    const admin = graphqlClient(here.url, tokens[0]);
    const website = (await admin.run('mutation{websiteCreate(input:{url:"https://a.example" label:"A"}){website{id}}}'))
      .data.websiteCreate.website.id;
    const made = await admin.run(
      `mutation{operatorCreate(input:{name:"O" email:"o@example.com" password:"a long enough password" chatMaxNumber:3 websiteIds:[${website}]}){operator{id} userErrors{message}}}`,
    );
    const id = made.data.operatorCreate.operator.id;
    const token = await logIn(here.url, { email: 'o@example.com', password: 'a long enough password' });
    await graphqlClient(there.url, token).run(
      `mutation{operatorAvailabilityUpdate(input:{id:${id} chat:true}){userErrors{message}}}`,
    );
    const desk = openSocket(here.url, token);
    const watched = await desk.watch('subscription{deskEvents{type conversationId conversation{state}}}');
    const starts = Array.from({ length: 12 }, async (_, index) => {
      const node = nodes[index % 2] as Switchboard;
      const session = await fetch(`${node.url}/visitor/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ websiteId: website }),
      });
      const { token: visitor } = (await session.json()) as { token: string };
      const answer = await fetch(`${node.url}/visitor/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${visitor}` },
        body: JSON.stringify({
          query:
            'mutation{conversationStart(input:{channel:CHAT message:"Hello"}){conversation{id state} userErrors{message}}}',
        }),
      });
      const { data } = (await answer.json()) as { data: { conversationStart: { conversation: { state: string } } } };
      return data.conversationStart.conversation.state;
    });
    const states = await Promise.all(starts);
    assert.equal(states.filter((state) => state === 'OFFERED').length, 3);
    assert.equal(states.filter((state) => state === 'QUEUED').length, 9);
    const offers = () => watched.seen.filter(({ data }) => data.deskEvents.type === 'conversation.offered').length;
    await watched.until(() => offers() === 3);
    const { code, stdout } = await there.command(['doctor']);
    assert.equal(code, 0, stdout);
    desk.end();
  });
});
