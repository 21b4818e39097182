import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { graphqlClient, logIn } from '../support/clients/graphql.ts';
import { openSocket } from '../support/clients/subscriptions.ts';
import { databaseUrlForFolder, dropDatabase, isOnPostgres } from '../support/databases/postgres-database.ts';
import { ShopVisitor } from '../support/fixtures/played-demo.ts';
import { serveInProcess } from '../support/processes/in-process-service.ts';
import { findStablePort } from '../support/processes/ports.ts';
import { testEnvironment } from '../support/processes/switchboard.ts';

const ACCEPT = 'mutation($id:ID!){offerAccept(input:{conversationId:$id}){userErrors{message}}}';
const ANSWER = 'mutation($id:ID!){messageSend(input:{conversationId:$id,text:"A real answer"}){userErrors{message}}}';

/** Serves a visitor as the printed lines say: with the log-in, and without becoming available first. */
async function serveVisitor(url: string, login: { email: string; password: string }, visitor: ShopVisitor) {
  const client = graphqlClient(url, await logIn(url, login));
  const socket = openSocket(url, client.token);
  const desk = await socket.subscribe('subscription{deskEvents{type conversationId}}');
  const id = await visitor.start('Hello');
  await desk.waitUntil((results) =>
    results.some(
      ({ data }) => data.deskEvents.type === 'conversation.offered' && data.deskEvents.conversationId === id,
    ),
  );
  for (const mutation of [ACCEPT, ANSWER]) {
    const { data, errors } = await client.run(mutation, { id });
    assert.deepEqual(errors, []);
    const [payload] = Object.values(data) as { userErrors: unknown[] }[];
    assert.deepEqual(payload?.userErrors, []);
  }
  assert.equal((await visitor.waitForAnswer(id)).text, 'A real answer');
  socket.end();
}

/** One visitor is answered by the played people, another one by the person who logs in. */
async function visitShop(url: string, shopUrl: string, login: { email: string; password: string }): Promise<void> {
  const html = await (await fetch(shopUrl)).text();
  const [, websiteId = ''] = html.match(/<script async src="[^"]+\/widget\.js" data-website="(\d+)">/) ?? [];
  const openVisitor = () => ShopVisitor.open(url, shopUrl, { websiteId: Number(websiteId), language: 'en' });
  const visitor = await openVisitor();
  assert.match((await visitor.waitForAnswer(await visitor.start('Hi'))).text, /^Hello, .+ here\./);
  await serveVisitor(url, login, await openVisitor());
}

test('npm start -- --demo prints all that a person needs to serve a visitor, at every start, and ends with the service', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-demo-'));
  const port = await findStablePort();
  const passwords = new Set<string>();
  try {
    for (const isFirst of [true, false]) {
      const service = await serveInProcess(testEnvironment(folder), ['--demo', '--port', String(port)]);
      const output = service.output();
      const find = (line: RegExp) => output.match(line)?.[1] ?? assert.fail(output);
      assert.equal(find(/^ {2}1\. Open the desk +(\S+)$/m), `${service.url}/desk`);
      assert.equal((await fetch(`${service.url}/desk`)).status, 200);
      const login = { email: find(/^ {5}Email +(\S+)$/m), password: find(/^ {5}Password +(\S+)$/m) };
      passwords.add(login.password);
      const shopUrl = find(/^ {2}2\. Open the shop +(http:\/\/localhost:\d+) /m);
      assert.equal(/^ {2}Log in/m.test(output), isFirst, 'the admin is printed once');
      assert.ok(output.indexOf('Switchboard is ready') < output.indexOf('1. Open the desk'), 'the steps stay in view');

      if (isFirst) await visitShop(service.url, shopUrl, login);
      else await logIn(service.url, login);
      await service.stop();
      await assert.rejects(fetch(shopUrl));
    }
    assert.equal(passwords.size, 2, 'no password is well known');
  } finally {
    rmSync(folder, { recursive: true, force: true });
    if (isOnPostgres) await dropDatabase(databaseUrlForFolder(folder));
  }
});
