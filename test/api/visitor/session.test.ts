import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { add, otherAccount } from '../../support/people/people.ts';
import { ORIGIN, openSite, type Site, type SiteVisitor } from '../../support/people/site.ts';
import { until } from '../../support/waiting/until.ts';

let site: Site;
before(async () => {
  site = await openSite();
});
after(() => site.stop());

const sign = (secret: string, externalId: string) => createHmac('sha256', secret).update(externalId).digest('hex');

const VISITORS =
  'query($id:String){visitors(filter:{externalId:$id}){totalCount nodes{id uniqueId firstname browser}}}';
const visitorsWith = async (externalId: string) =>
  (await site.admin.run(VISITORS, { id: externalId })).data.visitors.nodes;
const countOfAll = async () => (await site.admin.run('{visitors{totalCount}}')).data.visitors.totalCount;
const codeOf = (answer: { body: { errors: { extensions: { code: string } }[] } }) =>
  answer.body.errors[0]?.extensions.code;

const isLet = async (visitor: SiteVisitor) => (await visitor.run('{__typename}')).status;

test('rule 17: a session gives a token for a day and a name that nobody can guess', async () => {
  const { websiteId } = site;
  const answer = await site.session(
    { websiteId, language: 'fr', firstname: 'Ana', zip: '1000' },
    { 'User-Agent': 'B/1' },
  );
  assert.equal(answer.status, 201);
  assert.deepEqual(Object.keys(answer.body).sort(), ['expiresIn', 'token', 'visitorId']);
  assert.match(answer.body.token, /^[\w-]{43}$/);
  assert.match(answer.body.visitorId, /^[0-9a-f]{32}$/);
  assert.equal(answer.body.expiresIn, 86_400);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  const { data } = await site
    .visitorWith(answer.body.token)
    .run('{visitor{uniqueId externalId firstname lastname zip createdAt}}');
  const { createdAt, ...shown } = data.visitor;
  assert.deepEqual(shown, {
    ...{ uniqueId: answer.body.visitorId, externalId: null, firstname: 'Ana', lastname: '', zip: '1000' },
  });
  assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
});

test('a session can be asked for by a form, and numbers as text', async () => {
  const form = await site.session(`websiteId=${site.websiteId}&accountId=1&firstname=J%C3%BCrgen+%F0%9F%98%80`);
  assert.equal(form.status, 201);
  const { data } = await site.visitorWith(form.body.token).run('{visitor{firstname}}');
  assert.equal(data.visitor.firstname, 'Jürgen 😀');
  assert.equal((await site.session({ websiteId: String(site.websiteId) })).status, 201);
});

test('without an external identifier every session is of somebody new', async () => {
  const [one, two] = [await site.visitor(), await site.visitor()];
  assert.notEqual(one.visitorId, two.visitorId);
});

test('rule 17: a visitor is joined with an earlier one by an external identifier that the website signed', async () => {
  const signature = sign(await site.secret(), 'customer-7');
  const first = await site.visitor({ externalId: 'customer-7', signature, firstname: 'Ana' });
  const again = await site.visitor({ externalId: 'customer-7', signature: signature.toUpperCase() });
  assert.equal(again.visitorId, first.visitorId);
  assert.notEqual(again.token, first.token);
  assert.deepEqual((await again.run('{visitor{firstname externalId}}')).data.visitor, {
    ...{ firstname: 'Ana', externalId: 'customer-7' },
  });
  await site.visitor({ externalId: 'customer-7', signature, firstname: 'Anna' });
  assert.deepEqual(
    (await visitorsWith('customer-7')).map((visitor: { firstname: string }) => visitor.firstname),
    ['Anna'],
  );
});

test('rule 17: ten sessions for the same new customer at once are one visitor', async () => {
  const signature = sign(await site.secret(), 'customer-at-once');
  const all = await Promise.all(
    Array.from({ length: 10 }, () => site.visitor({ externalId: 'customer-at-once', signature })),
  );
  assert.equal(new Set(all.map((visitor) => visitor.visitorId)).size, 1);
  assert.equal((await visitorsWith('customer-at-once')).length, 1);
});

test('rule 17: a wrong signature is 403, and nobody is made or joined', async () => {
  const secret = await site.secret();
  await site.visitor({ externalId: 'customer-8', signature: sign(secret, 'customer-8') });
  const otherWebsite = await add(site.rest, 'website', { url: 'https://second.example', label: 'Second' });
  const number = await countOfAll();
  for (const signature of [
    undefined,
    '',
    sign(secret, 'customer-9'),
    sign('secret', 'customer-8'),
    sign(secret, 'customer-8').slice(0, 63),
    createHmac('sha256', secret).update('customer-8').digest('base64'),
    sign(await site.secret(otherWebsite), 'customer-8'),
  ]) {
    const answer = await site.session({ websiteId: site.websiteId, externalId: 'customer-8', signature });
    assert.equal(answer.status, 403, String(signature));
    assert.equal(codeOf(answer), 'FORBIDDEN');
  }
  const alone = await site.session({ websiteId: site.websiteId, signature: sign(secret, 'customer-8') });
  assert.equal(alone.status, 400);
  assert.equal(await countOfAll(), number);
});

test('rule 17: a rotated secret ends what was signed with the old one', async () => {
  const websiteId = await add(site.rest, 'website', { url: 'https://rotated.example', label: 'Rotated' });
  const before = await site.secret(websiteId);
  assert.equal((await site.session({ websiteId, externalId: 'r', signature: sign(before, 'r') })).status, 201);
  const rotated = await site.admin.run(
    'mutation($id:ID!){websiteSecretRotate(input:{id:$id}){website{visitorSecret} userErrors{code}}}',
    { id: websiteId },
  );
  const secret = rotated.data.websiteSecretRotate.website.visitorSecret;
  assert.notEqual(secret, before);
  assert.equal(secret, await site.secret(websiteId));
  const statusWith = async (given: string) =>
    (await site.session({ websiteId, externalId: 'r', signature: sign(given, 'r') })).status;
  // A website is remembered for a moment.
  await until('the old secret is refused', async () => (await statusWith(before)) === 403);
  assert.equal(await statusWith(secret), 201);
});

