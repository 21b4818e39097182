import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createOtherAccount, createResource } from '../../support/fixtures/resources.ts';
import { ORIGIN, openSite, type Site, type SiteVisitor } from '../../support/fixtures/site.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

let site: Site;
before(async () => {
  site = await openSite();
});
after(() => site.stop());

const sign = (secret: string, externalId: string) => createHmac('sha256', secret).update(externalId).digest('hex');

const VISITORS =
  'query($id:String){visitors(filter:{externalId:$id}){totalCount nodes{id uniqueId firstname browser}}}';
const findVisitors = async (externalId: string) =>
  (await site.admin.run(VISITORS, { id: externalId })).data.visitors.nodes;
const countVisitors = async () => (await site.admin.run('{visitors{totalCount}}')).data.visitors.totalCount;
const codeOf = (response: { body: { errors: { extensions: { code: string } }[] } }) =>
  response.body.errors[0]?.extensions.code;

const readStatus = async (visitor: SiteVisitor) => (await visitor.run('{__typename}')).status;

test('rule 17: a session returns a token for 24 hours and an unguessable visitor id', async () => {
  const { websiteId } = site;
  const response = await site.openSession(
    { websiteId, language: 'fr', firstname: 'Ana', zip: '1000' },
    { 'User-Agent': 'B/1' },
  );
  assert.equal(response.status, 201);
  assert.deepEqual(Object.keys(response.body).sort(), ['expiresIn', 'token', 'visitorId']);
  assert.match(response.body.token, /^[\w-]{43}$/);
  assert.match(response.body.visitorId, /^[0-9a-f]{32}$/);
  assert.equal(response.body.expiresIn, 86_400);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  const { data } = await site
    .createVisitorWithToken(response.body.token)
    .run('{visitor{uniqueId externalId firstname lastname zip createdAt}}');
  const { createdAt, ...profile } = data.visitor;
  assert.deepEqual(profile, {
    ...{ uniqueId: response.body.visitorId, externalId: null, firstname: 'Ana', lastname: '', zip: '1000' },
  });
  assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
});

test('a session request can be a form, and ids can be strings', async () => {
  const form = await site.openSession(`websiteId=${site.websiteId}&accountId=1&firstname=J%C3%BCrgen+%F0%9F%98%80`);
  assert.equal(form.status, 201);
  const { data } = await site.createVisitorWithToken(form.body.token).run('{visitor{firstname}}');
  assert.equal(data.visitor.firstname, 'Jürgen 😀');
  assert.equal((await site.openSession({ websiteId: String(site.websiteId) })).status, 201);
});

test('without an external identifier every session creates a new visitor', async () => {
  const [first, second] = [await site.createVisitor(), await site.createVisitor()];
  assert.notEqual(first.visitorId, second.visitorId);
});

test('rule 17: a signed external identifier identifies a returning visitor', async () => {
  const signature = sign(await site.loadVisitorSecret(), 'customer-7');
  const first = await site.createVisitor({ externalId: 'customer-7', signature, firstname: 'Ana' });
  const returning = await site.createVisitor({ externalId: 'customer-7', signature: signature.toUpperCase() });
  assert.equal(returning.visitorId, first.visitorId);
  assert.notEqual(returning.token, first.token);
  assert.deepEqual((await returning.run('{visitor{firstname externalId}}')).data.visitor, {
    ...{ firstname: 'Ana', externalId: 'customer-7' },
  });
  await site.createVisitor({ externalId: 'customer-7', signature, firstname: 'Anna' });
  assert.deepEqual(
    (await findVisitors('customer-7')).map((visitor: { firstname: string }) => visitor.firstname),
    ['Anna'],
  );
});

test('rule 17: ten concurrent sessions for the same new customer create one visitor', async () => {
  const signature = sign(await site.loadVisitorSecret(), 'customer-concurrent');
  const visitors = await Promise.all(
    Array.from({ length: 10 }, () => site.createVisitor({ externalId: 'customer-concurrent', signature })),
  );
  assert.equal(new Set(visitors.map((visitor) => visitor.visitorId)).size, 1);
  assert.equal((await findVisitors('customer-concurrent')).length, 1);
});

