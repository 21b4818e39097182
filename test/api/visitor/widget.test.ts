import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ORIGIN, openSite, type Site } from '../../support/fixtures/site.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

let site: Site;
before(async () => {
  site = await openSite();
});
after(() => site.stop());

const get = async (query: string, headers: Record<string, string> = {}, method = 'GET') => {
  const response = await fetch(`${site.url}/visitor/widget${query}`, { method, headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
};
const read = (query = '', headers: Record<string, string> = {}) => get(`?website=${site.websiteId}${query}`, headers);
const update = async (input: object) => {
  const { data, errors } = await site.admin.run(
    'mutation($input:WebsiteUpdateInput!){websiteUpdate(input:$input){userErrors{message}}}',
    { input: { id: site.websiteId, ...input } },
  );
  assert.deepEqual([errors, data.websiteUpdate.userErrors], [[], []]);
};
const countRows = async () => {
  const counts = ['visitors', 'visitor_tokens', 'events', 'rate_windows'].map(async (table) => {
    const [row] = await site.switchboard.storedData.query(`select count(*) as n from ${table}`);
    return Number(row?.n);
  });
  return Promise.all(counts);
};

test('a page reads settings, texts, availability and hours without a session, and nothing is stored', async () => {
  const before = await countRows();
  const { status, headers, body } = await read('&account=1&language=fr', { Origin: ORIGIN });
  assert.equal(status, 200);
  const { texts, ...settings } = body;
  assert.deepEqual(settings, {
    ...{ accountId: '1', websiteId: String(site.websiteId), language: 'fr', languages: ['de', 'en', 'es', 'fr'] },
    ...{ isOpen: true, opensAt: null, timezone: 'UTC', openingHours: null },
    ...{ channels: [{ channel: 'CHAT', isAvailable: false }], whenUnavailable: 'LEAVE_MESSAGE' },
    ...{ skillId: null, groupId: null, accentColor: '#1d4ed8', accentTextColor: '#ffffff', position: 'BOTTOM_RIGHT' },
    ...{ preChat: { name: 'OFF', email: 'OFF', question: 'OFF', consent: 'OFF' }, survey: true, attachments: true },
    maxAttachmentBytes: 10_000_000,
  });
  assert.equal(texts.send, 'Envoyer');
  assert.equal(headers.get('cache-control'), 'public, max-age=5');
  assert.equal(headers.get('content-language'), 'fr');
  assert.equal(headers.get('access-control-allow-origin'), ORIGIN);
  assert.match(headers.get('vary') ?? '', /\bOrigin\b/);
  assert.deepEqual(await countRows(), before);
});

test('the language is the asked one, then that of the browser, of the website, and English', async () => {
  const languageOf = async (query: string, acceptLanguage?: string) => {
    const { headers, body } = await read(
      query,
      acceptLanguage === undefined ? {} : { 'Accept-Language': acceptLanguage },
    );
    return [body.language, /Accept-Language/.test(headers.get('vary') ?? '')];
  };
  assert.deepEqual(await languageOf('&language=de', 'fr'), ['de', false]);
  assert.deepEqual(await languageOf('&language=de-AT', 'fr'), ['de', false]);
  assert.deepEqual(await languageOf('&language=ja', 'es-MX,es;q=0.9'), ['es', true]);
  assert.deepEqual(await languageOf('', 'ja, de;q=0.5, fr;q=0.8, en;q=0'), ['fr', true]);
  await update({ languageAdmin: 'es' });
  await waitUntil('the answer changes', async () => (await languageOf('', 'ja'))[0] === 'es');
  await update({ languageAdmin: 'en', widget: { texts: [{ language: 'ja', key: 'send', text: '送信' }] } });
  await waitUntil('the answer changes', async () => (await languageOf('', 'ja'))[0] === 'ja');
  assert.equal((await read('&language=ja')).body.texts.send, '送信');
  await update({ widget: null });
  await waitUntil('the answer changes', async () => (await languageOf('', 'ja'))[0] === 'en');
});

test('an unchanged answer is confirmed with 304, in any encoding, and a change is answered', async () => {
  const first = await read('&language=en', { 'Accept-Encoding': 'identity' });
  const compressed = await read('&language=en', { 'Accept-Encoding': 'gzip' });
  assert.deepEqual(compressed.body, first.body);
  assert.equal(compressed.headers.get('content-encoding'), 'gzip');
  const [tag = '', gzipTag = ''] = [first, compressed].map(({ headers }) => headers.get('etag') ?? '');
  assert.match(tag, /^"[\w-]{22}"$/);
  assert.notEqual(tag, gzipTag);
  for (const known of [tag, gzipTag, `"other", W/${tag}`]) {
    const answer = await read('&language=en', { 'If-None-Match': known, Origin: ORIGIN });
    assert.deepEqual([answer.status, answer.body], [304, undefined], known);
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=5');
    assert.equal(answer.headers.get('access-control-allow-origin'), ORIGIN);
  }
  assert.equal((await read('&language=en', { 'If-None-Match': '"other"' })).status, 200);
  assert.equal((await get(`?website=${site.websiteId}`, {}, 'HEAD')).status, 200);
  await update({ widget: { survey: false } });
  await waitUntil(
    'the answer changes',
    async () => (await read('&language=en', { 'If-None-Match': tag })).status === 200,
  );
  await update({ widget: null });
});

test('rule 24: a closed website says when it opens, and no channel is available', async () => {
  const operator = await site.createOperator({ language_list: ['en'] });
  const isAvailable = async (query = '&language=en') => (await read(query)).body.channels[0].isAvailable;
  await waitUntil('a channel is available', () => isAvailable());
  assert.equal(await isAvailable('&language=de'), false, 'the operator speaks English only');
  const openingHours = { weekly: [], dates: [{ date: '2100-01-01', ranges: [{ from: '09:00', to: '10:00' }] }] };
  await update({ openingHours });
  await waitUntil('the answer changes', async () => !(await isAvailable()));
  const { body } = await read();
  assert.deepEqual([body.isOpen, body.opensAt, body.openingHours], [false, '2100-01-01T09:00:00.000Z', openingHours]);
  await update({ openingHours: null });
  await waitUntil('a channel is available', () => isAvailable());
  await operator.run(`mutation{operatorAvailabilityUpdate(input:{id:${operator.id} chat:false}){userErrors{code}}}`);
  await waitUntil('the answer changes', async () => !(await isAvailable()));
  await operator.run(`mutation{operatorAvailabilityUpdate(input:{id:${operator.id} chat:true}){userErrors{code}}}`);
  await waitUntil('a channel is available', () => isAvailable());
  const { data } = await site.admin.run('mutation{skillCreate(input:{name:"Rare"}){skill{id}}}');
  await update({ widget: { skillId: data.skillCreate.skill.id } });
  await waitUntil('the answer changes', async () => !(await isAvailable()));
  await site.rest.put(`/operator/${operator.id}`, { skill_list: [Number(data.skillCreate.skill.id)] });
  await waitUntil('a channel is available', () => isAvailable());
  await update({ widget: null });
});

test('other origins, other accounts and wrong parameters are answered like at /visitor/session', async () => {
  const foreign = await read('', { Origin: 'https://other.example' });
  assert.deepEqual([foreign.status, foreign.body.errors[0].extensions.code], [403, 'FORBIDDEN']);
  assert.equal(foreign.headers.get('access-control-allow-origin'), null);
  const unknown = await get('?website=999999');
  assert.deepEqual(unknown.body.errors, [
    { message: 'website must be an existing website of the account.', extensions: { code: 'BAD_REQUEST' } },
  ]);
  assert.equal(unknown.headers.get('cache-control'), 'no-store');
  assert.deepEqual((await read('&account=999999')).body, unknown.body, 'the same as an unknown website');
  for (const query of ['', '?website=', '?website=x', '?website=1&account=0', '?website=01'])
    assert.deepEqual([query, (await get(query)).status], [query, 400]);
  const post = await get(`?website=${site.websiteId}`, {}, 'POST');
  assert.deepEqual([post.status, post.headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
});
