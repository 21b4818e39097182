import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { PDF, sendFiles, uploadFile } from '../../support/fixtures/files.ts';
import { createResource } from '../../support/fixtures/resources.ts';
import { openSite, type Site, type SiteOperator, type SiteVisitor } from '../../support/fixtures/site.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

let site: Site;
let operator: SiteOperator;
let secret: string;
before(async () => {
  site = await openSite();
  operator = await site.createOperator({ chat_max_number: 50 });
  secret = await site.loadIdentitySecret();
});
after(() => site.stop());

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
const DAY = 86_400;

function signToken(
  claims: object,
  { header = { alg: 'HS256', typ: 'JWT' } as object, key = secret, hash = 'sha256' } = {},
) {
  const content = `${encode(header)}.${encode({ exp: inSeconds(3600), ...claims })}`;
  return `${content}.${createHmac(hash, key).update(content).digest('base64url')}`;
}

const openWith = (identity: string, more: object = {}) =>
  site.openSession({ websiteId: site.websiteId, identity, ...more });

const IDENTIFY =
  'mutation($token:String!){visitorIdentify(input:{token:$token}){visitor{uniqueId externalId} userErrors{field code}}}';
const identify = async (visitor: SiteVisitor, claims: object) => {
  const { data, errors } = await visitor.run(IDENTIFY, { token: signToken(claims) });
  assert.deepEqual(errors, []);
  return data.visitorIdentify;
};

const VISITOR =
  'uniqueId externalId firstname lastname email city context{fields{name value isVerified} verifiedDetails page}';
const readVisitor = async (uniqueId: string) => {
  const query = `query($uniqueId:String){visitors(filter:{uniqueId:$uniqueId}){nodes{${VISITOR}}}}`;
  const { data, errors } = await site.admin.run(query, { uniqueId });
  assert.deepEqual(errors, []);
  return data.visitors.nodes[0];
};

test('rule 17: a session with a signed identity is that visitor, with verified details and fields', async () => {
  const claims = {
    sub: 'jwt-1',
    name: 'Ana Silva',
    email: 'ana@shop.example',
    fields: { plan: 'gold', 'since 😀': '2019' },
  };
  const { status, body } = await openWith(signToken(claims), { email: 'made-up@shop.example', city: 'Lyon' });
  assert.equal(status, 201, JSON.stringify(body));
  const visitor = await readVisitor(body.visitorId);
  assert.deepEqual(visitor, {
    ...{
      uniqueId: body.visitorId,
      externalId: 'jwt-1',
      firstname: 'Ana Silva',
      lastname: '',
      email: 'ana@shop.example',
    },
    city: 'Lyon',
    context: {
      fields: [
        { name: 'plan', value: 'gold', isVerified: true },
        { name: 'since 😀', value: '2019', isVerified: true },
      ],
      verifiedDetails: ['lastname', 'firstname', 'email'],
      page: '',
    },
  });
  const returning = await openWith(signToken({ sub: 'jwt-1', fields: { plan: 'silver' } }));
  assert.equal(returning.body.visitorId, body.visitorId);
  const later = await readVisitor(body.visitorId);
  assert.deepEqual(later.context.fields, [{ name: 'plan', value: 'silver', isVerified: true }]);
  assert.equal(later.email, 'ana@shop.example');
});

test('values without a signature never replace signed ones', async () => {
  const claims = { sub: 'jwt-2', email: 'true@shop.example', fields: { plan: 'gold' } };
  const { body } = await openWith(signToken(claims), {
    context: {
      fields: [
        { name: 'plan', value: 'platinum' },
        { name: 'colour', value: 'red' },
      ],
    },
  });
  const shown = [
    { name: 'plan', value: 'gold', isVerified: true },
    { name: 'colour', value: 'red', isVerified: false },
  ];
  assert.deepEqual((await readVisitor(body.visitorId)).context.fields, shown);
  const visitor = site.createVisitorWithToken(body.token);
  const change = await visitor.run(
    'mutation{visitorContext(input:{fields:[{name:"plan",value:"x"},{name:"colour",value:"red"}]}){userErrors{code}}}',
  );
  assert.deepEqual(change.data.visitorContext.userErrors, []);
  const update = await visitor.run(
    'mutation{visitorUpdate(input:{city:"Rome",email:"x@x.example"}){userErrors{code field}}}',
  );
  assert.deepEqual(update.data.visitorUpdate.userErrors, [{ code: 'STATE', field: ['input', 'email'] }]);
  const signature = createHmac('sha256', await site.loadVisitorSecret())
    .update('jwt-2')
    .digest('hex');
  await site.createVisitor({ externalId: 'jwt-2', signature, email: 'x@x.example', city: 'Oslo' });
  const { context, email, city } = await readVisitor(body.visitorId);
  assert.deepEqual([context.fields, email, city], [shown, 'true@shop.example', 'Oslo']);
});

