import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type GraphqlClient, graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { openSocket, type Socket } from '../../support/clients/subscriptions.ts';
import { add, addOperator, otherAccount } from '../../support/people/people.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';
import { until } from '../../support/waiting/until.ts';

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

// biome-ignore lint/suspicious/noExplicitAny: messages as they came
type Messages = readonly any[];
const idsIn = (seen: Messages) => seen.map((message) => Number(message.data.operatorLive.id));

test('a change by REST and one by GraphQL reach whoever watches, in order, with the state that it made', async () => {
  const people = [];
  for (let n = 0; n < 4; n++) people.push((await addOperator(rest)).id as number);
  const watched = await socket.watch(LIVE);
  const order: number[] = [];
  for (let n = 0; n < 200; n++) {
    const id = people[n % people.length] as number;
    const available: boolean = Math.floor(n / people.length) % 2 === 0;
    if (n % 2 === 0) await rest.put(`/operator/${id}/live`, { chat: { available } });
    else assert.deepEqual((await http.run(SET, { id, chat: available })).errors, []);
    await watched.until((seen) => seen.length > n);
    order.push(id);
    assert.equal(watched.seen[n].data.operatorLive.live.chat.available, available);
  }
  assert.deepEqual(idsIn(watched.seen), order);
  watched.stop();
});

test('many changes at once: everybody is shown at least in the last state', async () => {
  const people = await Promise.all(Array.from({ length: 10 }, () => addOperator(rest)));
  const watched = await socket.watch(LIVE);
  await Promise.all(
    people.map(async ({ id }) => {
      for (const available of [true, false, true, false, true, false, true]) {
        await rest.put(`/operator/${id}/live`, { chat: { available } });
      }
    }),
  );
  const last = (seen: Messages, id: number) =>
    seen.findLast((message) => message.data.operatorLive.id === String(id))?.data.operatorLive.live.chat.available;
  await watched.until((seen) => people.every(({ id }) => last(seen, id) === true));
  const { id: later } = await addOperator(rest); // comes after all that
  await watched.until((seen) => idsIn(seen).includes(later));
  for (const { id } of people) assert.equal(last(watched.seen, id), true);
  watched.stop();
});

test('a filter chooses, and another account is never seen', async () => {
  const skill = await add(rest, 'skill', { name: 'Watched' });
  const [member, stranger] = [await addOperator(rest, { skill_list: [skill] }), await addOperator(rest)];
  const others = await otherAccount(switchboard);
  const foreign = await addOperator(others);
  const [ofSkill, available, everyone] = await Promise.all([
    socket.watch(LIVE, { filter: { skillId: String(skill) } }),
    socket.watch(LIVE, { filter: { available: 'CHAT' } }),
    socket.watch(LIVE),
  ]);
  await others.put(`/operator/${foreign.id}/live`, { chat: { available: true } });
  const changes = [true, false].flatMap((value) => [stranger, member].map(({ id }) => ({ id, value })));
  for (const [index, { id, value }] of changes.entries()) {
    await rest.put(`/operator/${id}/live`, { chat: { available: value } });
    await everyone.until((seen) => seen.length > index); // what comes at once is told at once
    if (value) await available.until((seen) => seen.length > index);
  }
  // The last change is for everybody: what was to come before it has come.
  const { id: last } = await addOperator(rest, { skill_list: [skill] });
  await rest.put(`/operator/${last}/live`, { chat: { available: true } });
  const isLast = (seen: Messages) => idsIn(seen).includes(last);
  await Promise.all([ofSkill, available, everyone].map((watched) => watched.until(isLast)));
  const before = ({ seen }: { seen: Messages }) => idsIn(seen).filter((id) => id !== last);
  assert.deepEqual(before(everyone), [stranger.id, member.id, stranger.id, member.id]);
  assert.deepEqual(new Set(before(ofSkill)), new Set([member.id]));
  assert.deepEqual(before(available), [stranger.id, member.id]);
  assert.ok(available.seen.every((message) => message.data.operatorLive.live.chat.available));
  for (const watched of [ofSkill, available, everyone]) watched.stop();
});

test('whoever watches with a filter misses nothing, however many they are', async () => {
  const { id } = await addOperator(rest);
  const crowd = await Promise.all(
    Array.from({ length: 150 }, () => socket.watch(LIVE, { filter: { id: String(id) } })),
  );
  const change = (available: boolean) => rest.put(`/operator/${id}/live`, { chat: { available } });
  const all = (holds: (seen: Messages) => boolean) => Promise.all(crowd.map((watched) => watched.until(holds)));
  // So many take their places one after the other; whoever has seen a change has theirs.
  let available = false;
  let looks = 0;
  await until('everybody has a place', async () => {
    if (looks % 50 === 0) {
      available = !available;
      await change(available);
    }
    looks += 1;
    return crowd.every(({ seen }) => seen.length > 0);
  });
  await change(!available);
  await all((seen) => seen.at(-1)?.data.operatorLive.live.chat.available === !available);
  for (const watched of crowd) watched.stop();
});

