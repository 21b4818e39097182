import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { DESK_LEASE_SECONDS } from '../../../src/core/live/leases.ts';
import { openSocket, type Socket, type Subscription } from '../../support/clients/subscriptions.ts';
import { openSite, type Site, type SiteOperator, type SiteVisitor } from '../../support/fixtures/site.ts';
import { waitUntil, withTimeout } from '../../support/waiting/wait.ts';

let site: Site;
let clockAheadMs = 0;
const sockets: Socket[] = [];
before(async () => {
  site = await openSite({ clock: () => Date.now() + clockAheadMs });
});
after(async () => {
  for (const socket of sockets) socket.end();
  await site.stop();
});

const SIGNAL = 'kind conversationId author operator{pseudo} upTo at';
const SIGNALS = `subscription($id:ID!){signals(conversationId:$id){${SIGNAL}}}`;
const DESK_SIGNALS = `subscription{signals{${SIGNAL}}}`;
const TYPING = 'mutation($id:ID!){typing(input:{conversationId:$id}){conversation{id} userErrors{code message}}}';
const READ = 'mutation($id:ID!,$upTo:Int!){conversationRead(input:{id:$id,upTo:$upTo}){userErrors{code}}}';

type Client = Pick<SiteVisitor, 'run'>;

function openOperatorSocket({ token }: SiteOperator): Socket {
  const socket = openSocket(site.url, token);
  sockets.push(socket);
  return socket;
}

function openVisitorSocket(visitor: SiteVisitor): Socket {
  const socket = visitor.openSocket();
  sockets.push(socket);
  return socket;
}

/** Each signal in short, for example `TYPING OPERATOR Bob` or `READ VISITOR 2`. */
const list = ({ results }: Pick<Subscription, 'results'>) =>
  results.map(({ data: { signals: signal } }) =>
    [signal.kind, signal.author, signal.operator?.pseudo, signal.upTo].filter((part) => part != null).join(' '),
  );

const waitFor = (subscription: Subscription, text: string) =>
  subscription.waitUntil(() => list(subscription).includes(text));

async function type(client: Client, id: string) {
  const { data, errors } = await client.run(TYPING, { id });
  assert.deepEqual(errors, []);
  return data.typing;
}

const markRead = (client: Client, id: string, upTo: number) => client.run(READ, { id, upTo });

/** A running conversation of a new visitor with a new operator. */
async function startRunning(pseudo: string) {
  const visitor = await site.createVisitor();
  const operator = await site.createOperator({ pseudo });
  const { id } = await visitor.startConversation({ message: 'one' });
  await operator.acceptOffer(id);
  return { visitor, operator, id };
}

test('rules 22 and 26: the desk sees that the visitor left and came back, as a field and as a signal', async () => {
  // For so long after a start no lease ends. This test is the first, because offers end too.
  clockAheadMs = DESK_LEASE_SECONDS * 1000;
  const { visitor, operator, id } = await startRunning('Eve');
  const { storedData } = site.switchboard;
  const readPresence = async () => {
    const { data } = await operator.run('query($id:ID!){conversation(id:$id){visitorPresent visitorLeftAt}}', { id });
    return data.conversation;
  };
  assert.deepEqual(await readPresence(), { visitorPresent: null, visitorLeftAt: null }, 'no socket yet');
  const atDesk = await openOperatorSocket(operator).subscribe(DESK_SIGNALS);
  const socket = openVisitorSocket(visitor);
  await socket.subscribe(SIGNALS, { id });
  await waitUntil('the visitor is present', async () => (await readPresence()).visitorPresent === true);
  socket.end();
  await socket.closed;
  await waitUntil('the desk was told that the visitor left', async () => {
    await storedData.query('update visitor_presence set present_until = 0'); // as if the lease had ended
    return list(atDesk).includes('VISITOR_LEFT VISITOR');
  });
  const { visitorPresent, visitorLeftAt } = await readPresence();
  assert.equal(visitorPresent, false);
  assert.ok(Date.parse(visitorLeftAt) > 0);
  await openVisitorSocket(visitor).subscribe(SIGNALS, { id });
  await waitFor(atDesk, 'VISITOR_BACK VISITOR');
  assert.deepEqual(await readPresence(), { visitorPresent: true, visitorLeftAt: null });
});

test('rule 26: typing and read markers reach the other side at once, and leave no event', async () => {
  const { visitor, operator, id } = await startRunning('Bob');
  const atVisitor = await openVisitorSocket(visitor).subscribe(SIGNALS, { id });
  const atDesk = await openOperatorSocket(operator).subscribe(DESK_SIGNALS);
  const atConversation = await openOperatorSocket(operator).subscribe(SIGNALS, { id });
  const readPosition = async () => (await site.admin.run('{eventPosition}')).data.eventPosition;
  const before = await readPosition();
  assert.deepEqual((await type(operator, id)).conversation, { id });
  await waitFor(atVisitor, 'TYPING OPERATOR Bob');
  await type(visitor, id);
  await markRead(operator, id, 1);
  await waitFor(atVisitor, 'READ OPERATOR Bob 1');
  for (const subscription of [atDesk, atConversation]) await waitFor(subscription, 'READ OPERATOR Bob 1');
  await markRead(visitor, id, 1);
  for (const subscription of [atVisitor, atDesk, atConversation]) await waitFor(subscription, 'READ VISITOR 1');
  assert.deepEqual(list(atVisitor), ['TYPING OPERATOR Bob', 'READ OPERATOR Bob 1', 'READ VISITOR 1']);
  for (const subscription of [atDesk, atConversation])
    assert.deepEqual(list(subscription), ['TYPING VISITOR', 'READ OPERATOR Bob 1', 'READ VISITOR 1']);
  assert.equal(atDesk.results[0].data.signals.conversationId, id);
  assert.equal(await readPosition(), before);
});