test('a token that is not signed as required is 403, and creates no visitor', async () => {
  const otherWebsite = await createResource(site.rest, 'website', { url: 'https://second.example', label: 'Second' });
  const countVisitors = async () => (await site.admin.run('{visitors{totalCount}}')).data.visitors.totalCount;
  const count = await countVisitors();
  const claims = { sub: 'jwt-3' };
  const valid = signToken(claims);
  const [header = '', payload = '', signature = ''] = valid.split('.');
  for (const [reason, token] of Object.entries({
    'no signature': `${header}.${payload}.`,
    'the algorithm none': `${encode({ alg: 'none' })}.${payload}.`,
    'none with a valid signature': signToken(claims, { header: { alg: 'none' } }),
    'HS512 in the header': signToken(claims, { header: { alg: 'HS512' } }),
    'signed with HS512': signToken(claims, { hash: 'sha512' }),
    'RS256 in the header': signToken(claims, { header: { alg: 'RS256' } }),
    'lower case algorithm': signToken(claims, { header: { alg: 'hs256' } }),
    'critical extensions': signToken(claims, { header: { alg: 'HS256', crit: ['exp'] } }),
    'a header that is no object': signToken(claims, { header: [] }),
    'changed claims': `${header}.${encode({ ...claims, sub: 'jwt-4', exp: inSeconds(60) })}.${signature}`,
    'another secret': signToken(claims, { key: 'secret' }),
    'the secret for external identifiers': signToken(claims, { key: await site.loadVisitorSecret() }),
    'the secret of another website': signToken(claims, { key: await site.loadIdentitySecret(otherWebsite) }),
    'four parts': `${valid}.x`,
    text: 'not a token',
    expired: signToken({ ...claims, exp: inSeconds(-1) }),
    'valid for too long': signToken({ ...claims, exp: inSeconds(366 * DAY + 100) }),
    'not valid yet': signToken({ ...claims, nbf: inSeconds(600) }),
  })) {
    const response = await openWith(token);
    assert.equal(response.status, 403, reason);
    assert.equal(response.body.errors[0].extensions.code, 'FORBIDDEN', reason);
    assert.match(response.body.errors[0].message, /identity token/, reason);
  }
  for (const [reason, invalidClaims] of Object.entries({
    'no sub': { sub: undefined },
    'empty sub': { sub: '' },
    'long sub': { sub: 'x'.repeat(256) },
    'NUL in sub': { sub: 'a\0' },
    'no exp': { exp: undefined },
    'exp as text': { exp: '2030' },
    'a number as a field': { fields: { age: 7 } },
    'a list of fields': { fields: ['x'] },
    'a long name': { fields: { ['x'.repeat(65)]: '' } },
    'a long value': { fields: { x: 'x'.repeat(501) } },
    'too many fields': { fields: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`n${index}`, ''])) },
    'a long email': { email: 'x'.repeat(256) },
  })) {
    const response = await openWith(signToken({ ...claims, ...invalidClaims }));
    assert.equal(response.status, 400, reason);
    assert.match(response.body.errors[0].message, /identity\./, reason);
  }
  assert.equal((await openWith(`${valid}`, { externalId: 'jwt-3' })).status, 400);
  assert.equal((await openWith(`${header}.${'x'.repeat(65_536)}.${signature}`)).status, 400);
  assert.equal(await countVisitors(), count);
  for (const exp of [inSeconds(30), inSeconds(366 * DAY - 10)])
    assert.equal((await openWith(signToken({ ...claims, exp }))).status, 201);
});

