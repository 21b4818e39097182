import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type GraphqlClient, graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { openSocket, type Socket, type Subscription } from '../../support/clients/subscriptions.ts';
import { createOperator, createOtherAccount, createResource } from '../../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

let switchboard: Switchboard;
let rest: RestClient;
let http: GraphqlClient;
let socket: Socket;
before(async () => {
  switchboard = await startSwitchboard();
  rest = restClient(switchboard.url, switchboard.key);
  http = graphqlClient(switchboard.url, await logIn(switchboard.url));
  socket = openSocket(switchboard.url, http.token);
});
after(async () => {
  socket.end();
  await switchboard.stop();
});

const LIVE =
  'subscription($filter:OperatorFilter){operatorLive(filter:$filter){id pseudo live{connected chat{available}}}}';
const SET =
  'mutation($id:ID!,$chat:Boolean!){operatorAvailabilityUpdate(input:{id:$id,chat:$chat}){userErrors{message}}}';

// biome-ignore lint/suspicious/noExplicitAny: raw messages
type Messages = readonly any[];
const idsIn = (results: Messages) => results.map((message) => Number(message.data.operatorLive.id));

test('changes by REST and GraphQL reach subscribers in order, each with its state', async () => {
  const operatorIds = [];
  for (let n = 0; n < 4; n++) operatorIds.push((await createOperator(rest)).id as number);
  const subscription = await socket.subscribe(LIVE);
  const order: number[] = [];
  for (let n = 0; n < 200; n++) {
    const id = operatorIds[n % operatorIds.length] as number;
    const available: boolean = Math.floor(n / operatorIds.length) % 2 === 0;
    if (n % 2 === 0) await rest.put(`/operator/${id}/live`, { chat: { available } });
    else assert.deepEqual((await http.run(SET, { id, chat: available })).errors, []);
    await subscription.waitUntil((results) => results.length > n);
    order.push(id);
    assert.equal(subscription.results[n].data.operatorLive.live.chat.available, available);
  }
  assert.deepEqual(idsIn(subscription.results), order);
  subscription.stop();
});

test('after many concurrent changes, subscribers receive at least the final state of each operator', async () => {
  const operators = await Promise.all(Array.from({ length: 10 }, () => createOperator(rest)));
  const subscription = await socket.subscribe(LIVE);
  await Promise.all(
    operators.map(async ({ id }) => {
      for (const available of [true, false, true, false, true, false, true]) {
        await rest.put(`/operator/${id}/live`, { chat: { available } });
      }
    }),
  );
  const lastState = (results: Messages, id: number) =>
    results.findLast((message) => message.data.operatorLive.id === String(id))?.data.operatorLive.live.chat.available;
  await subscription.waitUntil((results) => operators.every(({ id }) => lastState(results, id) === true));
  const { id: later } = await createOperator(rest); // the last event
  await subscription.waitUntil((results) => idsIn(results).includes(later));
  for (const { id } of operators) assert.equal(lastState(subscription.results, id), true);
  subscription.stop();
});

test('a filter selects operators, and nothing of another account arrives', async () => {
  const skill = await createResource(rest, 'skill', { name: 'Watched' });
  const [member, nonMember] = [await createOperator(rest, { skill_list: [skill] }), await createOperator(rest)];
  const others = await createOtherAccount(switchboard);
  const foreign = await createOperator(others);
  const [ofSkill, available, unfiltered] = await Promise.all([
    socket.subscribe(LIVE, { filter: { skillId: String(skill) } }),
    socket.subscribe(LIVE, { filter: { available: 'CHAT' } }),
    socket.subscribe(LIVE),
  ]);
  await others.put(`/operator/${foreign.id}/live`, { chat: { available: true } });
  const changes = [true, false].flatMap((value) => [nonMember, member].map(({ id }) => ({ id, value })));
  for (const [index, { id, value }] of changes.entries()) {
    await rest.put(`/operator/${id}/live`, { chat: { available: value } });
    await unfiltered.waitUntil((results) => results.length > index); // concurrent changes may be merged
    if (value) await available.waitUntil((results) => results.length > index);
  }
  // The last change matches every filter: all earlier messages have arrived by then.
  const { id: last } = await createOperator(rest, { skill_list: [skill] });
  await rest.put(`/operator/${last}/live`, { chat: { available: true } });
  const isLast = (results: Messages) => idsIn(results).includes(last);
  await Promise.all([ofSkill, available, unfiltered].map((subscription) => subscription.waitUntil(isLast)));
  const idsBefore = ({ results }: { results: Messages }) => idsIn(results).filter((id) => id !== last);
  assert.deepEqual(idsBefore(unfiltered), [nonMember.id, member.id, nonMember.id, member.id]);
  assert.deepEqual(new Set(idsBefore(ofSkill)), new Set([member.id]));
  assert.deepEqual(idsBefore(available), [nonMember.id, member.id]);
  assert.ok(available.results.every((message) => message.data.operatorLive.live.chat.available));
  for (const subscription of [ofSkill, available, unfiltered]) subscription.stop();
});

