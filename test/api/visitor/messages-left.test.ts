import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createResource } from '../../support/fixtures/resources.ts';
import { openSite, type Site, type SiteOperator, type SiteVisitor } from '../../support/fixtures/site.ts';

let site: Site;
let operator: SiteOperator;
before(async () => {
  site = await openSite();
  operator = await site.createOperator({ pseudo: 'Bob', website_list: [site.websiteId] });
});
after(() => site.stop());

const LEAVE = `mutation($input:MessageLeaveInput!){messageLeave(input:$input){
  messageLeft{name email text page createdAt} userErrors{field code}}}`;
const FIELDS = 'id name email text page website{id} visitor{uniqueId} operator{id} doneAt doneBy{id}';
const LIST = `query($filter:MessageLeftFilter){messagesLeft(filter:$filter){totalCount nodes{${FIELDS}}}}`;
const INPUT = {
  name: 'Ana',
  email: 'ana@example.com',
  text: 'Is it in stock?\n👍',
  page: 'https://shop.example/lamp?x=1',
};

const leave = async (visitor: SiteVisitor, input: object = {}) => {
  const { data, errors } = await visitor.run(LEAVE, { input: { ...INPUT, ...input } });
  assert.deepEqual(errors, []);
  return data.messageLeave;
};
type Runner = Pick<SiteOperator, 'run'>;
const list = async ({ run }: Runner, filter: object = {}) => {
  const { data, errors } = await run(LIST, { filter });
  assert.deepEqual(errors, []);
  return data.messagesLeft;
};
const change = async ({ run }: Runner, name: string, input: object) => {
  const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input`;
  const query = `mutation($input:${type}!){${name}(input:$input){messageLeft{${FIELDS}} userErrors{field code}}}`;
  const { data, errors } = await run(query, { input });
  return { code: errors[0]?.extensions.code, ...data?.[name] };
};
const events = async () => {
  const types = ['message_left.created', 'message_left.updated', 'message_left.deleted'];
  const { data } = await site.admin.run(
    'query($types:[String!]){events(last:50,filter:{types:$types}){nodes{type values fields}}}',
    { types },
  );
  return data.events.nodes as { type: string; values: Record<string, unknown>; fields: string[] }[];
};

test('rule 24: a visitor leaves a message at any time; it is listed, assigned, done and opened again', async () => {
  const visitor = await site.createVisitor();
  const left = await leave(visitor);
  const { createdAt, ...stored } = left.messageLeft;
  assert.ok(Date.parse(createdAt) > 0);
  assert.deepEqual([stored, left.userErrors], [INPUT, []], 'although an operator is available');
  const [message] = (await list(operator, { done: false })).nodes;
  assert.deepEqual(message, {
    ...{ id: message.id, ...INPUT, website: { id: String(site.websiteId) }, visitor: { uniqueId: visitor.visitorId } },
    ...{ operator: null, doneAt: null, doneBy: null },
  });
  const { id } = message;
  const me = { id: String(operator.id) };
  const assigned = await change(operator, 'messageLeftAssign', { id, operatorId: operator.id });
  assert.deepEqual(assigned.messageLeft.operator, me);
  assert.equal((await list(operator, { operatorId: me.id })).totalCount, 1);
  assert.equal((await list(operator, { operatorId: '999' })).totalCount, 0);
  const done = (await change(operator, 'messageLeftResolve', { id })).messageLeft;
  assert.ok(done.doneAt);
  assert.deepEqual(done.doneBy, me);
  const again = (await change(site.admin, 'messageLeftResolve', { id })).messageLeft;
  assert.deepEqual(again, done, 'the first one counts');
  assert.deepEqual(
    [(await list(operator, { done: false })).totalCount, (await list(operator, { done: true })).totalCount],
    [0, 1],
  );
  const open = (await change(operator, 'messageLeftReopen', { id })).messageLeft;
  assert.deepEqual([open.doneAt, open.doneBy, open.operator], [null, null, me]);
  assert.equal((await change(operator, 'messageLeftAssign', { id })).messageLeft.operator, null);

  const logged = await events();
  assert.deepEqual(
    logged.map(({ type }) => type),
    ['message_left.created', ...Array(4).fill('message_left.updated')],
    'a repetition is no event',
  );
  assert.doesNotMatch(JSON.stringify(logged), /Ana|example\.com|stock/);
  assert.deepEqual(logged[0]?.values.websiteId, site.websiteId);
});

test('rule 24: operators and managers see the messages of their websites, admins all, experts none', async () => {
  const shop = await createResource(site.rest, 'website', { url: 'https://other.example', label: 'Other' });
  const elsewhere = await site.createVisitor({ websiteId: shop });
  await leave(elsewhere, { text: 'Elsewhere' });
  const [message] = (await list(site.admin, { websiteId: String(shop) })).nodes;
  assert.equal(message.text, 'Elsewhere');
  const manager = await site.createOperator({ roles: ['manager'], website_list: [site.websiteId] });
  const colleague = await site.createOperator({ website_list: [shop] });
  for (const reader of [operator, manager]) {
    assert.equal((await list(reader, { websiteId: String(shop) })).totalCount, 0);
    assert.equal((await reader.run(`{messageLeft(id:${message.id}){text}}`)).data.messageLeft, null);
    for (const name of ['messageLeftResolve', 'messageLeftReopen', 'messageLeftAssign'])
      assert.equal((await change(reader, name, { id: message.id })).code, 'FORBIDDEN', name);
  }
  assert.equal((await colleague.run(`{messageLeft(id:${message.id}){text}}`)).data.messageLeft.text, 'Elsewhere');
  const expert = await site.createOperator({ roles: ['expert'], website_list: [shop] });
  assert.equal((await expert.run(LIST)).errors[0]?.extensions.code, 'FORBIDDEN');
  for (const target of [operator.id, expert.id, 99_999]) {
    const { userErrors } = await change(site.admin, 'messageLeftAssign', { id: message.id, operatorId: target });
    assert.deepEqual(userErrors, [{ field: ['input', 'operatorId'], code: 'INVALID' }]);
  }
  const assign = { id: message.id, operatorId: colleague.id };
  assert.deepEqual((await change(site.admin, 'messageLeftAssign', assign)).userErrors, []);

  // What is assigned to a deleted operator becomes free; a website with open messages stays.
  const removed = await site.rest.delete(`/operator/${colleague.id}`);
  assert.ok(removed.status < 300, JSON.stringify(removed.body));
  assert.equal((await list(site.admin, { websiteId: String(shop) })).nodes[0].operator, null);
  await site.rest.delete(`/operator/${expert.id}`);
  const websiteDelete = `mutation{websiteDelete(input:{id:${shop}}){deletedId userErrors{code message}}}`;
  for (const { id } of (await site.admin.run(`{website(id:${shop}){operators{nodes{id}}}}`)).data.website.operators
    .nodes)
    await site.rest.put(`/operator/${id}`, { website_list: [site.websiteId] });
  const refused = (await site.admin.run(websiteDelete)).data.websiteDelete.userErrors[0];
  assert.deepEqual([refused.code, /open messages left \(1\)/.test(refused.message)], ['CONFLICT', true]);
  await change(site.admin, 'messageLeftResolve', { id: message.id });
  assert.deepEqual((await site.admin.run(websiteDelete)).data.websiteDelete.userErrors, []);
});

test('rule 24: what cannot be answered or stored is refused', async () => {
  const visitor = await site.createVisitor();
  for (const [field, values] of Object.entries({
    email: ['', 'not an address', 'a@b', `${'x'.repeat(250)}@example.com`, 'a\0@example.com'],
    text: ['', ' \n ', 'x'.repeat(5001), 'a\0b', '\ud800'],
    name: ['x'.repeat(101), 'a\0b'],
    page: ['javascript:alert(1)', 'x'.repeat(2001)],
  })) {
    for (const value of values) {
      const { messageLeft, userErrors } = await leave(visitor, { [field]: value });
      assert.deepEqual([messageLeft, userErrors[0]?.field], [null, ['input', field]], JSON.stringify(value));
    }
  }
  const { messageLeft } = await leave(visitor, { name: undefined, page: undefined });
  assert.deepEqual([messageLeft.name, messageLeft.page], ['', '']);
});

test('rule 24: messages left are erased with the visitor', async () => {
  const visitor = await site.createVisitor();
  await leave(visitor, { text: 'erase me please', name: 'Erasable' });
  const before = (await list(site.admin)).totalCount;
  const { data } = await site.admin.run('query($u:String){visitors(filter:{uniqueId:$u}){nodes{id}}}', {
    u: visitor.visitorId,
  });
  const [{ id }] = data.visitors.nodes;
  await site.admin.run('mutation($id:ID!){visitorErase(input:{id:$id}){userErrors{code}}}', { id });
  assert.equal((await list(site.admin)).totalCount, before - 1);
  const rows = await site.switchboard.storedData.query("select * from messages_left where name = 'Erasable'");
  assert.deepEqual(rows, []);
  assert.equal((await events()).at(-1)?.type, 'message_left.deleted');
});

test('rule 24: too many messages from one address are refused for an hour, also from different visitors', async () => {
  const limited = await openSite({ env: { SWITCHBOARD_VISITOR_MESSAGES_LEFT_PER_HOUR: '2' } });
  try {
    const visitors = [await limited.createVisitor(), await limited.createVisitor(), await limited.createVisitor()];
    await leave(visitors[0] as SiteVisitor, { email: 'not valid' }); // does not count
    const responses = await Promise.all(visitors.map((visitor) => visitor.run(LEAVE, { input: INPUT })));
    const errors = responses.flatMap((response) => response.errors);
    assert.equal(errors.length, 1);
    assert.equal(errors[0]?.extensions.code, 'RATE_LIMITED');
    assert.match(errors[0]?.message ?? '', /Too many messages were left from this address/);
    const wait = Number(Object(errors[0]?.extensions).retryAfterSeconds);
    assert.ok(wait > 3000 && wait <= 3600, `${wait}`);
    const { query } = limited.switchboard.storedData;
    assert.equal(Number((await query('select count(*) as n from messages_left'))[0]?.n), 2);
    // An hour later.
    await query("update rate_windows set attempts = '[1,2]' where subject like 'messages left %'");
    assert.deepEqual((await leave(visitors[0] as SiteVisitor)).userErrors, []);
  } finally {
    await limited.stop();
  }
});

test('rule 24: an operator without websites sees no messages', async () => {
  await leave(await site.createVisitor());
  const stranger = await site.createOperator({ website_list: [] });
  assert.equal((await list(stranger)).totalCount, 0);
});