test("rule 26: a read marker reaches the reader's other pages and desks; a repeat does not", async () => {
  const { visitor, operator, id } = await startRunning('Eve');
  await operator.sendMessage(id, 'two');
  const pages = [
    await openVisitorSocket(visitor).subscribe(SIGNALS, { id }),
    await openVisitorSocket(visitor).subscribe(SIGNALS, { id }),
  ];
  for (const upTo of [2, 2, 1]) await markRead(visitor, id, upTo);
  await markRead(operator, id, 2);
  for (const page of pages) {
    await waitFor(page, 'READ OPERATOR Eve 2');
    assert.deepEqual(list(page), ['READ VISITOR 2', 'READ OPERATOR Eve 2']);
  }
});

test('rule 26: a flood of typing is accepted, and sends at most one signal per second', async () => {
  const { visitor, operator, id } = await startRunning('Ann');
  const desk = await openOperatorSocket(operator).subscribe(DESK_SIGNALS);
  const startedAt = performance.now();
  // A visitor may not have more than 22 operations under way, and a slow machine answers none of them at once.
  for (let round = 0; round < 4; round += 1) {
    const results = await Promise.all(Array.from({ length: 10 }, () => type(visitor, id)));
    for (const { userErrors } of results) assert.deepEqual(userErrors, []);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  await markRead(visitor, id, 1);
  await waitFor(desk, 'READ VISITOR 1');
  const count = list(desk).filter((text) => text === 'TYPING VISITOR').length;
  assert.ok(count >= 1 && count <= 1 + seconds, `${count} signals in ${seconds} s`);
});

test('rule 26: signals end with the conversation, and are refused for one that is closed', async () => {
  const { visitor, operator, id } = await startRunning('Joe');
  const atVisitor = await openVisitorSocket(visitor).subscribe(SIGNALS, { id });
  const atOperator = await openOperatorSocket(operator).subscribe(SIGNALS, { id });
  await visitor.run('mutation($id:ID!){conversationClose(input:{id:$id}){userErrors{code}}}', { id });
  await withTimeout('both subscriptions end', Promise.all([atVisitor.completed, atOperator.completed]));
  for (const client of [visitor, operator]) assert.equal((await type(client, id)).userErrors[0].code, 'STATE');
  const late = await openVisitorSocket(visitor).subscribe(SIGNALS, { id });
  await withTimeout('a subscription of a closed conversation ends', late.completed);
});

test('rule 26: an operator who loses the conversation receives no more signals, and the next one does', async () => {
  const { visitor, operator, id } = await startRunning('Old');
  const next = await site.createOperator({ pseudo: 'New' });
  const before = await openOperatorSocket(operator).subscribe(SIGNALS, { id });
  const oldDesk = await openOperatorSocket(operator).subscribe(DESK_SIGNALS);
  const newDesk = await openOperatorSocket(next).subscribe(DESK_SIGNALS);
  const atVisitor = await openVisitorSocket(visitor).subscribe(SIGNALS, { id });
  const watching = openSocket(site.url, site.admin.token);
  sockets.push(watching);
  const atAdmin = await watching.subscribe(SIGNALS, { id });
  await site.admin.run(
    'mutation($input:ConversationTakeInput!){conversationTake(input:$input){userErrors{code message}}}',
    { input: { id, operatorId: next.id, force: true } },
  );
  const [error] = (await withTimeout('the old operator loses the signals', before.failed)) as {
    extensions: { code: string };
  }[];
  assert.equal(error?.extensions.code, 'FORBIDDEN');
  await type(next, id);
  await waitFor(atVisitor, 'TYPING OPERATOR New');
  await markRead(visitor, id, 1);
  await waitFor(newDesk, 'READ VISITOR 1');
  await waitFor(atAdmin, 'READ VISITOR 1');
  assert.deepEqual(list(oldDesk), []);
  assert.ok(list(atAdmin).includes('TYPING OPERATOR New'), 'an admin sees both operators');
  const { errors } = await operator.run(TYPING, { id });
  assert.equal(errors[0]?.extensions.code, 'FORBIDDEN');
});

test('rule 26: a queued visitor types without an error, and an operator only after accepting', async () => {
  const visitor = await site.createVisitor();
  const operator = await site.createOperator({ pseudo: 'Kim' });
  const { id } = await visitor.startConversation({ message: 'one' });
  assert.deepEqual((await type(visitor, id)).userErrors, []);
  const { data } = await site.admin.run('query($id:ID!){conversation(id:$id){operator{id} state}}', { id });
  assert.deepEqual(data.conversation, { operator: { id: String(operator.id) }, state: 'OFFERED' });
  assert.equal((await type(operator, id)).userErrors[0].code, 'STATE');
});

test('rule 26: signals without a conversation are for operators only', async () => {
  const socket = openSocket(site.url, site.switchboard.key, { 'X-API-Key': site.switchboard.key });
  sockets.push(socket);
  const [error] = (await (await socket.subscribe(DESK_SIGNALS)).failed) as { extensions: { code: string } }[];
  assert.equal(error?.extensions.code, 'FORBIDDEN');
});
