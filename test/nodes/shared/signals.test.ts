import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { graphqlClient } from '../../support/clients/graphql.ts';
import { openSocket, type Socket, type Subscription } from '../../support/clients/subscriptions.ts';
import { createStaff, type Nodes } from '../../support/nodes/nodes.ts';
import { shareNodes } from '../../support/nodes/shared-nodes.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

const server = process.env.TEST_DATABASE_URL;

describe('rule 26: signals cross from one node to the other', { skip: server === undefined }, () => {
  let nodes: Nodes;
  let conversationId: string;
  let visitorToken: string;
  let operatorToken: string;
  const sockets: Socket[] = [];

  before(async () => {
    nodes = await shareNodes(server ?? '');
    const staff = await createStaff(nodes, 1);
    operatorToken = staff.operators[0]?.token ?? '';
    await operatorOn(0).run('mutation{operatorConnect(input:{ttlSeconds:300}){userErrors{message}}}');
    const session = await fetch(`${nodes.urls[0]}/visitor/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ websiteId: staff.website }),
    });
    visitorToken = ((await session.json()) as { token: string }).token;
    const { data } = await visitorOn(0).run(
      'mutation{conversationStart(input:{channel:CHAT message:"one"}){conversation{id}}}',
    );
    conversationId = data.conversationStart.conversation.id;
    const accepted = await operatorOn(0).run(
      `mutation{offerAccept(input:{conversationId:${conversationId}}){userErrors{message}}}`,
    );
    assert.deepEqual(accepted.data.offerAccept.userErrors, []);
    for (const text of ['two', 'three', 'four', 'five'])
      await operatorOn(0).run(
        `mutation{messageSend(input:{conversationId:${conversationId} text:"${text}"}){userErrors{message}}}`,
      );
  });
  after(async () => {
    for (const socket of sockets) socket.end();
  });

  const urlOf = (node: number) => nodes.urls[node] ?? '';
  const operatorOn = (node: number) => graphqlClient(urlOf(node), operatorToken);
  const visitorOn = (node: number) => ({
    run: async (query: string) => {
      const response = await fetch(`${urlOf(node)}/visitor/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${visitorToken}` },
        body: JSON.stringify({ query }),
      });
      // biome-ignore lint/suspicious/noExplicitAny: the test reads any field
      return (await response.json()) as any;
    },
  });
  const track = (socket: Socket) => {
    sockets.push(socket);
    return socket;
  };
  const listen = (socket: Socket) =>
    socket.subscribe(`subscription{signals(conversationId:${conversationId}){kind author upTo}}`);
  const typing = () => `mutation{typing(input:{conversationId:${conversationId}}){userErrors{code}}}`;
  const markRead = (upTo: number) =>
    `mutation{conversationRead(input:{id:${conversationId} upTo:${upTo}}){userErrors{code}}}`;
  const list = ({ results }: Subscription) =>
    results.map(({ data: { signals } }) => `${signals.kind} ${signals.author} ${signals.upTo ?? ''}`.trim());
  const has = (subscription: Subscription, text: string) =>
    subscription.waitUntil(() => list(subscription).includes(text));

  test('typing and read markers, in both directions, each once', async () => {
    const atVisitor = await listen(track(openSocket(urlOf(1), visitorToken, undefined, { path: '/visitor/graphql' })));
    const atOperator = await listen(track(openSocket(urlOf(1), operatorToken)));
    const onSenders = await listen(track(openSocket(urlOf(0), operatorToken)));
    await operatorOn(0).run(typing());
    await has(atVisitor, 'TYPING OPERATOR');
    await visitorOn(0).run(typing());
    await has(atOperator, 'TYPING VISITOR');
    await visitorOn(0).run(markRead(2));
    await has(atOperator, 'READ VISITOR 2');
    await operatorOn(1).run(markRead(1));
    for (const subscription of [atVisitor, atOperator, onSenders]) await has(subscription, 'READ OPERATOR 1');
    assert.deepEqual(list(atVisitor), ['TYPING OPERATOR', 'READ VISITOR 2', 'READ OPERATOR 1']);
    assert.deepEqual(list(onSenders), ['TYPING VISITOR', 'READ VISITOR 2', 'READ OPERATOR 1']);
    const { data } = await visitorOn(1).run(
      `{conversation(id:${conversationId}){readByVisitorUpTo readByOperatorUpTo}}`,
    );
    assert.deepEqual(data.conversation, { readByVisitorUpTo: 2, readByOperatorUpTo: 1 });
  });

  test('a node whose LISTEN connection was killed receives signals again', async () => {
    const atOperator = await listen(track(openSocket(urlOf(1), operatorToken)));
    const killed = await nodes.sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
      and (query like 'listen %' or query like '%into signals%')`; // it also writes the rows
    assert.ok(killed.length > 0, 'there is a LISTEN connection');
    let isReceived = false;
    atOperator
      .waitUntil((results) => results.length > 0)
      .then(() => {
        isReceived = true;
      });
    await waitUntil('a signal crosses again', async () => {
      await visitorOn(0).run(typing());
      return isReceived;
    });
  });

  test('the rows are unlogged, and few', async () => {
    const [table] = await nodes.sql`select relpersistence from pg_class where relname = 'signals'`;
    assert.equal(table?.relpersistence, 'u');
    const [count] = await nodes.sql`select count(*) as rows from signals`;
    assert.ok(Number(count?.rows) < 200, 'one row holds what was sent within some milliseconds');
  });
});
