import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openSocket, type Socket } from '../support/clients/subscriptions.ts';
import { createStaff, type Nodes, startNodes } from '../support/nodes/nodes.ts';
import type { SwitchboardProcess } from '../support/processes/switchboard.ts';
import { waitUntil } from '../support/waiting/wait.ts';

const server = process.env.TEST_DATABASE_URL;

describe('visitor presence on two nodes', { skip: server === undefined }, () => {
  let nodes: Nodes;
  let website: number;

  before(async () => {
    nodes = await startNodes(server ?? '');
    website = (await createStaff(nodes, 1)).website; // the operator has no desk: conversations wait
  });
  after(() => nodes?.end());

  /** A visitor with a waiting conversation. */
  const startVisitor = async (url: string) => {
    const post = async (path: string, body: object, token?: string) => {
      const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
      const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      // biome-ignore lint/suspicious/noExplicitAny: the test reads a few fields
      return (await response.json()) as any;
    };
    const { token } = await post('/visitor/session', { websiteId: website });
    const query = 'mutation{conversationStart(input:{channel:CHAT message:"Hello"}){conversation{id state}}}';
    const { data } = await post('/visitor/graphql', { query }, token);
    const { id, state } = data.conversationStart.conversation;
    assert.equal(state, 'QUEUED');
    return { token: String(token), conversationId: Number(id) };
  };
  const open = (url: string, token: string) => openSocket(url, token, { token }, { path: '/visitor/graphql' });
  const loadPresence = async (conversationId: number) => {
    const [row] = await nodes.sql`select p.present_until, p.left_at from visitor_presence p
      join conversations c on c.account_id = p.account_id and c.visitor_id = p.visitor_id where c.id = ${conversationId}`;
    return row as { present_until: number; left_at: number | null } | undefined;
  };
  const loadConversation = async (id: number) => {
    const [row] = await nodes.sql`select state, close_reason from conversations where id = ${id}`;
    return row as { state: string; close_reason: string | null };
  };
  /** Waits until a node has renewed the presence, which is first made to end in some seconds. */
  const waitUntilRenewed = async (conversationId: number, connect: () => Socket) => {
    await nodes.sql`update visitor_presence set present_until = now_ms() + 5000`;
    const { present_until: before } = (await loadPresence(conversationId)) ?? assert.fail('no presence');
    const socket = connect();
    await waitUntil('presence is renewed', async () => {
      const presence = await loadPresence(conversationId);
      return presence !== undefined && presence.present_until > before;
    });
    return socket;
  };

  test('rule 22: a visitor whose node is killed is present on the other, and one who does not return is ended by it', async () => {
    const [first, second] = nodes.all as [SwitchboardProcess, SwitchboardProcess];
    const [returning, leaving] = [await startVisitor(first.url), await startVisitor(first.url)];
    const sockets = [open(first.url, returning.token), open(first.url, leaving.token)];
    for (const { conversationId } of [returning, leaving])
      await waitUntil('the socket is stored', async () => (await loadPresence(conversationId)) !== undefined);

    first.process.kill('SIGKILL');
    await Promise.all(sockets.map((socket) => socket.closed));
    const moved = await waitUntilRenewed(returning.conversationId, () => open(second.url, returning.token));
    await waitUntil('the other node notices who left', async () => {
      await nodes.sql`update visitor_presence p set present_until = now_ms() + 60000 where exists
        (select 1 from conversations c where c.id = ${returning.conversationId} and c.visitor_id = p.visitor_id)`;
      return (await loadPresence(leaving.conversationId))?.left_at != null;
    });
    assert.equal((await loadPresence(returning.conversationId))?.left_at, null);
    await nodes.sql`update conversations set created_at = created_at - 300000 where id = ${leaving.conversationId}`;
    await nodes.sql`update visitor_presence set left_at = left_at - 300000 where left_at is not null`;
    await waitUntil(
      'the conversation ends',
      async () => (await loadConversation(leaving.conversationId)).state === 'closed',
    );
    assert.equal((await loadConversation(leaving.conversationId)).close_reason, 'visitor_left');
    assert.equal((await loadConversation(returning.conversationId)).state, 'queued');

    // A rolling restart: a new node starts, the old one stops, the visitor moves.
    const third = await nodes.startAnother();
    try {
      second.process.kill('SIGTERM');
      assert.equal((await moved.closed).code, 1001);
      const again = await waitUntilRenewed(returning.conversationId, () => open(third.url, returning.token));
      assert.equal((await loadPresence(returning.conversationId))?.left_at, null);
      assert.equal((await loadConversation(returning.conversationId)).state, 'queued');
      again.end();
    } finally {
      await third.stop();
    }
  });
});
