import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openSocket } from '../../support/clients/subscriptions.ts';
import { ORIGIN, openSite, type Site, type SiteOperator, type SiteVisitor } from '../../support/fixtures/site.ts';

let site: Site;
let operator: SiteOperator;
before(async () => {
  site = await openSite({ env: { SWITCHBOARD_VISITOR_CONTEXTS_PER_MINUTE: '30' } });
  operator = await site.createOperator({ chat_max_number: 50 });
});
after(() => site.stop());

const CHANGE = `mutation($input:VisitorContextInput!){visitorContext(input:$input){
  visitor{uniqueId} userErrors{field message code}}}`;
const changeContext = async (visitor: SiteVisitor, input: object) => {
  const { data, errors } = await visitor.run(CHANGE, { input });
  assert.deepEqual(errors, []);
  return data.visitorContext;
};

const CONTEXT = 'context{page title referrer language timezone browser fields{name value isVerified} updatedAt}';
const readContext = async (uniqueId: string) => {
  const query = `query($uniqueId:String){visitors(filter:{uniqueId:$uniqueId}){nodes{${CONTEXT}}}}`;
  const { data, errors } = await site.admin.run(query, { uniqueId });
  assert.deepEqual(errors, []);
  return data.visitors.nodes[0].context;
};

const PAGE = {
  ...{ page: `${ORIGIN}/cart?step=2#top`, title: 'Your cart', referrer: `${ORIGIN}/`, timezone: 'Europe/Paris' },
  language: 'fr-CA',
};

test('operators see where the visitor is; omitted values stay, and empty ones are removed', async () => {
  const { body } = await site.openSession({ websiteId: site.websiteId }, { 'User-Agent': 'Browser/7' });
  const visitor = site.createVisitorWithToken(body.token);
  assert.equal(await readContext(body.visitorId), null);
  const fields = [
    { name: 'plan', value: 'gold' },
    { name: 'customer since', value: '2019 😀' },
  ];
  const payload = await changeContext(visitor, { ...PAGE, fields });
  assert.deepEqual(payload, { visitor: { uniqueId: body.visitorId }, userErrors: [] });
  const { updatedAt, ...context } = await readContext(body.visitorId);
  assert.deepEqual(context, {
    ...{ ...PAGE, browser: 'Browser/7' },
    fields: fields.map((field) => ({ ...field, isVerified: false })),
  });
  assert.ok(Math.abs(Date.parse(updatedAt) - Date.now()) < 60_000);
  await changeContext(visitor, { page: `${ORIGIN}/pay`, title: null, referrer: '', fields: [] });
  const { page, title, referrer, language, fields: fieldsLater } = await readContext(body.visitorId);
  assert.deepEqual([page, title, referrer, language], [`${ORIGIN}/pay`, PAGE.title, '', PAGE.language]);
  assert.deepEqual(fieldsLater, []);
});

test('a session can carry the context', async () => {
  const visitor = await site.createVisitor({ context: { ...PAGE, fields: [{ name: 'plan', value: 'gold' }] } });
  const { page, fields } = await readContext(visitor.visitorId);
  assert.equal(page, PAGE.page);
  assert.deepEqual(fields, [{ name: 'plan', value: 'gold', isVerified: false }]);
  const response = await site.openSession({ websiteId: site.websiteId, context: { page: 'ftp://shop.example' } });
  assert.equal(response.status, 400);
  assert.match(response.body.errors[0].message, /context\.page/);
});

const repeatFields = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `n${index}`, value: '' }));

