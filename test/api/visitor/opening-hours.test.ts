import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openSite, type Site, type SiteOperator, type SiteVisitor } from '../../support/fixtures/site.ts';

let site: Site;
let operator: SiteOperator;
before(async () => {
  site = await openSite();
  operator = await site.createOperator({ chat_max_number: 50 });
});
after(() => site.stop());

const UPDATE = `mutation($input:WebsiteUpdateInput!){websiteUpdate(input:$input){
  website{isOpen opensAt openingHours{weekly{day from to} dates{date ranges{from to}}}} userErrors{field code message}}}`;
const setHours = async (openingHours: object | null, fields: object = {}) => {
  const input = { id: site.websiteId, openingHours, ...fields };
  const { data, errors } = await site.admin.run(UPDATE, { input });
  assert.deepEqual(errors, []);
  return data.websiteUpdate;
};
const start = async (visitor: SiteVisitor, input: object = {}) => {
  const { data, errors } = await visitor.run(
    `mutation($input:ConversationStartInput!){conversationStart(input:$input){
      conversation{id state} userErrors{field code reason parameters{name value}}}}`,
    { input: { channel: 'CHAT', ...input } },
  );
  assert.deepEqual(errors, []);
  return data.conversationStart;
};

const DAY_MS = 24 * 3600_000;
const formatDate = (time: number) => new Date(time).toISOString().slice(0, 10);
/** Far enough from now that the test may take long, at any time of day. */
const NEXT_OPENING = formatDate(Date.now() + 3 * DAY_MS);
const CLOSED = { weekly: [], dates: [] };
const ALWAYS = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'].map((day) => ({
  ...{ day, from: '00:00', to: '24:00' },
}));

test('rule 24: a closed website accepts no new conversation, and says when it opens', async () => {
  const visitor = await site.createVisitor();
  const dates = [{ date: NEXT_OPENING, ranges: [{ from: '09:30', to: '12:00' }] }];
  const { website, userErrors } = await setHours({ weekly: [], dates }, { timezone: 'Asia/Kolkata' });
  assert.deepEqual(userErrors, []);
  const opensAt = `${NEXT_OPENING}T04:00:00.000Z`;
  assert.deepEqual(website, { isOpen: false, opensAt, openingHours: { weekly: [], dates } });
  const refused = { field: null, code: 'STATE', reason: 'closed' };
  assert.deepEqual(await start(visitor), {
    conversation: null,
    userErrors: [{ ...refused, parameters: [{ name: 'opensAt', value: opensAt }] }],
  });
  assert.deepEqual((await setHours(CLOSED)).website, { isOpen: false, opensAt: null, openingHours: CLOSED });
  assert.deepEqual((await start(visitor)).userErrors, [{ ...refused, parameters: [] }]);
  const { data } = await site.admin.run('query($id:ID!){website(id:$id){statistics{refusedNumber}}}', {
    id: site.websiteId,
  });
  assert.equal(data.website.statistics.refusedNumber, 2, 'both are counted');
});

test('rule 24: it opens with hours that include now, and without hours', async () => {
  const visitor = await site.createVisitor();
  await setHours(CLOSED);
  assert.equal((await start(visitor)).userErrors[0].reason, 'closed');
  assert.deepEqual((await setHours({ weekly: ALWAYS })).website, {
    ...{ isOpen: true, opensAt: null, openingHours: { weekly: ALWAYS, dates: [] } },
  });
  assert.deepEqual((await start(visitor)).userErrors, []);
  await setHours(CLOSED);
  assert.deepEqual((await setHours(null)).website, { isOpen: true, opensAt: null, openingHours: null });
  assert.deepEqual((await start(visitor)).userErrors, []);
});

test('rule 24: running and waiting conversations go on after closing, and a repeated start is harmless', async () => {
  await setHours(null);
  const [visitor, waiting] = await Promise.all([site.createVisitor(), site.createVisitor()]);
  const running = (await start(visitor, { clientId: 'hours-1', message: 'Hello' })).conversation;
  await operator.acceptOffer(running.id);
  const setAvailable = (flag: boolean) =>
    operator.run(`mutation{operatorAvailabilityUpdate(input:{id:${operator.id} chat:${flag}}){userErrors{code}}}`);
  await setAvailable(false);
  const queued = (await start(waiting)).conversation;
  assert.equal(queued.state, 'QUEUED');
  await setHours(CLOSED);
  assert.ok((await visitor.sendMessage(running.id, 'Still here')).message, 'the message is stored');
  await setAvailable(true);
  await operator.acceptOffer(queued.id);
  assert.equal((await start(visitor, { clientId: 'hours-1', message: 'Hello' })).conversation.id, running.id);
  await setHours(null);
});

test('hours that are not valid name the field, and other fields keep the hours', async () => {
  const wrong = await setHours({ weekly: [{ day: 'MONDAY', from: '09:00', to: '9:30' }] });
  assert.deepEqual(
    [wrong.website, wrong.userErrors[0].code, wrong.userErrors[0].field],
    [null, 'INVALID', ['input', 'openingHours', 'weekly', '0', 'to']],
  );
  await setHours(CLOSED);
  await site.admin.run(UPDATE, { input: { id: site.websiteId, label: 'Renamed' } });
  const rest = await site.rest.put(`/website/${site.websiteId}`, { label: 'Renamed again' });
  assert.equal(rest.status, 200);
  assert.doesNotMatch(JSON.stringify(rest.body), /hours/i, 'REST keeps its fields');
  const { data } = await site.admin.run('query($id:ID!){website(id:$id){label isOpen}}', { id: site.websiteId });
  assert.deepEqual(data.website, { label: 'Renamed again', isOpen: false });
  const create = `mutation($input:WebsiteCreateInput!){websiteCreate(input:$input){website{isOpen} userErrors{code}}}`;
  const input = { url: 'https://hours.example', label: 'Hours', openingHours: CLOSED };
  const created = await site.admin.run(create, { input });
  assert.deepEqual(created.data.websiteCreate, { website: { isOpen: false }, userErrors: [] });
  await setHours(null);
});