test('rule 17: a wrong signature is 403, and creates or identifies no visitor', async () => {
  const secret = await site.loadVisitorSecret();
  await site.createVisitor({ externalId: 'customer-8', signature: sign(secret, 'customer-8') });
  const otherWebsite = await createResource(site.rest, 'website', { url: 'https://second.example', label: 'Second' });
  const count = await countVisitors();
  for (const signature of [
    undefined,
    '',
    sign(secret, 'customer-9'),
    sign('secret', 'customer-8'),
    sign(secret, 'customer-8').slice(0, 63),
    createHmac('sha256', secret).update('customer-8').digest('base64'),
    sign(await site.loadVisitorSecret(otherWebsite), 'customer-8'),
  ]) {
    const response = await site.openSession({ websiteId: site.websiteId, externalId: 'customer-8', signature });
    assert.equal(response.status, 403, String(signature));
    assert.equal(codeOf(response), 'FORBIDDEN');
  }
  const withoutExternalId = await site.openSession({
    websiteId: site.websiteId,
    signature: sign(secret, 'customer-8'),
  });
  assert.equal(withoutExternalId.status, 400);
  assert.equal(await countVisitors(), count);
});

test('the signature of a chosen name is no identity token', async () => {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const exp = Math.floor(Date.now() / 1000) + 3600;
  // The website signs it as the identifier of someone who has chosen this name.
  const name = `${encode({ alg: 'HS256' })}.${encode({ sub: 'customer-8', exp })}`;
  const signature = sign(await site.loadVisitorSecret(), name);
  const token = `${name}.${Buffer.from(signature, 'hex').toString('base64url')}`;
  const opened = await site.openSession({ websiteId: site.websiteId, identity: token });
  assert.equal(opened.status, 403, JSON.stringify(opened.body));
  const asIdentifier = await site.openSession({ websiteId: site.websiteId, externalId: name, signature });
  assert.equal(asIdentifier.status, 400);
  for (const externalId of ['lea.roux@example.com', 'a.b.c', '12.34', 'null.x', `${encode({})}`]) {
    const valid = sign(await site.loadVisitorSecret(), externalId);
    await site.createVisitor({ externalId, signature: valid });
  }
});

test('rule 17: signatures with a rotated secret are rejected', async () => {
  const websiteId = await createResource(site.rest, 'website', { url: 'https://rotated.example', label: 'Rotated' });
  const oldSecret = await site.loadVisitorSecret(websiteId);
  assert.equal((await site.openSession({ websiteId, externalId: 'r', signature: sign(oldSecret, 'r') })).status, 201);
  const rotated = await site.admin.run(
    'mutation($id:ID!){websiteSecretRotate(input:{id:$id}){website{visitorSecret} userErrors{code}}}',
    { id: websiteId },
  );
  const newSecret = rotated.data.websiteSecretRotate.website.visitorSecret;
  assert.notEqual(newSecret, oldSecret);
  assert.equal(newSecret, await site.loadVisitorSecret(websiteId));
  const openSessionSignedWith = async (signingSecret: string) =>
    (await site.openSession({ websiteId, externalId: 'r', signature: sign(signingSecret, 'r') })).status;
  // Websites are cached briefly.
  await waitUntil('the old secret is rejected', async () => (await openSessionSignedWith(oldSecret)) === 403);
  assert.equal(await openSessionSignedWith(newSecret), 201);
});

test('secrets and tokens are not stored in plain text', async () => {
  const websiteId = await createResource(site.rest, 'website', {
    url: 'https://stored.example',
    label: 'Stored in plain text',
  });
  const secret = await site.loadVisitorSecret(websiteId);
  const visitor = await site.createVisitor();
  const stored = await site.switchboard.storedData.dumpRowsAndFiles();
  assert.ok(stored.includes('Stored in plain text'), 'the search finds plain text');
  assert.ok(!stored.includes(secret));
  assert.ok(!stored.includes(visitor.token));
});

test('a website of another account is found only with its account id', async () => {
  const other = await createOtherAccount(site.switchboard);
  const ids = [];
  for (let index = 0; index < 20; index += 1) {
    ids.push(await createResource(other, 'website', { url: 'https://other.example', label: `Other ${index}` }));
  }
  const websiteId = ids.at(-1) as number;
  assert.equal((await site.openSession({ websiteId })).status, 400);
  const response = await site.openSession({ websiteId, accountId: 2 });
  assert.equal(response.status, 201);
  assert.equal(
    (await site.createVisitorWithToken(response.body.token).run('{visitor{uniqueId}}')).data.visitor.uniqueId,
    response.body.visitorId,
  );
  assert.equal((await site.openSession({ websiteId, accountId: 2 }, { Origin: ORIGIN })).status, 403);
});