test('filtered subscriptions miss no change, however many there are', async () => {
  const { id } = await createOperator(rest);
  const subscriptions: Subscription[] = [];
  const subscribe = () => socket.subscribe(LIVE, { filter: { id: String(id) } });
  // One operator cannot start all of them at the same time.
  for (let round = 0; round < 3; round++)
    subscriptions.push(...(await Promise.all(Array.from({ length: 50 }, subscribe))));
  const change = (available: boolean) => rest.put(`/operator/${id}/live`, { chat: { available } });
  const waitForAll = (isMet: (results: Messages) => boolean) =>
    Promise.all(subscriptions.map((subscription) => subscription.waitUntil(isMet)));
  // The subscriptions start one by one; one that has received a change has started.
  let available = false;
  let attempts = 0;
  await waitUntil('every subscription has started', async () => {
    if (attempts % 50 === 0) {
      available = !available;
      await change(available);
    }
    attempts += 1;
    return subscriptions.every(({ results }) => results.length > 0);
  });
  await change(!available);
  await waitForAll((results) => results.at(-1)?.data.operatorLive.live.chat.available === !available);
  for (const subscription of subscriptions) subscription.stop();
});

test('skillAvailability sends the current state, and every change', async () => {
  const skill = await createResource(rest, 'skill', { name: 'Asked for' });
  const email = 'free@example.com';
  const password = 'a long enough password';
  const { id } = await createOperator(rest, { email, password, skill_list: [skill] });
  const desk = graphqlClient(switchboard.url, await logIn(switchboard.url, { email, password }));
  const subscription = await socket.subscribe(
    'subscription($id:ID!){skillAvailability(id:$id){chat{isAvailable operatorsConnected freeSlots}}}',
    { id: skill },
  );
  const chats = () => subscription.results.map((message) => Object.values(message.data.skillAvailability.chat));
  await subscription.waitUntil((results) => results.length === 1);
  await desk.run(SET, { id, chat: true });
  await rest.put(`/operator/${id}`, { pseudo: 'no effect on it' });
  await desk.run('mutation{operatorConnect(input:{ttlSeconds:100}){userErrors{message}}}');
  await subscription.waitUntil((results) => results.length === 2);
  await rest.put(`/operator/${id}/live`, { connected: 0 });
  await subscription.waitUntil((results) => results.length === 3);
  assert.deepEqual(chats(), [[false, 0, 0], [true, 1, 3], [false, 0, 0]]); // biome-ignore format: short
  subscription.stop();
  for (const unknown of ['99999', 'x', '']) {
    const failing = await socket.subscribe('subscription($id:ID!){skillAvailability(id:$id){chat{waiting}}}', {
      id: unknown,
    });
    const errors = (await failing.failed) as { extensions: { code: string } }[];
    assert.equal(errors[0]?.extensions.code, 'BAD_REQUEST');
  }
});

test('changes by another process on the same database arrive', async () => {
  const subscription = await socket.subscribe(LIVE);
  const args = ['operator', 'create', '--name', 'Other process', '--email', 'process@example.com', '--account', '1'];
  const { code, stderr } = await switchboard.runCommand(args, 'a long enough password\n');
  assert.equal(code, 0, stderr);
  await subscription.waitUntil((results) =>
    results.some((message) => message.data.operatorLive.pseudo === 'Other process'),
  );
  subscription.stop();
});

test('queries and mutations run over the same connection, with the same rules', async () => {
  const { id } = await createOperator(rest);
  const changed = await socket.run(
    `mutation($id:ID!){a:operatorUpdate(input:{id:$id,pseudo:"one"}){operator{pseudo}}
      b:operatorProfileUpdate(input:{id:$id,city:"Riga"}){operator{pseudo profile{city}}}
      c:operatorProfileUpdate(input:{id:$id,city:"Oslo"}){operator{pseudo profile{city}}}}`,
    { id },
  );
  assert.deepEqual(changed.data.c.operator, { pseudo: 'one', profile: { city: 'Oslo' } });
  const email = 'expert@example.com';
  const password = 'a long enough password';
  await createOperator(rest, { email, password, roles: ['expert'] });
  const expert = openSocket(switchboard.url, await logIn(switchboard.url, { email, password }));
  const read = await expert.run('query($id:ID!){operator(id:$id){pseudo email}}', { id });
  assert.deepEqual([read.data.operator.email, read.errors[0].extensions.code], [null, 'FORBIDDEN']);
  const write = await expert.run('mutation{skillCreate(input:{name:"no"}){skill{id}}}');
  assert.equal(write.errors[0].extensions.code, 'FORBIDDEN');
  const rejected = await expert.subscribe(LIVE, { filter: { email: '*' } });
  await rejected.waitUntil((results) => results[0]?.errors?.[0].extensions.code === 'FORBIDDEN');
  await assert.rejects(expert.run(`{${'viewer{id} '.repeat(31)}}`), (errors: { extensions: { code: string } }[]) => {
    return errors[0]?.extensions.code === 'TOO_COMPLEX';
  });
  const twoFields = await expert.subscribe('subscription{a:operatorLive{id} b:operatorLive{id}}');
  assert.equal(((await twoFields.failed) as { extensions: { code: string } }[])[0]?.extensions.code, 'BAD_REQUEST');
  expert.end();
});

test('an ended subscription leaves nothing behind, and its connection continues', async () => {
  for (let round = 0; round < 15; round++) {
    const subscriptions = await Promise.all(Array.from({ length: 50 }, () => socket.subscribe(LIVE)));
    for (const subscription of subscriptions) subscription.stop();
  }
  // More than the limit were opened in total; only open ones count.
  const subscription = await socket.subscribe(LIVE);
  const { id } = await createOperator(rest);
  await subscription.waitUntil((results) => idsIn(results).includes(id));
  subscription.stop();
});