test('the secret of a website is nowhere in what is kept', async () => {
  const websiteId = await add(site.rest, 'website', { url: 'https://kept.example', label: 'Kept in the clear' });
  const secret = await site.secret(websiteId);
  const visitor = await site.visitor();
  const kept = await site.switchboard.stored.everything();
  assert.ok(kept.includes('Kept in the clear'), 'what is stored in the clear is found');
  assert.ok(!kept.includes(secret));
  assert.ok(!kept.includes(visitor.token));
});

test('a website of another account is found by its account, and only there', async () => {
  const other = await otherAccount(site.switchboard);
  const ids = [];
  for (let index = 0; index < 20; index += 1) {
    ids.push(await add(other, 'website', { url: 'https://other.example', label: `Other ${index}` }));
  }
  const websiteId = ids.at(-1) as number;
  assert.equal((await site.session({ websiteId })).status, 400);
  const answer = await site.session({ websiteId, accountId: 2 });
  assert.equal(answer.status, 201);
  assert.equal(
    (await site.visitorWith(answer.body.token).run('{visitor{uniqueId}}')).data.visitor.uniqueId,
    answer.body.visitorId,
  );
  assert.equal((await site.session({ websiteId, accountId: 2 }, { Origin: ORIGIN })).status, 403);
});

test('what is wrong with a session is told, and makes nobody', async () => {
  const { websiteId } = site;
  const number = await countOfAll();
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
    [{ websiteId, nonsense: 1 }, 400, /nonsense is not a field here/],
    [[], 400, /object/],
  ];
  for (const [body, status, words] of cases) {
    const answer = await site.session(body);
    assert.equal(answer.status, status, JSON.stringify(body));
    assert.match(JSON.stringify(answer.body.errors), words);
    assert.equal(codeOf(answer), 'BAD_REQUEST');
  }
  const raw = (init: RequestInit) => fetch(`${site.url}/visitor/session`, { method: 'POST', ...init });
  const json = { 'Content-Type': 'application/json' };
  assert.equal((await raw({ headers: json, body: '{' })).status, 400);
  assert.equal((await raw({ headers: json })).status, 400);
  assert.equal(
    (await raw({ headers: json, body: Buffer.from('{"websiteId":1,"city":"\xff"}', 'latin1') })).status,
    400,
  );
  assert.equal((await raw({ headers: { 'Content-Type': 'text/plain' }, body: '{}' })).status, 415);
  const get = await fetch(`${site.url}/visitor/session`);
  assert.deepEqual([get.status, get.headers.get('allow')], [405, 'POST, OPTIONS']);
  assert.ok(((await get.json()) as { errors: unknown[] }).errors.length > 0);
  assert.equal(await countOfAll(), number);
});

test('a visitor tells more of themself later; the log has names of fields and no values', async () => {
  const visitor = await site.visitor({ firstname: 'Ana' });
  const update = `mutation($input:VisitorUpdateInput!){visitorUpdate(input:$input){
    visitor{firstname lastname email} userErrors{field message code}}}`;
  const changed = await visitor.run(update, {
    input: { lastname: 'Silva', email: 'ana@example.com', firstname: null },
  });
  assert.deepEqual(changed.data.visitorUpdate, {
    visitor: { firstname: 'Ana', lastname: 'Silva', email: 'ana@example.com' },
    userErrors: [],
  });
  const refused = await visitor.run(update, { input: { city: 'x'.repeat(101) } });
  assert.deepEqual(refused.data.visitorUpdate.userErrors[0].field, ['input', 'city']);
  assert.equal(refused.data.visitorUpdate.userErrors[0].code, 'INVALID');
  const { data } = await site.admin.run(
    '{events(filter:{types:["visitor.updated"]},last:100){nodes{type fields values actor{type via address}}}}',
  );
  const [event] = data.events.nodes.filter(({ fields }: { fields: string[] }) => fields.includes('email'));
  assert.deepEqual(event.fields.toSorted(), ['email', 'lastname']);
  assert.deepEqual([event.actor.type, event.actor.address], ['VISITOR', null]);
  assert.doesNotMatch(JSON.stringify(data), /Silva|ana@example|Ana/);
});

test('rule 17: the browser is what the User-Agent says, cut to 255 characters', async () => {
  const signature = sign(await site.secret(), 'browser');
  const body = { websiteId: site.websiteId, externalId: 'browser', signature };
  await site.session(body, { 'User-Agent': `Mozilla/5.0 ${'x'.repeat(300)}` });
  const [visitor] = await visitorsWith('browser');
  assert.equal(visitor.browser, `Mozilla/5.0 ${'x'.repeat(243)}`);
});

test('the token of a website that is deleted is worth nothing', async () => {
  const websiteId = await add(site.rest, 'website', { url: 'https://gone.example', label: 'Gone' });
  const visitor = await site.visitor({ websiteId });
  assert.equal(await isLet(visitor), 200);
  const operators = await site.admin.run('{operators(first:100){nodes{id}}}');
  for (const { id } of operators.data.operators.nodes)
    await site.rest.put(`/operator/${id}`, { website_list: [site.websiteId] });
  assert.equal((await site.rest.delete(`/website/${websiteId}`)).status, 200);
  await until('the token is refused', async () => (await isLet(visitor)) === 401);
});