test('rule 17: an anonymous visitor who is new to the website gets the identifier', async () => {
  const visitor = await site.createVisitor();
  const { visitor: identified, userErrors } = await identify(visitor, { sub: 'jwt-5', fields: { plan: 'gold' } });
  assert.deepEqual(userErrors, []);
  assert.deepEqual(identified, { uniqueId: visitor.visitorId, externalId: 'jwt-5' });
  assert.deepEqual((await identify(visitor, { sub: 'jwt-5' })).userErrors, [], 'repeating it changes nothing');
  assert.deepEqual((await readVisitor(visitor.visitorId)).context.fields.length, 1);
  const other = await identify(visitor, { sub: 'jwt-6' });
  assert.deepEqual([other.visitor, other.userErrors[0].code], [null, 'STATE']);
  const { errors } = await visitor.run(IDENTIFY, { token: signToken({ sub: 'jwt-5' }, { key: 'secret' }) });
  assert.equal(errors[0]?.extensions.code, 'FORBIDDEN');
});

test('rule 17: an anonymous visitor who is known joins the earlier one, with the running conversation', async () => {
  const known = await site.createVisitor({ identity: signToken({ sub: 'jwt-7', name: 'Ana' }) });
  const earlier = await known.startConversation({ message: 'Earlier', clientId: 'c-1' });
  const anonymous = await site.createVisitor({ context: { page: 'https://shop.example/cart' } });
  const { id } = await anonymous.startConversation({ message: 'Now', clientId: 'c-1' });
  await operator.acceptOffer(id);
  const sent = await anonymous.sendMessage(id, 'Twice', 'm-1');
  const leave =
    'mutation{messageLeave(input:{name:"Ana" email:"ana@example.com" text:"Call me"}){userErrors{message}}}';
  assert.deepEqual((await anonymous.run(leave)).data.messageLeave.userErrors, []);
  const socket = anonymous.openSocket();
  await (await socket.subscribe('subscription($id:ID!){conversationEvents(id:$id){type}}', { id })).waitUntil(
    () => true,
  );
  const file = { bytes: PDF, name: 'offer.pdf' };
  const authorization = { Authorization: `Bearer ${anonymous.token}` };
  const uploaded = await uploadFile(`${site.url}/visitor/attachment`, authorization, id, file);
  const { visitor } = await identify(anonymous, { sub: 'jwt-7' });
  assert.deepEqual(visitor, { uniqueId: known.visitorId, externalId: 'jwt-7' });
  assert.equal((await socket.closed).code, 4411, 'open connections reconnect as the known visitor');

  // The same token is now the known visitor.
  const { data } = await anonymous.run('{visitor{uniqueId firstname} conversations{nodes{id messages{text}}}}');
  assert.deepEqual(data.visitor, { uniqueId: known.visitorId, firstname: 'Ana' });
  assert.deepEqual(
    data.conversations.nodes.map((conversation: { id: string }) => conversation.id).sort(),
    [earlier.id, id].sort(),
  );
  const again = await anonymous.sendMessage(id, 'Twice', 'm-1');
  assert.equal(again.message.sequence, sent.message.sequence, 'a resend is still detected');
  assert.deepEqual((await anonymous.sendMessage(id, 'Thanks')).userErrors, []);
  const withFile = await sendFiles(anonymous.run, { conversationId: id, attachmentIds: [uploaded.body.id] });
  assert.deepEqual(withFile.userErrors, [], 'a file that was uploaded before can be sent');
  assert.equal((await readVisitor(known.visitorId)).context.page, 'https://shop.example/cart');
  const desk = await operator.run('query($id:ID!){conversation(id:$id){visitor{uniqueId}}}', { id });
  assert.equal(desk.data.conversation.visitor.uniqueId, known.visitorId);
  const left = await site.admin.run('{messagesLeft{nodes{text visitor{uniqueId}}}}');
  assert.deepEqual(left.data.messagesLeft.nodes, [{ text: 'Call me', visitor: { uniqueId: known.visitorId } }]);
  const { email, externalId, context } = await readVisitor(anonymous.visitorId);
  assert.deepEqual([email, externalId, context], ['', null, null], 'nothing is left of the anonymous visitor');
});

test('rule 17: tokens signed with a rotated secret are rejected', async () => {
  const websiteId = await createResource(site.rest, 'website', { url: 'https://rotated.example', label: 'Rotated' });
  const key = await site.loadIdentitySecret(websiteId);
  const open = async () => (await site.openSession({ websiteId, identity: signToken({ sub: 'r' }, { key }) })).status;
  assert.equal(await open(), 201);
  await site.admin.run('mutation($id:ID!){websiteSecretRotate(input:{id:$id}){userErrors{code}}}', { id: websiteId });
  await waitUntil('the old secret is rejected', async () => (await open()) === 403);
});
