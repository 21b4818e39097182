import assert from 'node:assert/strict';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { PDF, sendFiles, type TestFile, uploadFile } from '../../support/fixtures/files.ts';
import { openSite, type Site, type SiteVisitor } from '../../support/fixtures/site.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

const SPACE = { SWITCHBOARD_WRITE_TIMEOUT: '300', SWITCHBOARD_ADDRESS_UPLOADS_AT_ONCE: '1' };
/** One address can load so many files at the same time. */
const DOWNLOADS_AT_ONCE = 20;
const BOUNDARY = 'boundary-of-the-test';
const FILE = { bytes: PDF, name: 'a.pdf' };

describe('transfers of attachments that end early', () => {
  let site: Site;
  let visitor: SiteVisitor;
  let conversationId: string;

  before(async () => {
    site = await openSite({ env: SPACE });
    await site.createOperator();
    visitor = await site.createVisitor();
    conversationId = (await visitor.startConversation()).id;
  });
  after(() => site.stop());

  const upload = (file: TestFile) =>
    uploadFile(`${site.url}/visitor/attachment`, { Authorization: `Bearer ${visitor.token}` }, conversationId, file);
  const readNumber = async (query: string) => {
    const [row] = await site.switchboard.storedData.query(query);
    return Number(Object.values(row ?? { none: 0 })[0]);
  };

  /** Sends the beginning of a text file of 1 MB, and leaves the rest to the test. */
  const startUpload = (
    sentBytes: number,
    target = { url: site.url, token: visitor.token, conversationId },
  ): ClientRequest => {
    const head =
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="conversationId"\r\n\r\n${target.conversationId}\r\n` +
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n`;
    const client = request(`${target.url}/visitor/attachment`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${target.token}`,
        'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
        'Content-Length': head.length + 1_000_000,
      },
    });
    client.on('error', () => undefined);
    client.write(head);
    client.write(Buffer.alloc(sentBytes, 'a'));
    return client;
  };

  test('an aborted upload leaves nothing behind and gives its space and place back', async () => {
    const client = startUpload(600_000);
    const countChunks = () => readNumber('select count(*) from attachment_chunks');
    await waitUntil('two chunks are stored', async () => (await countChunks()) === 2);
    assert.ok((await readNumber('select bytes from attachment_usage')) >= 1_000_000, 'the space is reserved at once');

    const refused = await upload(FILE);
    assert.equal(refused.status, 429);
    assert.match(refused.body.errors[0].message, /same time/);
    assert.ok(Number(refused.headers.get('retry-after')) >= 1);

    client.destroy();
    const isGone = async () =>
      (await countChunks()) === 0 &&
      (await readNumber('select count(*) from attachments')) === 0 &&
      (await readNumber('select bytes from attachment_usage')) === 0;
    await waitUntil('nothing is left', isGone);
    await waitUntil('the place is free', async () => (await upload(FILE)).status === 201);
  });

  test('an upload that stops is answered with 408 and leaves nothing behind', async () => {
    const impatient = await openSite({ env: { SWITCHBOARD_UPLOAD_TIMEOUT: '0.5' } });
    try {
      await impatient.createOperator();
      const person = await impatient.createVisitor();
      const { id } = await person.startConversation();
      const client = startUpload(300_000, { url: impatient.url, token: person.token, conversationId: id });
      const response = await new Promise<IncomingMessage>((resolve) => client.on('response', resolve));
      assert.deepEqual([response.statusCode, response.headers.connection], [408, 'close']);
      const { query } = impatient.switchboard.storedData;
      await waitUntil('nothing is left', async () => {
        const rows = await Promise.all(
          ['attachments', 'attachment_chunks'].map((table) => query(`select * from ${table}`)),
        );
        const [usage] = await query('select bytes from attachment_usage');
        return rows.flat().length === 0 && Number(usage?.bytes ?? 0) === 0;
      });
    } finally {
      await impatient.stop();
    }
  });

  test('the place of a download is free again when the client leaves', async () => {
    // More than the buffers of a connection that is not read.
    const { body, status } = await upload({ bytes: Buffer.alloc(9_900_000, 'a'), name: 'large.txt' });
    assert.equal(status, 201, JSON.stringify(body));
    const { message, userErrors } = await sendFiles(visitor.run, { conversationId, attachmentIds: [body.id] });
    assert.deepEqual(userErrors, []);
    const address = `${site.url}${message.attachments[0].url}`;
    const key = { 'X-API-Key': site.switchboard.key };
    const clients: ClientRequest[] = [];
    const startDownload = () =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const client = request(address, (response) => resolve(response.pause()));
        clients.push(client.once('error', reject));
        client.end();
      });
    const started = await Promise.all(Array.from({ length: DOWNLOADS_AT_ONCE }, startDownload));
    assert.ok(started.every(({ statusCode }) => statusCode === 200));

    for (const [url, headers] of [[address], [`${site.url}/api/2/attachment/${body.id}`, key]] as const) {
      const refused = await fetch(url, { headers: headers ?? {} });
      assert.equal(refused.status, 429);
      assert.equal(refused.headers.get('retry-after'), '1');
      assert.match(refused.headers.get('content-type') ?? '', /json/);
      assert.equal(refused.headers.get('content-disposition'), null);
      assert.match(await refused.text(), /Too many downloads/);
    }
    assert.equal((await fetch(address, { method: 'HEAD' })).status, 200);

    for (const client of clients) client.on('error', () => undefined).destroy();
    const tryDownload = async () => {
      const { status, body: stream } = await fetch(address);
      await stream?.cancel();
      return status;
    };
    await waitUntil('a place is free', async () => (await tryDownload()) === 200);
    // Every place, not only the first one: these are all taken at the same time.
    await waitUntil('all places are free', async () => {
      const attempts = await Promise.all(Array.from({ length: DOWNLOADS_AT_ONCE }, startDownload));
      for (const client of clients) client.on('error', () => undefined).destroy();
      return attempts.every(({ statusCode }) => statusCode === 200);
    });
  });
});
