import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { restClient } from '../../support/clients/rest.ts';
import { createLargePng, PDF, sendFiles, type TestFile, uploadFile } from '../../support/fixtures/files.ts';
import { openSite, type Site, type SiteVisitor } from '../../support/fixtures/site.ts';

describe('attachments in REST', () => {
  let site: Site;
  let visitor: SiteVisitor;
  let conversationId: string;
  const picture = createLargePng(700_000); // three chunks

  before(async () => {
    site = await openSite();
    await site.createOperator();
    visitor = await site.createVisitor();
    conversationId = (await visitor.startConversation()).id;
  });
  after(() => site.stop());

  const upload = async (file: TestFile): Promise<string> => {
    const credential = { Authorization: `Bearer ${visitor.token}` };
    return (await uploadFile(`${site.url}/visitor/attachment`, credential, conversationId, file)).body.id;
  };
  const send = async (text: string, ...attachmentIds: string[]) => {
    const { userErrors } = await sendFiles(visitor.run, { conversationId, text, attachmentIds });
    assert.deepEqual(userErrors, []);
  };
  const readHistory = async (path: string) => {
    const { body } = await site.rest.get(path);
    const { history } = [body.data].flat()[0];
    return history as [number, string, string, number][];
  };
  const load = (id: string, init: RequestInit = {}, key = site.switchboard.key) =>
    fetch(`${site.url}/api/2/attachment/${id}`, { ...init, headers: { 'X-API-Key': key, ...init.headers } });
  const assertUnknown = async (id: string, key?: string) => {
    const response = await load(id, {}, key);
    assert.deepEqual(
      [response.status, await response.json()],
      [404, { meta: { status: 'fail', message: `Unknown 'attachment' with 'id' ${id}.` } }],
    );
    assert.equal(response.headers.get('content-disposition'), null);
    assert.ok(response.headers.has('deprecation'));
  };

  test('the history shows name and address of each file, and the API key reads them', async () => {
    const [first, second, third] = [
      await upload({ bytes: picture, name: 'Ünder x.png' }),
      await upload({ bytes: PDF, name: 'offer.pdf' }),
      await upload({ bytes: PDF, name: 'b.pdf' }),
    ];
    await send('no file');
    await send('two files', second, first);
    await send('', third);
    for (const path of [`/conversation/${conversationId}`, '/conversation?full=1', '/conversation?fields[]=history']) {
      const history = await readHistory(path);
      assert.deepEqual(
        history.slice(-3).map(([type, , text]) => [type, text]),
        [
          [2, 'no file'],
          [2, `two files\noffer.pdf /api/2/attachment/${second}\nÜnder x.png /api/2/attachment/${first}`],
          [2, `b.pdf /api/2/attachment/${third}`],
        ],
      );
      for (const entry of history) {
        assert.deepEqual([entry.length, Date.parse(`${entry[1]}Z`)], [4, Math.floor(entry[3] / 1000) * 1000]);
      }
    }

    const download = await load(first);
    assert.equal(download.status, 200);
    assert.ok(Buffer.from(await download.arrayBuffer()).equals(picture));
    const expected = {
      'content-type': 'image/png',
      'content-length': String(picture.length),
      'content-disposition': `inline; filename="_nder x.png"; filename*=UTF-8''%C3%9Cnder%20x.png`,
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-site',
      'cache-control': 'no-store',
    };
    const head = await load(first, { method: 'HEAD' });
    assert.equal(head.status, 200);
    for (const [name, value] of Object.entries(expected)) {
      assert.equal(download.headers.get(name), value);
      assert.equal(head.headers.get(name), value, `HEAD ${name}`);
    }
    assert.ok(download.headers.has('deprecation'));
    const etag = download.headers.get('etag') ?? '';
    assert.equal((await load(first, { headers: { 'If-None-Match': etag } })).status, 304);
    const pdf = await load(second);
    assert.equal(pdf.headers.get('content-disposition'), 'attachment; filename="offer.pdf"');
    assert.ok(Buffer.from(await pdf.arrayBuffer()).equals(PDF));
  });

  test('unknown, unsent and erased files and those of other accounts are not found, and a key is needed', async () => {
    const id = await upload({ bytes: PDF, name: 'a.pdf' });
    await assertUnknown('999999');
    await assertUnknown('x');
    await assertUnknown('01');
    await assertUnknown(id);
    await send('a file', id);
    assert.equal((await load(id)).status, 200);
    assert.equal((await fetch(`${site.url}/api/2/attachment/${id}`)).status, 403);
    assert.equal((await load(id, { method: 'POST' })).status, 405);

    const account = await site.switchboard.runCommand(
      ['account', 'create', '--name', 'Other', '--email', 'other@example.com'],
      'a password for the tests\n',
    );
    const [otherKey = ''] = /[\w-]{20,}/.exec(account.stdout) ?? assert.fail(JSON.stringify(account));
    assert.equal((await restClient(site.url, otherKey).get('/conversation')).status, 200);
    await assertUnknown(id, otherKey);

    const { data } = await site.admin.run('{visitors(first:10){nodes{id}}}');
    for (const { id: visitorId } of data.visitors.nodes)
      await site.admin.run('mutation($input:VisitorEraseInput!){visitorErase(input:$input){userErrors{message}}}', {
        input: { id: visitorId },
      });
    await assertUnknown(id);
    const history = await readHistory(`/conversation/${conversationId}`);
    assert.ok(history.every(([, , text]) => !text.includes('attachment')));
  });
});