test('the availability of a skill: now, and whenever it changes', async () => {
  const skill = await add(rest, 'skill', { name: 'Asked for' });
  const email = 'free@example.com';
  const password = 'a long enough password';
  const { id } = await addOperator(rest, { email, password, skill_list: [skill] });
  const desk = graphqlClient(switchboard.url, await logIn(switchboard.url, { email, password }));
  const watched = await socket.watch(
    'subscription($id:ID!){skillAvailability(id:$id){chat{isAvailable operatorsConnected freeSlots}}}',
    { id: skill },
  );
  const chats = () => watched.seen.map((message) => Object.values(message.data.skillAvailability.chat));
  await watched.until((seen) => seen.length === 1);
  await desk.run(SET, { id, chat: true });
  await rest.put(`/operator/${id}`, { pseudo: 'changes nothing of it' });
  await desk.run('mutation{operatorConnect(input:{ttlSeconds:100}){userErrors{message}}}');
  await watched.until((seen) => seen.length === 2);
  await rest.put(`/operator/${id}/live`, { connected: 0 });
  await watched.until((seen) => seen.length === 3);
  assert.deepEqual(chats(), [[false, 0, 0], [true, 1, 3], [false, 0, 0]]); // biome-ignore format: short
  watched.stop();
  for (const unknown of ['99999', 'x', '']) {
    const failing = await socket.watch('subscription($id:ID!){skillAvailability(id:$id){chat{waiting}}}', {
      id: unknown,
    });
    const errors = (await failing.failed) as { extensions: { code: string } }[];
    assert.equal(errors[0]?.extensions.code, 'BAD_REQUEST');
  }
});

test('what another process writes into the same database is noticed', async () => {
  const watched = await socket.watch(LIVE);
  const args = ['operator', 'create', '--name', 'Other process', '--email', 'process@example.com', '--account', '1'];
  const { code, stderr } = await switchboard.command(args, 'a long enough password\n');
  assert.equal(code, 0, stderr);
  await watched.until((seen) => seen.some((message) => message.data.operatorLive.pseudo === 'Other process'));
  watched.stop();
});

test('queries and mutations go over the same connection, with the same rules', async () => {
  const { id } = await addOperator(rest);
  const changed = await socket.run(
    `mutation($id:ID!){a:operatorUpdate(input:{id:$id,pseudo:"one"}){operator{pseudo}}
      b:operatorProfileUpdate(input:{id:$id,city:"Riga"}){operator{pseudo profile{city}}}
      c:operatorProfileUpdate(input:{id:$id,city:"Oslo"}){operator{pseudo profile{city}}}}`,
    { id },
  );
  assert.deepEqual(changed.data.c.operator, { pseudo: 'one', profile: { city: 'Oslo' } });
  const email = 'expert@example.com';
  const password = 'a long enough password';
  await addOperator(rest, { email, password, roles: ['expert'] });
  const expert = openSocket(switchboard.url, await logIn(switchboard.url, { email, password }));
  const read = await expert.run('query($id:ID!){operator(id:$id){pseudo email}}', { id });
  assert.deepEqual([read.data.operator.email, read.errors[0].extensions.code], [null, 'FORBIDDEN']);
  const write = await expert.run('mutation{skillCreate(input:{name:"no"}){skill{id}}}');
  assert.equal(write.errors[0].extensions.code, 'FORBIDDEN');
  const refused = await expert.watch(LIVE, { filter: { email: '*' } });
  await refused.until((seen) => seen[0]?.errors?.[0].extensions.code === 'FORBIDDEN');
  await assert.rejects(expert.run(`{${'viewer{id} '.repeat(31)}}`), (errors: { extensions: { code: string } }[]) => {
    return errors[0]?.extensions.code === 'TOO_COMPLEX';
  });
  const two = await expert.watch('subscription{a:operatorLive{id} b:operatorLive{id}}');
  assert.equal(((await two.failed) as { extensions: { code: string } }[])[0]?.extensions.code, 'BAD_REQUEST');
  expert.end();
});

test('a subscription that is ended leaves nothing behind, and its connection goes on', async () => {
  for (let round = 0; round < 5; round++) {
    const crowd = await Promise.all(Array.from({ length: 300 }, () => socket.watch(LIVE)));
    for (const watched of crowd) watched.stop();
  }
  // More than 1,000 were opened in all; only those that run count.
  const watched = await socket.watch(LIVE);
  const { id } = await addOperator(rest);
  await watched.until((seen) => idsIn(seen).includes(id));
  watched.stop();
});
