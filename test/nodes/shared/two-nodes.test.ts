import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { openSocket } from '../../support/clients/subscriptions.ts';
import type { Nodes } from '../../support/nodes/nodes.ts';
import { shareNodes } from '../../support/nodes/shared-nodes.ts';
import type { SwitchboardProcess } from '../../support/processes/switchboard.ts';

const server = process.env.TEST_DATABASE_URL;

describe('two nodes on one PostgreSQL', { skip: server === undefined }, () => {
  let nodes: Nodes;

  before(async () => {
    nodes = await shareNodes(server ?? '');
  });

  test('a desk on one node serves visitors of the other, and no operator exceeds their capacity', async () => {
    const [firstNode, secondNode] = nodes.all as [SwitchboardProcess, SwitchboardProcess];
    const admin = graphqlClient(firstNode.url, nodes.token);
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
      const node = index % 2 === 0 ? firstNode : secondNode;
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
