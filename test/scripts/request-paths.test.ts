import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openSocket, type Socket } from '../support/clients/subscriptions.ts';
import { openSite, type Site } from '../support/fixtures/site.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The source files in the first table after a heading, except those of the other database. */
function filesInTable(page: string, heading: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const table = /(?:^\|.*\n)+/m.exec(text.slice(text.indexOf(heading)))?.[0] ?? '';
  const files = [...table.matchAll(/`(src\/[\w/.-]+\.ts)`/g)].map(([, file = '']) => file);
  assert.ok(files.length >= 10, `${page} lists the files`);
  return files.filter((file) => !file.startsWith('src/storage/postgres/'));
}

/** The source files of which a function ran during the work. */
async function traceFiles(work: () => Promise<void>): Promise<Set<string>> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await session.post('Profiler.takePreciseCoverage');
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const ran = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0));
    return new Set(
      ran
        .filter(({ url }) => url.startsWith('file:'))
        .map(({ url }) => fileURLToPath(url).slice(ROOT.length + 1))
        .filter((file) => file.startsWith('src/')),
    );
  } finally {
    session.disconnect();
  }
}

suite('documented request paths', () => {
  let site: Site;
  before(async () => {
    site = await openSite();
  });
  after(() => site.stop());

  test('life of a request: every file in the table runs', async () => {
    const operator = await site.createOperator();
    const live = `/operator/${operator.id}/live`;
    assert.equal((await site.rest.put(live, 'chat[available]=0')).status, 200);
    const conversation = await (await site.createVisitor()).startConversation();
    assert.equal(conversation.state, 'QUEUED');
    const ran = await traceFiles(async () => {
      assert.equal((await site.rest.put(live, 'chat[available]=1')).status, 200);
    });
    const listed = filesInTable('docs/life-of-a-request.md', '# Life of a request');
    assert.deepEqual(
      listed.filter((file) => !ran.has(file)),
      [],
    );
    await operator.acceptOffer(conversation.id);
  });

  test("a visitor's message: every file in the table runs", async () => {
    const operator = await site.createOperator();
    const visitor = await site.createVisitor();
    const conversation = await visitor.startConversation();
    await operator.acceptOffer(conversation.id);
    const desk = openSocket(site.url, operator.token);
    const events = await desk.subscribe('subscription { deskEvents { message { text } } }');
    let socket: Socket | undefined;
    const ran = await traceFiles(async () => {
      socket = visitor.openSocket();
      const { data } = await socket.run(
        'mutation ($input: MessageSendInput!) { messageSend(input: $input) { message { sequence } } }',
        { input: { conversationId: conversation.id, text: 'Hello' } },
      );
      assert.equal(data.messageSend.message.sequence, 2);
      await events.waitUntil((seen) => seen.some((result) => result.data.deskEvents.message?.text === 'Hello'));
    });
    const listed = filesInTable('docs/architecture.md', '## A message');
    assert.deepEqual(
      listed.filter((file) => !ran.has(file)),
      [],
    );
    desk.end();
    socket?.end();
  });
});
