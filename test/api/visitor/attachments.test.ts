import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createLargePng, createPng, PDF, sendFiles, type TestFile, uploadFile } from '../../support/fixtures/files.ts';
import { ORIGIN, openSite, type Site, type SiteOperator, type SiteVisitor } from '../../support/fixtures/site.ts';

describe('attachments', () => {
  let site: Site;
  let visitor: SiteVisitor;
  let operator: SiteOperator;
  let conversationId: string;

  const bearer = (token: string, headers = {}) => ({ Authorization: `Bearer ${token}`, ...headers });
  const upload = (file: TestFile, { token } = visitor, id = conversationId) =>
    uploadFile(`${site.url}/visitor/attachment`, bearer(token), id, file);
  const uploadAsOperator = (file: TestFile) =>
    uploadFile(`${site.url}/attachment`, bearer(operator.token), conversationId, file);
  const uploadPng = async () => (await upload({ bytes: createPng(3, 2), name: 'photo.png' })).body.id as string;

  before(async () => {
    site = await openSite();
    operator = await site.createOperator();
    visitor = await site.createVisitor();
    conversationId = (await visitor.startConversation()).id;
    await operator.acceptOffer(conversationId);
  });
  after(() => site.stop());

  test('a visitor sends files, and the operator downloads them', async () => {
    const bytes = createLargePng(700_000); // three chunks
    const picture = await upload({ bytes, name: 'C:\\fakepath\\Ünder "x".PNG', type: 'image/png' });
    assert.deepEqual(
      [picture.status, picture.body],
      [
        201,
        {
          ...{ id: picture.body.id, name: 'Ünder _x_.PNG', size: bytes.length, kind: 'image/png' },
          ...{ isImage: true, width: 4, height: 4 },
        },
      ],
    );
    const pdf = await upload({ bytes: PDF, name: 'offer.pdf' });
    const sent = await sendFiles(visitor.run, { conversationId, attachmentIds: [pdf.body.id, picture.body.id] });
    assert.deepEqual(sent.userErrors, []);
    assert.deepEqual(
      sent.message.attachments.map(({ name }: { name: string }) => name),
      ['offer.pdf', 'Ünder _x_.PNG'],
    );

    const { data } = await operator.run(
      'query($id:ID!){conversation(id:$id){messages(last:1){text attachments{id name isImage url expiresAt}}}}',
      { id: conversationId },
    );
    const [{ text, attachments }] = data.conversation.messages;
    assert.equal(text, '');
    const [document, image] = attachments;
    const download = await fetch(`${site.url}${image.url}`);
    assert.equal(download.status, 200);
    assert.ok(Buffer.from(await download.arrayBuffer()).equals(bytes));
    const header = (name: string) => download.headers.get(name);
    assert.equal(header('content-type'), 'image/png');
    assert.equal(
      header('content-disposition'),
      `inline; filename="_nder _x_.PNG"; filename*=UTF-8''%C3%9Cnder%20_x_.PNG`,
    );
    assert.equal(header('content-security-policy'), "sandbox; default-src 'none'");
    assert.equal(header('x-content-type-options'), 'nosniff');
    assert.equal(header('cross-origin-resource-policy'), 'same-site');
    assert.match(header('cache-control') ?? '', /^private, max-age=\d+$/);
    assert.equal(header('content-length'), String(bytes.length));
    const pdfDownload = await fetch(`${site.url}${document.url}`);
    assert.equal(pdfDownload.headers.get('content-disposition'), 'attachment; filename="offer.pdf"');
    await pdfDownload.body?.cancel();
    const head = await fetch(`${site.url}${image.url}`, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(bytes.length)]);
    const etag = header('etag') ?? '';
    assert.equal((await fetch(`${site.url}${image.url}`, { headers: { 'If-None-Match': etag } })).status, 304);
  });

  test('an operator sends a file, which the page of the visitor can show', async () => {
    const { status, body } = await uploadAsOperator({ bytes: createPng(1, 1), name: 'a.png' });
    assert.equal(status, 201);
    const sent = await sendFiles(operator.run, { conversationId, text: 'look', attachmentIds: [body.id] });
    assert.deepEqual(sent.userErrors, []);
    const { data } = await visitor.run('query($id:ID!){conversation(id:$id){messages{text attachments{name url}}}}', {
      id: conversationId,
    });
    const { text, attachments } = data.conversation.messages.at(-1);
    assert.equal(text, 'look');
    const download = await fetch(`${site.url}${attachments[0].url}`, { headers: { Origin: ORIGIN } });
    assert.equal(download.headers.get('cross-origin-resource-policy'), 'cross-origin');
    assert.equal(download.headers.get('access-control-allow-origin'), '*');
    await download.body?.cancel();
  });

  test('the page of the website may upload, other pages may not', async () => {
    const preflight = await fetch(`${site.url}/visitor/attachment`, {
      method: 'OPTIONS',
      headers: { Origin: ORIGIN, 'Access-Control-Request-Method': 'POST' },
    });
    assert.equal(preflight.headers.get('access-control-allow-origin'), ORIGIN);
    const file = { bytes: PDF, name: 'a.pdf' };
    const address = `${site.url}/visitor/attachment`;
    const other = await uploadFile(
      address,
      bearer(visitor.token, { Origin: 'https://evil.example' }),
      conversationId,
      file,
    );
    assert.equal(other.status, 403);
    const own = await uploadFile(address, bearer(visitor.token, { Origin: ORIGIN }), conversationId, file);
    assert.equal(own.status, 201);
    assert.equal(own.headers.get('access-control-allow-origin'), ORIGIN);
  });

  test('only own, complete and unsent files of the same conversation can be sent, each once', async () => {
    const refused = async (attachmentIds: readonly string[], run = visitor.run) => {
      const { message, userErrors } = await sendFiles(run, { conversationId, attachmentIds });
      assert.equal(message, null);
      assert.deepEqual(userErrors[0].field, ['input', 'attachmentIds']);
    };
    const id = await uploadPng();
    await refused([id, id]);
    await refused([id, '999999']);
    await refused(['x']);
    await refused([id], operator.run);
    const stranger = await site.createVisitor();
    const { id: otherId } = await stranger.startConversation();
    const foreign = await upload({ bytes: PDF, name: 'a.pdf' }, stranger, otherId);
    assert.equal(foreign.status, 201);
    await refused([foreign.body.id]);
    assert.deepEqual((await sendFiles(visitor.run, { conversationId, attachmentIds: [id] })).userErrors, []);
    await refused([id]);
    await refused(Array.from({ length: 11 }, (_, index) => String(index + 1)));
    const { userErrors } = await sendFiles(visitor.run, { conversationId, attachmentIds: [] });
    assert.deepEqual(userErrors[0].field, ['input', 'text']);
  });

  test('rule 16: sending again with the same client id and files changes nothing, other files are a conflict', async () => {
    const [first, second] = [await uploadPng(), await uploadPng()];
    const input = { conversationId, clientId: 'with files', text: 'two', attachmentIds: [first, second] };
    const sent = await sendFiles(visitor.run, input);
    const resent = await sendFiles(visitor.run, input);
    assert.deepEqual([resent.userErrors, resent.message.sequence], [[], sent.message.sequence]);
    for (const attachmentIds of [[second, first], [first], []]) {
      const { userErrors } = await sendFiles(visitor.run, { ...input, attachmentIds });
      assert.equal(userErrors[0].code, 'CONFLICT');
    }
  });

  test('unknown conversations, those of others and closed ones take no files', async () => {
    const file = { bytes: PDF, name: 'a.pdf' };
    const stranger = await site.createVisitor();
    assert.equal((await upload(file, stranger)).status, 404);
    assert.equal((await upload(file, visitor, '999999')).status, 404);
    assert.equal((await upload(file, visitor, 'x')).status, 404);
    assert.equal((await uploadFile(`${site.url}/attachment`, {}, conversationId, file)).status, 401);
    const colleague = await site.createOperator();
    const asColleague = await uploadFile(`${site.url}/attachment`, bearer(colleague.token), conversationId, file);
    assert.equal(asColleague.status, 403);
    const { id } = await stranger.startConversation();
    await stranger.run(
      'mutation($input:ConversationCloseInput!){conversationClose(input:$input){userErrors{message}}}',
      {
        input: { id },
      },
    );
    assert.equal((await upload(file, stranger, id)).status, 409);
  });

  test('an integration prepares a file that the operator sends', async () => {
    const key = { 'X-API-Key': site.switchboard.key };
    const prepared = await uploadFile(`${site.url}/attachment`, key, conversationId, { bytes: PDF, name: 'bill.pdf' });
    assert.equal(prepared.status, 201);
    const attachmentIds = [prepared.body.id];
    assert.equal((await sendFiles(visitor.run, { conversationId, attachmentIds })).userErrors.length, 1);
    assert.deepEqual((await sendFiles(operator.run, { conversationId, attachmentIds })).userErrors, []);
  });

  test('files that a visitor does not send are limited, and do not keep the operator from sending one', async () => {
    const hoarder = await site.createVisitor();
    const { id } = await hoarder.startConversation();
    await site.admin.run(
      'mutation($input:ConversationTakeInput!){conversationTake(input:$input){userErrors{message}}}',
      { input: { id, operatorId: operator.id, force: true } },
    );
    const file = { bytes: PDF, name: 'a.pdf' };
    for (let count = 0; count < 20; count += 1) assert.equal((await upload(file, hoarder, id)).status, 201);
    const refused = await upload(file, hoarder, id);
    assert.equal(refused.status, 409);
    assert.match(refused.body.errors[0].message, /at most 20 can wait/);
    assert.equal((await uploadFile(`${site.url}/attachment`, bearer(operator.token), id, file)).status, 201);
  });

  test('a website can turn the files of visitors off', async () => {
    const setAttachments = (attachments: boolean) =>
      site.admin.run('mutation($input:WebsiteUpdateInput!){websiteUpdate(input:$input){userErrors{message}}}', {
        input: { id: site.websiteId, widget: { attachments } },
      });
    assert.deepEqual((await setAttachments(false)).errors, []);
    const file = { bytes: PDF, name: 'a.pdf' };
    assert.equal((await upload(file)).status, 409);
    assert.equal((await uploadAsOperator(file)).status, 201);
    await setAttachments(true);
    assert.equal((await upload(file)).status, 201);
  });
});
