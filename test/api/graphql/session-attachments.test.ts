import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type BrowserSession, openSession } from '../../support/clients/browser-session.ts';
import { callOAuth } from '../../support/clients/oauth.ts';
import { PDF, uploadFile } from '../../support/fixtures/files.ts';
import { openSite, type Site, type SiteVisitor } from '../../support/fixtures/site.ts';
import { ADMIN } from '../../support/processes/switchboard.ts';

let site: Site;
let visitor: SiteVisitor;
let conversationId: string;
let session: BrowserSession;
before(async () => {
  site = await openSite({ env: { SWITCHBOARD_ATTACHMENT_MEGABYTES: '1' } });
  visitor = await site.createVisitor();
  await site.createOperator();
  conversationId = (await visitor.startConversation()).id;
  session = await openSession(site.url, ADMIN);
  const taken = await run(
    'mutation($input:ConversationTakeInput!){conversationTake(input:$input){userErrors{message}}}',
    { id: conversationId, operatorId: 1, force: true },
  );
  assert.deepEqual(taken.conversationTake.userErrors, []);
});
after(() => site.stop());

/** GraphQL as the page sends it. */
async function run(query: string, input: object) {
  const { body } = await callOAuth(site.url, '/graphql', {
    method: 'POST',
    body: JSON.stringify({ query, variables: { input } }),
    headers: { ...session.headers, 'Content-Type': 'application/json' },
  });
  return body.data;
}

const upload = (headers: Readonly<Record<string, string>>, bytes = PDF) =>
  uploadFile(`${site.url}/attachment`, headers, conversationId, { bytes, name: 'offer.pdf' });
const countFiles = async () => (await site.switchboard.storedData.query('select id from attachments')).length;

test('a page that expects the session of another operator uploads nothing', async () => {
  const { status } = await upload({ ...session.headers, 'X-Session-Owner': '2.1' });
  assert.equal(status, 401);
  assert.equal(await countFiles(), 0);
});

test('a page of the service uploads a file with its session, and sends it', async () => {
  const { status, body } = await upload(session.headers);
  assert.equal(status, 201, JSON.stringify(body));
  const { messageSend } = await run(
    'mutation($input:MessageSendInput!){messageSend(input:$input){message{attachments{name}} userErrors{message}}}',
    { conversationId, text: '', attachmentIds: [body.id] },
  );
  assert.deepEqual(messageSend, { message: { attachments: [{ name: 'offer.pdf' }] }, userErrors: [] });
});

test('a page knows before it sends a file whether it is too large', async () => {
  const { account } = await run('query{account{attachmentMaxBytes}}', {});
  assert.equal(account.attachmentMaxBytes, 1_000_000);
  const largest = Buffer.concat([PDF, Buffer.alloc(account.attachmentMaxBytes - PDF.length, ' ')]);
  assert.equal((await upload(session.headers, largest)).status, 201);
  assert.equal((await upload(session.headers, Buffer.concat([largest, Buffer.from(' ')]))).status, 413);
});

for (const source of [
  {},
  { Origin: 'https://evil.example' },
  { Origin: 'null' },
  { 'Sec-Fetch-Site': 'same-site' },
  { 'Sec-Fetch-Site': 'cross-site' },
] as Record<string, string>[])
  test(`an upload with the cookie and ${JSON.stringify(source)} is refused, and stores nothing`, async () => {
    const before = await countFiles();
    const { status } = await upload({ Cookie: session.cookie, ...source });
    assert.deepEqual([status, await countFiles()], [403, before]);
  });

test('a session that ended uploads nothing', async () => {
  const ended = await openSession(site.url, ADMIN);
  await callOAuth(site.url, '/session', { method: 'DELETE', headers: ended.headers });
  const before = await countFiles();
  assert.deepEqual([(await upload(ended.headers)).status, await countFiles()], [401, before]);
});
