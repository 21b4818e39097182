import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createResource } from '../../support/fixtures/resources.ts';
import { openSite, type Site } from '../../support/fixtures/site.ts';

let site: Site;
before(async () => {
  site = await openSite();
});
after(() => site.stop());

const WIDGET = `widget{accentColor accentTextColor position channels skill{id} group{id}
  preChat{name email question consent} survey attachments whenUnavailable languages}`;
const UPDATE = `mutation($input:WebsiteUpdateInput!){websiteUpdate(input:$input){
  website{${WIDGET}} userErrors{field code message}}}`;
const update = async (widget: object | null) => {
  const { data, errors } = await site.admin.run(UPDATE, { input: { id: site.websiteId, widget } });
  assert.deepEqual(errors, []);
  return data.websiteUpdate;
};
const readTexts = async (language?: string) => {
  const { data } = await site.admin.run(
    'query($id:ID!,$language:String){website(id:$id){widget{texts(language:$language){language key text isDefault}}}}',
    { id: site.websiteId, language },
  );
  return data?.website?.widget.texts;
};

const DEFAULTS = {
  ...{ accentColor: '#1d4ed8', accentTextColor: '#ffffff', position: 'BOTTOM_RIGHT', channels: ['CHAT'] },
  ...{ skill: null, group: null, survey: true, attachments: true, whenUnavailable: 'LEAVE_MESSAGE' },
  ...{ preChat: { name: 'OFF', email: 'OFF', question: 'OFF', consent: 'OFF' }, languages: ['de', 'en', 'es', 'fr'] },
};

test('the widget has defaults, an update merges the named settings, and null restores them', async () => {
  const { data } = await site.admin.run(`query($id:ID!){website(id:$id){${WIDGET}}}`, { id: site.websiteId });
  assert.deepEqual(data.website.widget, DEFAULTS);
  const first = await update({ accentColor: '#000000', channels: ['VIDEO', 'CHAT'], preChat: { email: 'REQUIRED' } });
  assert.deepEqual(first.userErrors, []);
  const second = await update({ position: 'BOTTOM_LEFT', survey: false, whenUnavailable: 'HIDDEN', channels: null });
  assert.deepEqual(second.website.widget, {
    ...{ ...DEFAULTS, accentColor: '#000000', position: 'BOTTOM_LEFT', survey: false, whenUnavailable: 'HIDDEN' },
    preChat: { ...DEFAULTS.preChat, email: 'REQUIRED' },
  });
  const rest = await site.rest.put(`/website/${site.websiteId}`, { label: 'Renamed' });
  assert.doesNotMatch(JSON.stringify(rest.body), /widget|accent/, 'REST keeps its fields');
  assert.equal((await update({})).website.widget.accentColor, '#000000', 'an update by REST keeps the settings');
  assert.deepEqual((await update(null)).website.widget, DEFAULTS);
  const created = await site.admin.run(
    `mutation($input:WebsiteCreateInput!){websiteCreate(input:$input){website{widget{survey}} userErrors{code}}}`,
    { input: { url: 'https://other.example', label: 'Other', widget: { survey: false } } },
  );
  assert.deepEqual(created.data.websiteCreate, { website: { widget: { survey: false } }, userErrors: [] });
});

test('texts are set by language and key', async () => {
  const set = (language: string, key: string, text: string | null) => update({ texts: [{ language, key, text }] });
  assert.deepEqual((await set('fr', 'title', 'Une question ?')).userErrors, []);
  await set('it', 'send', 'Invia');
  const find = async (key: string, language?: string) =>
    (await readTexts(language)).find((text: { key: string }) => text.key === key);
  assert.deepEqual(await find('title', 'fr'), {
    language: 'fr',
    key: 'title',
    text: 'Une question ?',
    isDefault: false,
  });
  assert.deepEqual(await find('send'), { language: 'en', key: 'send', text: 'Send', isDefault: true });
  assert.deepEqual((await find('send', 'it')).text, 'Invia');
  assert.equal(await readTexts('pt'), undefined, 'there are no texts in this language');
  await set('fr', 'title', null);
  assert.equal((await find('title', 'fr')).text, 'Discutez avec nous');
  const wrong = (await set('fr', 'title', 'x'.repeat(81))).userErrors[0];
  assert.deepEqual([wrong.code, wrong.field], ['INVALID', ['input', 'widget', 'texts', '0', 'text']]);
  await update(null);
});

test('a colour without contrast is refused with the numbers', async () => {
  const { website, userErrors } = await update({ accentColor: '#FFEB3B' });
  assert.equal(website, null);
  assert.deepEqual(userErrors, [
    {
      field: ['input', 'widget', 'accentColor'],
      code: 'INVALID',
      message:
        'accentColor has a contrast of 1.22 to 1 with the white panel, and needs at least 3: choose a darker colour.',
    },
  ]);
});

test('conversations ask for the skill or group of the website, which then cannot be deleted', async () => {
  const operator = await site.createOperator({ chat_max_number: 10 });
  const visitor = await site.createVisitor();
  for (const kind of ['skill', 'group'] as const) {
    const id = String(await createResource(site.rest, kind, { name: 'Sales' }));
    for (const [unknown, rule] of [
      ['900001', `must name a ${kind} of the account`],
      ['x', 'must be an identifier: decimal digits'],
    ] as const) {
      const { userErrors } = await update({ [`${kind}Id`]: unknown });
      const name = `${kind}Id`;
      assert.deepEqual(userErrors, [
        { field: ['input', 'widget', name], code: 'INVALID', message: `${name} ${rule}.` },
      ]);
    }
    assert.deepEqual((await update({ [`${kind}Id`]: id })).website.widget[kind], { id });
    const remove = async () => {
      const name = `${kind}Delete`;
      const { data } = await site.admin.run(`mutation($id:ID!){${name}(input:{id:$id}){userErrors{code message}}}`, {
        id,
      });
      return data[name].userErrors;
    };
    assert.deepEqual(await remove(), [
      { code: 'CONFLICT', message: `The ${kind} ${id} is in use: widgets of websites (1).` },
    ]);
    const field = kind === 'skill' ? { skill_list: [Number(id)] } : { skill_list: [], group_id: Number(id) };
    await site.rest.put(`/operator/${operator.id}`, field);
    const started = await visitor.startConversation();
    const { data } = await site.admin.run('query($id:ID!){conversation(id:$id){state skill{id} group{id}}}', {
      id: started.id,
    });
    assert.deepEqual(data.conversation, { state: 'OFFERED', skill: null, group: null, [kind]: { id } });
    const other = String(await createResource(site.rest, kind, { name: 'Other' }));
    const withOwnTarget = await visitor.run(
      `mutation{conversationStart(input:{channel:CHAT ${kind}Id:${other}}){userErrors{reason}}}`,
    );
    assert.equal(withOwnTarget.data.conversationStart.userErrors[0].reason, 'nobody_could', 'a named one counts');
    await visitor.run('mutation($id:ID!){conversationClose(input:{id:$id}){userErrors{code}}}', { id: started.id });
    await update({ [`${kind}Id`]: null });
    await site.rest.put(`/operator/${operator.id}`, { skill_list: [], group_id: null });
    assert.deepEqual(await remove(), []);
  }
});
