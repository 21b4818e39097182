import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { graphqlClient } from '../support/clients/graphql.ts';
import { openSocket, type Socket } from '../support/clients/subscriptions.ts';
import { createStaff, type Nodes, type Staff, startNodes, waitForRounds } from '../support/nodes/nodes.ts';
import { waitUntil } from '../support/waiting/wait.ts';

const server = process.env.TEST_DATABASE_URL;

/** More than the rounds between two sweeps of a node. */
const ROUNDS_BETWEEN_SWEEPS = 24;

describe('rules of visitors on two nodes', { skip: server === undefined }, () => {
  let nodes: Nodes;
  let staff: Staff;
  let operatorId: number;
  const sockets: Socket[] = [];

  before(async () => {
    nodes = await startNodes(server ?? '');
    staff = await createStaff(nodes, 1, 20);
    operatorId = staff.operators[0]?.id ?? 0;
    await setConnected(true);
  });
  after(async () => {
    for (const socket of sockets) socket.end();
    await nodes?.end();
  });

  const run = async (node: number, token: string, query: string, variables: object = {}) => {
    const { data, errors } = await graphqlClient(nodes.urls[node] ?? '', token).run(query, variables);
    assert.deepEqual(errors, []);
    return data;
  };
  const runAsAdmin = (node: number, query: string, variables: object = {}) => run(node, nodes.token, query, variables);
  const runAsOperator = (node: number, query: string) => run(node, staff.operators[0]?.token ?? '', query);
  const setConnected = (isConnected: boolean) =>
    runAsOperator(
      0,
      isConnected
        ? 'mutation{operatorConnect(input:{ttlSeconds:300}){userErrors{message}}}'
        : `mutation{operatorDisconnect(input:{id:${operatorId}}){userErrors{message}}}`,
    );
  const setWebsite = (node: number, input: object) =>
    runAsAdmin(node, 'mutation($input:WebsiteUpdateInput!){websiteUpdate(input:$input){userErrors{message}}}', {
      input: { id: staff.website, ...input },
    });
  const createVisitor = async (node: number) => {
    const response = await fetch(`${nodes.urls[node]}/visitor/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ websiteId: staff.website, language: 'en' }),
    });
    return ((await response.json()) as { token: string }).token;
  };
  const runAsVisitor = async (node: number, token: string, query: string) => {
    const response = await fetch(`${nodes.urls[node]}/visitor/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify({ query }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: the test reads any field
    const { data, errors } = (await response.json()) as any;
    assert.equal(errors, undefined, JSON.stringify(errors));
    return data;
  };
  const start = async (node: number, token: string) =>
    (
      await runAsVisitor(
        node,
        token,
        'mutation{conversationStart(input:{channel:CHAT message:"Hello"}){conversation{id state} userErrors{code reason parameters{name value}}}}',
      )
    ).conversationStart;
  const accept = async (node: number, id: string) => {
    const { offerAccept } = await runAsOperator(
      node,
      `mutation{offerAccept(input:{conversationId:${id}}){userErrors{message}}}`,
    );
    assert.deepEqual(offerAccept.userErrors, []);
  };
  const track = (socket: Socket) => {
    sockets.push(socket);
    return socket;
  };
  const openVisitorSocket = (node: number, token: string) =>
    track(openSocket(nodes.urls[node] ?? '', token, { token }, { path: '/visitor/graphql' }));

  test('rule 24: hours that are set on one node close the other, which says when it opens', async () => {
    const visitor = await createVisitor(1);
    const date = new Date(Date.now() + 3 * 24 * 3_600_000).toISOString().slice(0, 10);
    const openingHours = { weekly: [], dates: [{ date, ranges: [{ from: '09:30', to: '12:00' }] }] };
    await setWebsite(0, { openingHours, timezone: 'UTC' });
    const { conversation, userErrors } = await start(1, visitor);
    assert.equal(conversation, null);
    const parameters = [{ name: 'opensAt', value: `${date}T09:30:00.000Z` }];
    assert.deepEqual(userErrors, [{ code: 'STATE', reason: 'closed', parameters }]);
    await setWebsite(1, { openingHours: null });
    assert.deepEqual((await start(0, visitor)).userErrors, []);
  });

  test('rule 27: a notice that one node wrote is read on the other in the language of the reader', async () => {
    await setWebsite(1, { languageAdmin: 'es' });
    const visitor = await createVisitor(0);
    const { id } = (await start(0, visitor)).conversation;
    await accept(0, id);
    const query = `{conversation(id:${id}){messages{author text notice{code}}}}`;
    assert.deepEqual((await runAsVisitor(1, visitor, query)).conversation.messages.at(-1), {
      ...{ author: 'NOTICE', notice: { code: 'operator_joined' }, text: 'Operator 0 joined the conversation.' },
    });
    const [row] = await nodes.sql`select text from messages where conversation_id = ${id} and notice_code is not null`;
    assert.equal(row?.text, 'Operator 0 se ha unido a la conversación.', 'for nodes of the previous version');
  });

  test('rule 22: desks on both nodes are told once that a visitor left and came back, whichever noticed it', async () => {
    const visitor = await createVisitor(0);
    const { id } = (await start(0, visitor)).conversation;
    await accept(0, id);
    const desks = await Promise.all(
      [0, 1].map((node) =>
        track(openSocket(nodes.urls[node] ?? '', staff.operators[0]?.token ?? '')).subscribe(
          `subscription{signals(conversationId:${id}){kind author}}`,
        ),
      ),
    );
    const openPage = async (node: number) => {
      const socket = openVisitorSocket(node, visitor);
      await waitUntil('presence is stored', async () => (await loadPresence(id))?.isPresent === true);
      return socket;
    };
    (await openPage(0)).end();
    await waitUntil('a node notices that the visitor left', async () => {
      await nodes.sql`update visitor_presence set present_until = 0`;
      return (await loadPresence(id))?.leftAt != null;
    });
    for (const desk of desks) await desk.waitUntil(() => kindsOf(desk).includes('VISITOR_LEFT'));
    assert.equal(
      (await runAsOperator(1, `{conversation(id:${id}){visitorPresent}}`)).conversation.visitorPresent,
      false,
    );
    await openPage(1);
    for (const desk of desks) await desk.waitUntil(() => kindsOf(desk).includes('VISITOR_BACK'));
    await waitForRounds(nodes, 10);
    for (const desk of desks) assert.deepEqual(kindsOf(desk), ['VISITOR_LEFT', 'VISITOR_BACK']);
  });

  const kindsOf = (desk: Awaited<ReturnType<Socket['subscribe']>>) =>
    desk.results.map(({ data }) => data.signals.kind as string).filter((kind) => kind.startsWith('VISITOR_'));
  const loadPresence = async (conversation: string) => {
    const [row] = await nodes.sql`select p.present_until > now_ms() as present, p.left_at from visitor_presence p
      join conversations c on c.account_id = p.account_id and c.visitor_id = p.visitor_id where c.id = ${conversation}`;
    return row && { isPresent: row.present as boolean, leftAt: row.left_at as number | null };
  };

  test('rule 23: two nodes warn once in an idle chat, and close it once', async () => {
    const visitor = await createVisitor(0);
    const { id } = (await start(0, visitor)).conversation;
    await accept(1, id);
    await runAsAdmin(0, 'mutation{accountUpdate(input:{idleMinutes:600}){userErrors{message}}}');
    const letTimePass = async () => {
      const ago = 301 * 60_000;
      await nodes.sql`update messages set at = at - ${ago} where conversation_id = ${id}`;
      await nodes.sql`update conversations set offered_at = offered_at - ${ago}, accepted_at = accepted_at - ${ago}
        where id = ${id}`;
    };
    const readState = async () => {
      const query = `{conversation(id:${id}){state closeReason messages{notice{code}}}}`;
      const { state, closeReason, messages } = (await runAsVisitor(1, visitor, query)).conversation;
      // biome-ignore lint/suspicious/noExplicitAny: the test reads one field
      const codes = messages.flatMap(({ notice }: any) => notice?.code ?? []);
      return { state, closeReason, codes };
    };
    await letTimePass();
    await waitUntil('a node warns', async () => (await readState()).codes.includes('idle_warning'));
    await waitForRounds(nodes, ROUNDS_BETWEEN_SWEEPS);
    assert.deepEqual(await readState(), {
      ...{ state: 'ACTIVE', closeReason: null, codes: ['operator_joined', 'idle_warning'] },
    });
    await letTimePass();
    await waitUntil('a node closes it', async () => (await readState()).state === 'CLOSED');
    const { closeReason, codes } = await readState();
    assert.deepEqual([closeReason, codes.filter((code: string) => code === 'idle_warning').length], ['IDLE', 1]);
    const events = await nodes.sql`select 1 from events where type = 'conversation.closed' and subject_id = ${id}`;
    assert.equal(events.length, 1);
    await runAsAdmin(0, 'mutation{accountUpdate(input:{idleMinutes:0}){userErrors{message}}}');
  });

  test('rule 29: both nodes estimate the wait from the starts on both', async () => {
    for (let count = 0; count < 10; count += 1) {
      const { id } = (await start(count % 2, await createVisitor(count % 2))).conversation;
      await accept((count + 1) % 2, id);
      await runAsOperator(0, `mutation{conversationClose(input:{id:${id}}){userErrors{message}}}`);
    }
    await setConnected(false);
    const [{ count: starts } = {}] = await nodes.sql`select count(*) from conversations where accepted_at is not null
      and skill_id is null and accepted_at > now_ms() - 1800000`;
    const visitor = await createVisitor(0);
    const { id } = (await start(0, visitor)).conversation;
    const query = `{conversation(id:${id}){state queuePosition estimatedWaitSeconds}}`;
    for (const node of [0, 1])
      await waitUntil(`node ${node} has counted all starts`, async () => {
        const { state, queuePosition, estimatedWaitSeconds } = (await runAsVisitor(node, visitor, query)).conversation;
        assert.equal(state, 'QUEUED');
        return estimatedWaitSeconds === Math.round((queuePosition * 1800) / Number(starts));
      });
  });

  test('rule 28: visitors on one node are told at once when the only operator is deleted on the other', async () => {
    const visitor = await createVisitor(1);
    const { id } = (await start(1, visitor)).conversation;
    const events = await openVisitorSocket(1, visitor).subscribe(
      `subscription{conversationEvents(id:${id}){type conversation{state closeReason} message{notice{code}}}}`,
    );
    await runAsAdmin(0, `mutation{operatorDelete(input:{id:${operatorId}}){userErrors{message}}}`);
    await events.waitUntil((results) =>
      results.some(({ data }) => data.conversationEvents.conversation?.closeReason === 'NOBODY_COULD_SERVE'),
    );
    const codes = events.results.flatMap(({ data }) => data.conversationEvents.message?.notice?.code ?? []);
    assert.deepEqual(codes, ['nobody_could_serve']);
    const waiting = await nodes.sql`select id from conversations where state = 'queued'`;
    assert.equal(waiting.length, 0);
  });
});
