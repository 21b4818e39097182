import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { restClient } from '../../support/clients/rest.ts';
import { PDF, sendFiles, uploadFile } from '../../support/fixtures/files.ts';
import { createOperator, createResource } from '../../support/fixtures/resources.ts';
import { openSite, type Site, type SiteVisitor } from '../../support/fixtures/site.ts';

const PASSWORD = 'a password for the tests';
const FILE = { bytes: PDF, name: 'a.pdf' };
const MINUTE_MS = 60_000;

/** A riff file with a format and no sound. */
const WAV = Buffer.concat([
  Buffer.from('RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x44\xac\0\0\x88\x58\x01\0\x02\0\x10\0', 'latin1'),
  Buffer.from('data\0\0\0\0', 'latin1'),
]);

describe('files, strangers and limits', () => {
  let site: Site;
  let visitor: SiteVisitor;
  let conversationId: string;
  let now = Date.now();

  const open = async (person: SiteVisitor) => (await person.startConversation()).id as string;
  const upload = ({ token }: SiteVisitor, id: string, file = FILE) =>
    uploadFile(`${site.url}/visitor/attachment`, { Authorization: `Bearer ${token}` }, id, file);

  before(async () => {
    site = await openSite({ clock: () => now, env: { SWITCHBOARD_UPLOADS_PER_MINUTE: '4' } });
    await site.createOperator({ chat_max_number: 20 });
    visitor = await site.createVisitor();
    conversationId = await open(visitor);
  });
  after(() => site.stop());

  test('a visitor of another conversation sees neither the message nor its address', async () => {
    const { id } = (await upload(visitor, conversationId)).body;
    const { message } = await sendFiles(visitor.run, { conversationId, attachmentIds: [id] });
    assert.equal(message.attachments.length, 1);
    const stranger = await site.createVisitor();
    const ownId = await open(stranger);
    const query = 'query($id:ID!){conversation(id:$id){messages{attachments{id url}}}}';
    const { data } = await stranger.run(query, { id: conversationId });
    assert.equal(data.conversation, null);
    const own = await stranger.run(query, { id: ownId });
    assert.doesNotMatch(JSON.stringify(own.data), /\/attachment\//);
    const stolen = await sendFiles(stranger.run, { conversationId, attachmentIds: [id] });
    assert.equal(stolen.message, null);
  });

  test('files of another account are unknown to its visitors, operators and addresses', async () => {
    const { id } = (await upload(visitor, conversationId)).body;
    const created = await site.switchboard.runCommand(
      ['account', 'create', '--name', 'Other', '--email', 'other@example.com'],
      `${PASSWORD}\n`,
    );
    const [key = ''] = /[\w-]{20,}/.exec(created.stdout) ?? assert.fail(JSON.stringify(created));
    const rest = restClient(site.url, key);
    const websiteId = await createResource(rest, 'website', { url: 'https://other.example', label: 'Other' });
    const { email, id: operatorId } = await createOperator(rest, { password: PASSWORD });
    const operator = graphqlClient(site.url, await logIn(site.url, { email, password: PASSWORD }));
    const act = async (mutation: string) => assert.deepEqual((await operator.run(`mutation{${mutation}}`)).errors, []);
    await act(
      `operatorAvailabilityUpdate(input:{id:"${operatorId}",chat:true}){userErrors{message}}
       operatorConnect(input:{ttlSeconds:300}){userErrors{message}}`,
    );
    const other = await site.createVisitor({ accountId: 2, websiteId });
    const otherId = await open(other);
    await act(`offerAccept(input:{conversationId:"${otherId}"}){userErrors{message}}`);
    assert.equal(
      (await site.switchboard.storedData.query('select id from attachments where account_id = 2')).length,
      0,
    );
    for (const run of [other.run, operator.run]) {
      const input = { conversationId: otherId };
      const foreign = await sendFiles(run, { ...input, attachmentIds: [id] });
      const unknown = await sendFiles(run, { ...input, attachmentIds: ['999999'] });
      assert.equal(foreign.message, null);
      assert.equal(foreign.userErrors.length, 1);
      assert.deepEqual(foreign.userErrors, unknown.userErrors);
    }
    // The owner can still send it, and the address is only valid in its account.
    const sent = await sendFiles(visitor.run, { conversationId, attachmentIds: [id] });
    const { url } = sent.message.attachments[0];
    assert.equal((await fetch(site.url + url)).status, 200);
    assert.equal((await fetch(site.url + url.replace('account=1', 'account=2'))).status, 403);
  });

  test('above the uploads per minute a visitor waits, others do not', async () => {
    const [busy, other] = [await site.createVisitor(), await site.createVisitor()];
    const [busyId, otherId] = [await open(busy), await open(other)];
    for (let count = 0; count < 4; count += 1) assert.equal((await upload(busy, busyId)).status, 201);
    now += 1000;
    const refused = await upload(busy, busyId);
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '59']);
    assert.match(refused.body.errors[0].message, /Too many uploads/);
    assert.equal((await upload(other, otherId)).status, 201);
    now += 59_000;
    assert.equal((await upload(busy, busyId)).status, 201);
  });

  test('an admin adds kinds of files, but none that a browser or a system runs', async () => {
    const setKinds = async (attachmentKinds: readonly string[]) => {
      const { data, errors } = await site.admin.run(
        'mutation($input:AccountUpdateInput!){accountUpdate(input:$input){account{attachmentKinds} userErrors{field}}}',
        { input: { attachmentKinds } },
      );
      assert.deepEqual(errors, []);
      return data.accountUpdate;
    };
    const person = await site.createVisitor();
    const id = await open(person);
    const sound = { bytes: WAV, name: 'voice.wav' };
    assert.equal((await upload(person, id, sound)).status, 415);
    const { account, userErrors } = await setKinds(['audio/wav']);
    assert.deepEqual([account.attachmentKinds, userErrors], [['audio/wav'], []]);
    const stored = await upload(person, id, sound);
    assert.deepEqual([stored.status, stored.body.kind], [201, 'audio/wav'], JSON.stringify(stored.body));
    for (const type of [
      ...['image/svg+xml', 'text/html', 'application/xml', 'text/javascript', 'application/zip'],
      ...['application/x-msdownload', 'application/x-sh', 'application/xhtml+xml', 'application/octet-stream', '*/*'],
    ]) {
      const refused = await setKinds(['audio/wav', type]);
      assert.deepEqual(refused.userErrors[0]?.field.slice(0, 2), ['input', 'attachmentKinds'], type);
    }
    const svg = { bytes: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), name: 'a.svg' };
    assert.equal((await upload(person, id, svg)).status, 415);
    await setKinds([]);
    assert.equal((await upload(person, id, sound)).status, 415);
  });

  test('an address ends after minutes, a new one works', async () => {
    const query = 'query($id:ID!){conversation(id:$id){messages{attachments{url expiresAt}}}}';
    const readFile = async () => {
      const { data } = await visitor.run(query, { id: conversationId });
      return data.conversation.messages.flatMap(({ attachments }: { attachments: unknown[] }) => attachments)[0];
    };
    const { url, expiresAt } = await readFile();
    const validMs = Date.parse(expiresAt) - now;
    assert.ok(validMs > 5 * MINUTE_MS - 1 && validMs <= 10 * MINUTE_MS, String(validMs));
    now += validMs - 1;
    assert.equal((await fetch(site.url + url)).status, 200);
    now += 1;
    const expired = await fetch(site.url + url);
    assert.equal(expired.status, 403);
    assert.match(await expired.text(), /has expired/);
    assert.equal((await fetch(site.url + url, { method: 'HEAD' })).status, 403);
    const renewed = await readFile();
    assert.notEqual(renewed.url, url);
    assert.equal((await fetch(site.url + renewed.url)).status, 200);
  });
});