test('values that are not valid are user errors, and nothing changes', async () => {
  const visitor = await site.createVisitor({ context: PAGE });
  for (const [input, field] of [
    [{ page: 'javascript:alert(1)' }, 'page'],
    [{ page: 'data:text/html,x' }, 'page'],
    [{ page: '/cart' }, 'page'],
    [{ page: `${ORIGIN}/${'x'.repeat(2000)}` }, 'page'],
    [{ page: `${ORIGIN}/a b` }, 'page'],
    [{ referrer: 'file:///etc/passwd' }, 'referrer'],
    [{ title: 'x'.repeat(501) }, 'title'],
    [{ title: 'a\0b' }, 'title'],
    [{ title: '\ud800' }, 'title'],
    [{ timezone: 'Mars/Olympus' }, 'timezone'],
    [{ timezone: '+02:00' }, 'timezone'],
    [{ language: 'fr_CA' }, 'language'],
    [{ fields: repeatFields(21) }, 'fields'],
    [{ fields: [...repeatFields(2), { name: 'n1', value: 'x' }] }, 'fields'],
    [{ fields: [{ name: '', value: '' }] }, 'fields'],
    [{ fields: [{ name: 'x'.repeat(65), value: '' }] }, 'fields'],
    [{ fields: [{ name: 'x', value: 'x'.repeat(501) }] }, 'fields'],
    [{ fields: [{ name: 'x', value: '\0' }] }, 'fields'],
  ] as const) {
    const { visitor: changed, userErrors } = await changeContext(visitor, { title: 'Changed', ...input });
    assert.equal(changed, null, JSON.stringify(input));
    assert.deepEqual([userErrors[0].code, userErrors[0].field[1]], ['INVALID', field], JSON.stringify(input));
  }
  assert.equal((await readContext(visitor.visitorId)).title, PAGE.title);
  const limits = {
    fields: [...repeatFields(19), { name: 'x'.repeat(64), value: 'x'.repeat(500) }],
    page: `${ORIGIN}/${'x'.repeat(2000 - ORIGIN.length - 1)}`,
  };
  assert.deepEqual((await changeContext(visitor, limits)).userErrors, []);
});

test('a change reaches the desk of the operator who talks to the visitor, without values', async () => {
  const visitor = await site.createVisitor({ context: PAGE });
  const { id } = await visitor.startConversation({ message: 'Hello' });
  const { data } = await operator.run('{eventPosition}');
  await operator.acceptOffer(id);
  const socket = openSocket(site.url, operator.token);
  const events = await socket.subscribe(
    'subscription($after:ID){deskEvents(after:$after){type visitorId conversationId}}',
    { after: data.eventPosition },
  );
  await changeContext(visitor, { page: `${ORIGIN}/help` });
  await changeContext(visitor, { page: `${ORIGIN}/help` });
  await visitor.sendMessage(id, 'the end');
  await events.waitUntil((results) => results.at(-1)?.data.deskEvents.type === 'message.created');
  const received = events.results.map(({ data: { deskEvents } }) => deskEvents);
  socket.end();
  const updates = received.filter(({ type }) => type === 'visitor.updated');
  assert.equal(updates.length, 1, 'the same page again is no change');
  const own = await operator.run(`query($id:ID!){conversation(id:$id){visitor{id ${CONTEXT}}}}`, { id });
  assert.deepEqual(updates[0], {
    type: 'visitor.updated',
    visitorId: own.data.conversation.visitor.id,
    conversationId: null,
  });
  assert.equal(own.data.conversation.visitor.context.page, `${ORIGIN}/help`);
  const log = await site.admin.run('{events(last:100){nodes{type values}}}');
  assert.ok(!JSON.stringify(log.data).includes('/help'), 'the event log has no page');
});

test('without a conversation a change is not announced', async () => {
  const visitor = await site.createVisitor();
  const readPosition = async () => (await site.admin.run('{eventPosition}')).data.eventPosition;
  const position = await readPosition();
  await changeContext(visitor, PAGE);
  assert.equal(await readPosition(), position);
});

test('an operator reads the context only through their own conversations', async () => {
  const visitor = await site.createVisitor({ context: PAGE });
  const { id } = await visitor.startConversation({ message: 'Hello' });
  await operator.acceptOffer(id);
  const query = `query($id:ID!){conversation(id:$id){visitor{${CONTEXT}}}}`;
  assert.equal((await operator.run(query, { id })).data.conversation.visitor.context.page, PAGE.page);
  const other = await site.createOperator({}, { connected: false });
  const { data, errors } = await other.run(query, { id });
  assert.equal(data.conversation, null);
  assert.equal(errors[0]?.extensions.code, 'FORBIDDEN');
});

test('more than 30 changes per minute are refused, and only stored ones count', async () => {
  const visitor = await site.createVisitor();
  for (let index = 0; index < 30; index += 1) {
    if (index % 10 === 0) await changeContext(visitor, { page: 'not an address' });
    await changeContext(visitor, { title: `Page ${index}` });
  }
  const { errors } = await visitor.run(CHANGE, { input: { title: 'One more' } });
  assert.equal(errors[0]?.extensions.code, 'RATE_LIMITED');
  assert.match(errors[0]?.message ?? '', /context/);
  assert.equal((await readContext(visitor.visitorId)).title, 'Page 29');
});
