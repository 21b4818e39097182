import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { IS_CONNECTED } from '../../src/demo/played/documents.ts';
import { PlayedOperator } from '../../src/demo/played/played-operator.ts';
import { RefusedRequest, ServiceClient } from '../../src/demo/played/service-client.ts';
import type { GraphqlClient } from '../support/clients/graphql.ts';
import { openSocket } from '../support/clients/subscriptions.ts';
import { openTestInstallation, type TestInstallation } from '../support/databases/databases.ts';
import { FAST_PACE, openPlayedDemo, type PlayedDemo, ShopVisitor } from '../support/fixtures/played-demo.ts';
import { waitUntil, withTimeout } from '../support/waiting/wait.ts';

const TEAM = ['Maren', 'Jules', 'Lucía', 'Tom', 'Frieda', 'Iker'];
const SET_AVAILABLE = 'mutation($chat:Boolean!){operatorAvailabilityUpdate(input:{chat:$chat}){userErrors{message}}}';

// They use the public interfaces only, so one database is enough.
suite('the played people of the demo', () => {
  let installation: TestInstallation;
  let demo: PlayedDemo;
  before(async () => {
    installation = await openTestInstallation({
      SWITCHBOARD_VISITOR_SESSIONS_PER_MINUTE: '0',
      SWITCHBOARD_VISITOR_MESSAGES_PER_MINUTE: '0',
    });
    demo = await openPlayedDemo(installation);
  });
  after(async () => {
    await demo.stop();
    await installation.end();
  });

  /** The admin at a desk until `leave`. */
  async function seatAdmin() {
    const admin = await demo.admin();
    const socket = openSocket(demo.url, admin.token);
    const desk = await socket.subscribe('subscription{deskEvents{type conversationId}}');
    await admin.run(SET_AVAILABLE, { chat: true });
    const run = async (query: string, variables: object) => {
      const { data, errors } = await admin.run(query, variables);
      assert.deepEqual(errors, []);
      const [payload] = Object.values(data) as { userErrors: unknown[] }[];
      assert.deepEqual(payload?.userErrors, []);
    };
    return {
      run,
      waitForOffer: (id: string) =>
        desk.waitUntil((results) =>
          results.some(
            ({ data }) => data.deskEvents.type === 'conversation.offered' && data.deskEvents.conversationId === id,
          ),
        ),
      leave: async () => {
        await admin.run(SET_AVAILABLE, { chat: false });
        socket.end();
      },
    };
  }

  const findOperator = async (admin: GraphqlClient, id: string) =>
    (await admin.run('query($id:ID!){conversation(id:$id){operator{pseudo}}}', { id })).data.conversation.operator
      ?.pseudo;

  test('everyone comes to work', async () => {
    assert.deepEqual(demo.warnings, []);
    const admin = await demo.admin();
    const listPseudos = async (externalId: string) => {
      const { data } = await admin.run(
        'query($externalId:String){operators(first:100,filter:{connected:true,externalId:$externalId}){nodes{pseudo live{chat{available}}}}}',
        { externalId },
      );
      return data.operators.nodes as { pseudo: string; live: { chat: { available: boolean } } }[];
    };
    const team = await listPseudos('demo-shop-*');
    assert.deepEqual(team.map(({ pseudo }) => pseudo).sort(), TEAM.toSorted());
    assert.ok(team.every(({ live }) => live.chat.available));
    await waitUntil('the others are connected', async () => (await listPseudos('demo-*')).length === 32 + TEAM.length);
  });

  test('a visitor of the shop gets an answer, sees typing and "seen", and the chat is closed after a goodbye', async () => {
    const visitor = await demo.openVisitor({
      firstname: 'Ana',
      context: { page: `${demo.shopUrl}/boots/tarn-mid` },
    });
    const id = await visitor.start('Hello');
    const hello = await visitor.waitForAnswer(id);
    assert.ok(TEAM.includes(hello.operator?.pseudo ?? ''));
    assert.equal(hello.text, `Hello Ana, ${hello.operator?.pseudo} here. What can I do for you?`);
    const socket = visitor.openSocket();
    const signals = await socket.subscribe('subscription($id:ID!){signals(conversationId:$id){kind author}}', { id });
    await visitor.send(id, 'How much are they?');
    assert.equal((await visitor.waitForAnswer(id, 2)).text, 'The Tarn Mid is €229.90, delivery included.');
    const hasSeen = (kind: string) =>
      signals.results.some(({ data }) => data.signals.kind === kind && data.signals.author === 'OPERATOR');
    await waitUntil('"seen" is shown', () => hasSeen('READ'));
    // At most one signal of typing per second is sent: ask until there is one.
    let answers = 2;
    await waitUntil('typing is shown', async () => {
      await visitor.send(id, 'How long is delivery?');
      answers += 1;
      await visitor.waitForAnswer(id, answers);
      return hasSeen('TYPING');
    });
    await visitor.send(id, 'Thanks, bye');
    await visitor.waitForAnswer(id, answers + 1);
    await waitUntil('the chat is closed', async () => (await visitor.read(id)).state === 'CLOSED');
    assert.ok((await visitor.read(id)).readByOperatorUpTo >= 5);
    socket.end();
  });

  test('the other demo operators answer too, on the other websites', async () => {
    const admin = await demo.admin();
    await admin.run(
      'mutation{websiteUpdate(input:{id:1,allowedOrigins:["https://shop.example.com"]}){userErrors{message}}}',
    );
    const { data } = await admin.run('{website(id:1){label}}');
    assert.equal(data.website.label, 'Shop');
    const visitor = await ShopVisitor.open(demo.url, 'https://shop.example.com', { websiteId: 1, language: 'de' });
    const answer = await visitor.waitForAnswer(await visitor.start('Guten Tag'));
    assert.match(answer.text, /^Guten Tag, hier ist .+\. Was kann ich für Sie tun\?$/);
    assert.ok(!TEAM.includes(answer.operator?.pseudo ?? ''));
  });

  test('a real person who is available comes first, even before the one who served the visitor last', async () => {
    const visitor = await demo.openVisitor();
    const first = await visitor.start('Hello');
    await visitor.waitForAnswer(first);
    await visitor.run('mutation($id:ID!){conversationClose(input:{id:$id}){userErrors{message}}}', { id: first });
    const admin = await seatAdmin();
    const second = await visitor.start('Hello again');
    await admin.waitForOffer(second);
    await admin.run('mutation($id:ID!){offerAccept(input:{conversationId:$id}){userErrors{message}}}', {
      id: second,
    });
    await admin.run(
      'mutation($id:ID!){messageSend(input:{conversationId:$id,text:"A real answer"}){userErrors{message}}}',
      {
        id: second,
      },
    );
    await visitor.send(second, 'How long is delivery?');

    await admin.run('mutation{operatorUpdate(input:{id:1,chatMaxNumber:1}){userErrors{message}}}', {});
    const other = await demo.openVisitor();
    const third = await other.start('Hello');
    assert.ok(TEAM.includes((await other.waitForAnswer(third)).operator?.pseudo ?? ''), 'the admin is at capacity');
    const { messages } = await visitor.read(second);
    assert.deepEqual(
      messages.filter(({ author }) => author === 'OPERATOR').map(({ text }) => text),
      ['A real answer'],
    );
    await admin.run('mutation($id:ID!){conversationClose(input:{id:$id}){userErrors{message}}}', { id: second });
    await admin.leave();
  });

  test('a real person who declines leaves the visitor to the played people', async () => {
    const admin = await seatAdmin();
    const visitor = await demo.openVisitor({ language: 'fr' });
    const id = await visitor.start('Bonjour');
    await admin.waitForOffer(id);
    await admin.run('mutation($id:ID!){offerDecline(input:{conversationId:$id}){userErrors{message}}}', { id });
    assert.ok(TEAM.includes((await visitor.waitForAnswer(id)).operator?.pseudo ?? ''));
    await admin.leave();
  });

  test('played people leave a conversation that a real person takes', async () => {
    const visitor = await demo.openVisitor({ language: 'es' });
    const id = await visitor.start('Hola');
    await visitor.waitForAnswer(id);
    const admin = await demo.admin();
    const { data } = await admin.run(
      'mutation($id:ID!){conversationTake(input:{id:$id,operatorId:1,force:true}){userErrors{message}}}',
      { id },
    );
    assert.deepEqual(data.conversationTake.userErrors, []);
    await visitor.send(id, '¿Cuánto cuesta?');
    const other = await demo.openVisitor();
    await other.waitForAnswer(await other.start('Hello'));
    assert.equal((await visitor.read(id)).messages.filter(({ author }) => author === 'OPERATOR').length, 1);
    assert.equal(await findOperator(admin, id), 'Admin');
  });

  test('after a restart the same people continue, and those taken offline are back', async () => {
    const visitor = await demo.openVisitor();
    const id = await visitor.start('Hello');
    const { operator } = await visitor.waitForAnswer(id);
    const admin = await demo.admin();
    const { data } = await admin.run('{operators(first:1,filter:{externalId:"demo-1"}){nodes{id}}}');
    const [{ id: extra }] = data.operators.nodes;
    await admin.run('mutation($id:ID!){operatorDisconnect(input:{id:$id}){userErrors{message}}}', { id: extra });
    await demo.restart();
    await visitor.send(id, 'How long is delivery?');
    const answer = await visitor.waitForAnswer(id, 2);
    assert.match(answer.text, /^We deliver in 2 to 3 days/);
    assert.equal(answer.operator?.pseudo, operator?.pseudo);
    await waitUntil('the other is connected', async () => {
      const live = await admin.run('query($id:ID!){operator(id:$id){live{connected}}}', { id: extra });
      return live.data.operator.live.connected;
    });
  });

  test('someone whom a busy service refuses once comes to work with the same connection', async () => {
    const { token } = await demo.admin();
    let refusals = 0;
    class OnceRefusedClient extends ServiceClient {
      override run<Data>(bearer: string, query: string, variables?: object): Promise<Data> {
        if (query !== IS_CONNECTED || refusals > 0) return super.run(bearer, query, variables);
        refusals += 1;
        return Promise.reject(new RefusedRequest('SERVICE_UNAVAILABLE', 'Try again.'));
      }
    }
    const person = new PlayedOperator(
      { logIn: async () => token, becomesAvailable: false },
      {
        ...{ client: new OnceRefusedClient(demo.url), pace: FAST_PACE, websiteId: demo.websiteId },
        isRealPersonFree: async () => false,
      },
    );
    assert.equal(await withTimeout('the person has arrived', person.start()), undefined);
    assert.equal(refusals, 1);
    person.stop();
  });

  test('the website has the address of the shop, and only its pages are admitted', async () => {
    const admin = await demo.admin();
    const { data } = await admin.run('query($id:ID!){website(id:$id){url allowedOrigins widget{accentColor}}}', {
      id: demo.websiteId,
    });
    const { port } = new URL(demo.shopUrl);
    assert.equal(data.website.url, `http://localhost:${port}`);
    assert.deepEqual(data.website.allowedOrigins, [
      `http://localhost:${port}`,
      `http://127.0.0.1:${port}`,
      `http://[::1]:${port}`,
    ]);
    assert.equal(data.website.widget.accentColor, '#0f766e');
    const init = { method: 'POST', headers: { Origin: 'http://localhost:1', 'Content-Type': 'application/json' } };
    const body = JSON.stringify({ websiteId: demo.websiteId });
    assert.equal((await fetch(`${demo.url}/visitor/session`, { ...init, body })).status, 403);
  });
});