test('invalid session requests explain the error and create no visitor', async () => {
  const { websiteId } = site;
  const count = await countVisitors();
  const cases: readonly [object | string, number, RegExp][] = [
    [{}, 400, /websiteId/],
    [{ websiteId: 900_001 }, 400, /websiteId must be an existing website/],
    [{ websiteId: 'x' }, 400, /websiteId/],
    [{ websiteId: 1.5 }, 400, /websiteId/],
    [{ websiteId, language: 'xx' }, 400, /language/],
    [{ websiteId, firstname: 'x'.repeat(101) }, 400, /firstname/],
    [{ websiteId, firstname: 'a\0b' }, 400, /firstname/],
    [{ websiteId, firstname: '\ud800' }, 400, /firstname/],
    [{ websiteId, externalId: '' }, 400, /externalId/],
    [{ websiteId, nonsense: 1 }, 400, /nonsense is not a known field/],
    [[], 400, /object/],
  ];
  for (const [body, status, message] of cases) {
    const response = await site.openSession(body);
    assert.equal(response.status, status, JSON.stringify(body));
    assert.match(JSON.stringify(response.body.errors), message);
    assert.equal(codeOf(response), 'BAD_REQUEST');
  }
  const postRaw = (init: RequestInit) => fetch(`${site.url}/visitor/session`, { method: 'POST', ...init });
  const json = { 'Content-Type': 'application/json' };
  assert.equal((await postRaw({ headers: json, body: '{' })).status, 400);
  assert.equal((await postRaw({ headers: json })).status, 400);
  assert.equal(
    (await postRaw({ headers: json, body: Buffer.from('{"websiteId":1,"city":"\xff"}', 'latin1') })).status,
    400,
  );
  assert.equal((await postRaw({ headers: { 'Content-Type': 'text/plain' }, body: '{}' })).status, 415);
  const get = await fetch(`${site.url}/visitor/session`);
  assert.deepEqual([get.status, get.headers.get('allow')], [405, 'POST, OPTIONS']);
  assert.ok(((await get.json()) as { errors: unknown[] }).errors.length > 0);
  assert.equal(await countVisitors(), count);
});

test('visitorUpdate changes the profile; the event log has field names and no values', async () => {
  const visitor = await site.createVisitor({ firstname: 'Ana' });
  const update = `mutation($input:VisitorUpdateInput!){visitorUpdate(input:$input){
    visitor{firstname lastname email} userErrors{field message code}}}`;
  const changed = await visitor.run(update, {
    input: { lastname: 'Silva', email: 'ana@example.com', firstname: null },
  });
  assert.deepEqual(changed.data.visitorUpdate, {
    visitor: { firstname: 'Ana', lastname: 'Silva', email: 'ana@example.com' },
    userErrors: [],
  });
  const rejected = await visitor.run(update, { input: { city: 'x'.repeat(101) } });
  assert.deepEqual(rejected.data.visitorUpdate.userErrors[0].field, ['input', 'city']);
  assert.equal(rejected.data.visitorUpdate.userErrors[0].code, 'INVALID');
  const { data } = await site.admin.run(
    '{events(filter:{types:["visitor.updated"]},last:100){nodes{type fields values actor{type via address}}}}',
  );
  const [event] = data.events.nodes.filter(({ fields }: { fields: string[] }) => fields.includes('email'));
  assert.deepEqual(event.fields.toSorted(), ['email', 'lastname']);
  assert.deepEqual([event.actor.type, event.actor.address], ['VISITOR', null]);
  assert.doesNotMatch(JSON.stringify(data), /Silva|ana@example|Ana/);
});

test('rule 17: the browser is the User-Agent, truncated to 255 characters', async () => {
  const signature = sign(await site.loadVisitorSecret(), 'browser');
  const body = { websiteId: site.websiteId, externalId: 'browser', signature };
  await site.openSession(body, { 'User-Agent': `Mozilla/5.0 ${'x'.repeat(300)}` });
  const [visitor] = await findVisitors('browser');
  assert.equal(visitor.browser, `Mozilla/5.0 ${'x'.repeat(243)}`);
});

test('tokens of a deleted website are rejected', async () => {
  const websiteId = await createResource(site.rest, 'website', { url: 'https://gone.example', label: 'Gone' });
  const visitor = await site.createVisitor({ websiteId });
  assert.equal(await readStatus(visitor), 200);
  const operators = await site.admin.run('{operators(first:100){nodes{id}}}');
  for (const { id } of operators.data.operators.nodes)
    await site.rest.put(`/operator/${id}`, { website_list: [site.websiteId] });
  assert.equal((await site.rest.delete(`/website/${websiteId}`)).status, 200);
  await waitUntil('the token is rejected', async () => (await readStatus(visitor)) === 401);
});
