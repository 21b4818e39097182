import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { rawRequest } from '../../support/clients/raw.ts';
import { createJpeg, createPng, PDF, sendFiles, type TestFile, uploadFile } from '../../support/fixtures/files.ts';
import { openSite, type Site, type SiteOperator, type SiteVisitor } from '../../support/fixtures/site.ts';

describe('what attachments are refused', () => {
  let site: Site;
  let visitor: SiteVisitor;
  let operator: SiteOperator;
  let conversationId: string;

  const upload = (file: TestFile) =>
    uploadFile(`${site.url}/visitor/attachment`, { Authorization: `Bearer ${visitor.token}` }, conversationId, file);
  const countRows = async (table: string) => {
    const [row] = await site.switchboard.storedData.query(`select count(*) as count from ${table}`);
    return Number(row?.count);
  };
  const readUsage = async () => {
    const [row] = await site.switchboard.storedData.query('select bytes from attachment_usage');
    return Number(row?.bytes ?? 0);
  };
  const findProblems = async () => {
    const { code, stdout } = await site.switchboard.runCommand(['doctor']);
    const problems = stdout.split('\n').filter((line) => line.startsWith('PROBLEM'));
    assert.equal(code, problems.length === 0 ? 0 : 1);
    return problems.map((line) => line.replace(/^PROBLEM +/, ''));
  };

  before(async () => {
    site = await openSite({
      env: { SWITCHBOARD_ATTACHMENT_MEGABYTES: '1', SWITCHBOARD_ACCOUNT_ATTACHMENT_MEGABYTES: '2' },
    });
    operator = await site.createOperator();
    visitor = await site.createVisitor();
    conversationId = (await visitor.startConversation()).id;
    await operator.acceptOffer(conversationId);
  });
  after(() => site.stop());

  test('files that lie about their kind, markup, scripts, programs and damaged pictures leave nothing behind', async () => {
    for (const [name, bytes] of [
      ['page.png', Buffer.from('<!doctype html><script>alert(1)</script>')],
      ['page.txt', Buffer.from('\n <html><body>x</body></html>')],
      ['logo.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
      ['data.txt', Buffer.from('<?xml version="1.0"?><a/>')],
      ['run.txt', Buffer.from('#!/bin/sh\nrm -r /\n')],
      ['run.png', Buffer.from('MZ\x90\0\x03\0\0\0', 'latin1')],
      ['note.png', Buffer.from('only text')],
      ['photo.png', PDF],
      ['latin.txt', Buffer.from('caf\xe9', 'latin1')],
      ['zero.txt', Buffer.from('a\0b')],
      ['bomb.png', createPng(10, 10, { width: 60_000, height: 60_000 })],
      ['bomb.jpg', createJpeg(60_000, 60_000, 400_000)],
      ['empty.txt', Buffer.alloc(0)],
    ] as const) {
      const { status, body } = await upload({ bytes, name });
      assert.equal(status, 415, `${name}: ${JSON.stringify(body)}`);
    }
    assert.deepEqual(
      [await countRows('attachments'), await countRows('attachment_chunks'), await readUsage()],
      [0, 0, 0],
    );
  });

  test('pictures have their size, also after much metadata, and names fit their kind', async () => {
    const jpeg = await upload({ bytes: createJpeg(640, 480, 400_000), name: 'photo.png' });
    assert.deepEqual([jpeg.status, jpeg.body.name, jpeg.body.width, jpeg.body.height], [201, 'photo.jpg', 640, 480]);
    const script = await upload({ bytes: Buffer.from('let x = 1;'), name: 'code.js' });
    assert.deepEqual([script.body.kind, script.body.name], ['text/plain', 'code.js.txt']);
  });

  test('too large a file is refused, and the space of an account is never exceeded by uploads at once', async () => {
    const usedBefore = await readUsage();
    assert.equal((await upload({ bytes: Buffer.alloc(1_000_001, 'a'), name: 'a.txt' })).status, 413);
    assert.equal(await readUsage(), usedBefore);
    const file = { bytes: Buffer.alloc(600_000, 'a'), name: 'a.txt' };
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => upload(file)))).map(({ status }) => status);
    const stored = statuses.filter((status) => status === 201).length;
    assert.ok(stored >= 1 && stored <= 2, statuses.join());
    assert.equal(statuses.filter((status) => status === 409).length, 8 - stored);
    assert.ok((await readUsage()) <= 2_000_000);
    assert.deepEqual(await findProblems(), []);
    const change = (statement: string) => site.switchboard.storedData.query(statement);
    await change('update attachment_usage set bytes = bytes + 1');
    assert.deepEqual(await findProblems(), ['the space taken by attachments is the sum of theirs']);
    await change('update attachment_usage set bytes = bytes - 1');
    await change("update attachments set size = size + 1 where state = 'complete'");
    assert.deepEqual(await findProblems(), [
      'the size of every attachment is that of its chunks, and no chunk is left alone',
    ]);
    await change("update attachments set size = size - 1 where state = 'complete'");
    assert.deepEqual(await findProblems(), []);
  });

  test('the connection of a refused file answers the next request', async () => {
    const form = new FormData();
    form.append('conversationId', '999');
    form.append('file', new Blob([Buffer.alloc(400_000, 'a')]), 'a.txt');
    const encoded = new Response(form);
    const body = Buffer.from(await encoded.arrayBuffer());
    const { hostname, port } = new URL(site.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      rawRequest('POST /visitor/attachment HTTP/1.1', [
        `Authorization: Bearer ${visitor.token}`,
        `Content-Type: ${encoded.headers.get('content-type')}`,
        `Content-Length: ${body.length}`,
      ]),
    );
    socket.write(body);
    socket.write(rawRequest('GET /_health HTTP/1.1', ['Connection: close']));
    const responses = Buffer.concat(await socket.toArray()).toString();
    assert.deepEqual(responses.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 404', 'HTTP/1.1 200']);
  });

  test('an altered address is refused, and erasing the visitor ends every address', async () => {
    const { data } = await visitor.run('query($id:ID!){conversation(id:$id){messages{attachments{id}}}}', {
      id: conversationId,
    });
    assert.ok(data.conversation);
    const [row] = await site.switchboard.storedData.query(
      "select id from attachments where state = 'complete' and kind = 'text/plain' order by id limit 1",
    );
    const { message } = await sendFiles(visitor.run, { conversationId, attachmentIds: [String(row?.id)] });
    const { url } = message.attachments[0];
    assert.equal((await fetch(`${site.url}${url}`)).status, 200);
    for (const altered of [
      url.replace('account=1', 'account=2'),
      url.replace('reader=visitor', 'reader=operator'),
      url.replace(/expires=\d/, 'expires=9'),
      url.replace(/attachment\/\d+/, 'attachment/999'),
      url.replace(/&signature=.*/, ''),
    ]) {
      assert.equal((await fetch(`${site.url}${altered}`)).status, 403, altered);
    }
    const { data: found } = await site.admin.run('{visitors(first:10){nodes{id}}}');
    for (const { id } of found.visitors.nodes)
      await site.admin.run('mutation($input:VisitorEraseInput!){visitorErase(input:$input){userErrors{message}}}', {
        input: { id },
      });
    assert.equal((await fetch(`${site.url}${url}`)).status, 404);
    const names = await site.switchboard.storedData.query("select name from attachments where name <> ''");
    assert.deepEqual(names, []);
  });
});
