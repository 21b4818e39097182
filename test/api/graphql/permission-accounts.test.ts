import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { getNamedType, isInputObjectType, isObjectType } from 'graphql';
import { createClient } from 'graphql-ws';
import { schema } from '../../../src/api/graphql/schema.ts';
import { type GraphqlClient, graphqlClient, logIn } from '../../support/clients/graphql.ts';
import type { RestClient } from '../../support/clients/rest.ts';
import { add, addOperator, otherAccount } from '../../support/people/people.ts';
import { until } from '../../support/waiting/until.ts';
import { everyField, leavePast, leaveWebhook, openWorld, type Person, type World } from './permission-people.ts';
import { FILTERS } from './permission-table.ts';

/** Identifiers count in each account from 1, so the other one has more of everything. */
const MORE = 30;
const NOBODY = '900001';
const MARK = 'Foreign';

type Kind =
  | 'operator'
  | 'group'
  | 'skill'
  | 'website'
  | 'apiKey'
  | 'tag'
  | 'visitor'
  | 'satisfaction'
  | 'conversation'
  | 'webhook';

let world: World;
let other: RestClient;
let foreign: Record<Kind, string>;
let admin: Person;
let ownConversation: string;

before(async () => {
  world = await openWorld();
  admin = world.viewers.admin;
  ownConversation = await world.conversationOf('admin', 'own');
  other = await otherAccount(world.switchboard);
  const login = { email: 'other@example.com', password: 'a long enough password' };
  const otherAdmin = graphqlClient(world.switchboard.url, await logIn(world.switchboard.url, login));
  const last = { operator: 0, group: 0, skill: 0, website: 0, tag: 0 };
  for (let number = 1; number <= MORE; number += 1) {
    last.group = await add(other, 'group', { name: MARK });
    last.skill = await add(other, 'skill', { name: MARK });
    last.tag = await add(other, 'tag', { name: `${MARK} ${number}` });
    last.website = await add(other, 'website', { url: 'https://foreign.example.com', label: MARK });
    const fields = { name: MARK, external_id: `foreign ${number}`, group_id: last.group, skill_list: [last.skill] };
    last.operator = (await addOperator(other, fields)).id;
  }
  const past = { id: 70, operatorId: last.operator, websiteId: last.website, mark: MARK };
  await leavePast(world.switchboard, { accountId: 2, ...past });
  await leaveWebhook(world.switchboard, { accountId: 2, ...past });
  foreign = {
    ...numbersAsText({ ...last, visitor: past.id, satisfaction: past.id, conversation: past.id, webhook: past.id }),
    apiKey: await lastKey(otherAdmin),
  };
  assert.equal((await otherAdmin.run('{ viewer { id } }')).data.viewer.id, '1');
});
after(() => world.stop());

function numbersAsText<K extends string>(numbers: Record<K, number>): Record<K, string> {
  return Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, String(value)])) as Record<K, string>;
}

async function lastKey(client: GraphqlClient): Promise<string> {
  let id = '';
  for (let number = 0; number < 5; number += 1) {
    const made = await client.run(
      `mutation { apiKeyCreate(input: { name: "${MARK}", access: READ }) { apiKey { id } } }`,
    );
    id = made.data.apiKeyCreate.apiKey.id;
  }
  return id;
}

/** The same document about somebody of the other account and about nobody: the same answer but for the identifier. */
async function assertSame(document: (id: string) => string, kind: Kind, viewers = [admin]): Promise<void> {
  for (const viewer of viewers) {
    const [theirs, nobodys] = await Promise.all(
      [foreign[kind], NOBODY].map(async (id) => {
        const { status, data, errors } = await viewer.run(document(id));
        return JSON.stringify({
          status,
          data,
          errors: errors.map(({ message, extensions }) => ({ message, extensions })),
        })
          .replaceAll(MARK, 'FOUND')
          .replace(new RegExp(`\\b${id}\\b`, 'g'), '#');
      }),
    );
    assert.equal(theirs, nobodys, document(foreign[kind]));
    assert.doesNotMatch(theirs ?? '', /FOUND|INTERNAL/);
  }
}

/** Everywhere in the schema where an identifier comes in, as an argument or within an input. */
function identifiersTaken(): string[] {
  return Object.values(schema.getTypeMap()).flatMap((type) => {
    if (type.name.startsWith('__')) return [];
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter((field) => getNamedType(field.type).name === 'ID');
      return fields.map((field) => `${type.name}.${field.name}`);
    }
    if (!isObjectType(type)) return [];
    return Object.values(type.getFields()).flatMap((field) =>
      field.args
        .filter((arg) => getNamedType(arg.type).name === 'ID')
        .map((arg) => `${type.name}.${field.name}(${arg.name})`),
    );
  });
}

const mutate = (name: string, input: string) =>
  `mutation { ${name}(input: { ${input} }) { userErrors { field message code } } }`;
const update = (name: string) => (id: string) => mutate(name, `id: ${id}`);
const ownOperator = () => world.target('admin', 'own');
const preview = (args: string, fields = 'ranked { share } excluded { reason count }') =>
  `{ routingPreview(${args}, channel: CHAT, language: "en") { ${fields} } }`;
const NEW = 'name: "New", email: "new@example.com"';
const ROW = 'externalId: "row", name: "Row", email: "row@example.com"';
const imported = (field: string) => `mutation {
  operatorsImport(input: { rows: [{ ${ROW}, ${field} }] }) { report { applied rows { outcome userErrors { field message } } } userErrors { message } }
}`;

/** A document for each of them, and what it names. */
const CASES: Record<string, readonly [Kind, (id: string) => string]> = {
  'Query.operator(id)': ['operator', (id) => `{ operator(id: ${id}) { id } }`],
  'Query.group(id)': ['group', (id) => `{ group(id: ${id}) { id } }`],
  'Query.skill(id)': ['skill', (id) => `{ skill(id: ${id}) { id } }`],
  'Query.website(id)': ['website', (id) => `{ website(id: ${id}) { id } }`],
  'Query.conversation(id)': ['conversation', (id) => `{ conversation(id: ${id}) { id state messages { text } } }`],
  'Query.routingDecisions(conversationId)': [
    'conversation',
    (id) => `{ routingDecisions(conversationId: ${id}) { id ranked { share } } }`,
  ],
  'Query.routingDecisions(after)': [
    'conversation',
    (id) => `{ routingDecisions(conversationId: ${ownConversation}, after: ${id}) { id } }`,
  ],
  'RoutingDecision.whyNot(operatorId)': [
    'operator',
    (id) => `{ routingDecisions(conversationId: ${ownConversation}) { whyNot(operatorId: ${id}) } }`,
  ],
  'Query.routingPreview(websiteId)': ['website', (id) => preview(`websiteId: ${id}`)],
  'Query.routingPreview(skillId)': ['skill', (id) => preview(`websiteId: ${world.website}, skillId: ${id}`)],
  'Query.routingPreview(groupId)': ['group', (id) => preview(`websiteId: ${world.website}, groupId: ${id}`)],
  'RoutingPreview.whyNot(operatorId)': [
    'operator',
    (id) => preview(`websiteId: ${world.website}`, `whyNot(operatorId: ${id})`),
  ],
  'Query.liveHistory(operatorId)': [
    'operator',
    (id) => `{ liveHistory(operatorId: ${id}) { totalCount nodes { at } } }`,
  ],
  'Query.liveAt(operatorIds)': [
    'operator',
    (id) => `{ liveAt(time: "2100-01-01", operatorIds: [${id}]) { operator { pseudo } live { connected } } }`,
  ],
  'OfferAcceptInput.conversationId': ['conversation', (id) => mutate('offerAccept', `conversationId: ${id}`)],
  'OfferDeclineInput.conversationId': ['conversation', (id) => mutate('offerDecline', `conversationId: ${id}`)],
  'MessageSendInput.conversationId': [
    'conversation',
    (id) => mutate('messageSend', `conversationId: ${id}, text: "Hello"`),
  ],
  'ConversationTransferInput.id': [
    'conversation',
    (id) => mutate('conversationTransfer', `id: ${id}, operatorId: ${ownOperator()}`),
  ],
  'ConversationTransferInput.operatorId': [
    'operator',
    (id) => mutate('conversationTransfer', `id: ${ownConversation}, operatorId: ${id}`),
  ],
  'ConversationTransferInput.skillId': [
    'skill',
    (id) => mutate('conversationTransfer', `id: ${ownConversation}, skillId: ${id}`),
  ],
  'ConversationTransferInput.groupId': [
    'group',
    (id) => mutate('conversationTransfer', `id: ${ownConversation}, groupId: ${id}`),
  ],
  'ConversationEscalateInput.id': ['conversation', update('conversationEscalate')],
  'ConversationTagInput.id': ['conversation', (id) => mutate('conversationTag', `id: ${id}, tagIds: []`)],
  'ConversationTagInput.tagIds': ['tag', (id) => mutate('conversationTag', `id: ${ownConversation}, tagIds: [${id}]`)],
  'ConversationCloseInput.id': ['conversation', update('conversationClose')],
  'ConversationTakeInput.id': [
    'conversation',
    (id) => mutate('conversationTake', `id: ${id}, operatorId: ${ownOperator()}`),
  ],
  'ConversationTakeInput.operatorId': [
    'operator',
    (id) => mutate('conversationTake', `id: ${ownConversation}, operatorId: ${id}`),
  ],
  'Query.tag(id)': ['tag', (id) => `{ tag(id: ${id}) { name } }`],
  'Query.visitor(id)': ['visitor', (id) => `{ visitor(id: ${id}) { lastname } }`],
  'Query.satisfaction(id)': ['satisfaction', (id) => `{ satisfaction(id: ${id}) { comment } }`],
  'Skill.availability(websiteId)': [
    'website',
    (id) => `{ skill(id: ${world.skill}) { availability(websiteId: ${id}) { chat { operatorsConnected waiting } } } }`,
  ],
  'OperatorCreateInput.groupId': ['group', (id) => mutate('operatorCreate', `${NEW}, groupId: ${id}`)],
  'OperatorCreateInput.websiteIds': ['website', (id) => mutate('operatorCreate', `${NEW}, websiteIds: [${id}]`)],
  'OperatorCreateInput.skillIds': ['skill', (id) => mutate('operatorCreate', `${NEW}, skillIds: [${id}]`)],
  'OperatorUpdateInput.id': ['operator', (id) => mutate('operatorUpdate', `id: ${id}, name: "Taken"`)],
  'OperatorUpdateInput.groupId': ['group', (id) => mutate('operatorUpdate', `id: ${ownOperator()}, groupId: ${id}`)],
  'OperatorUpdateInput.websiteIds': [
    'website',
    (id) => mutate('operatorUpdate', `id: ${ownOperator()}, websiteIds: [${id}]`),
  ],
  'OperatorUpdateInput.skillIds': [
    'skill',
    (id) => mutate('operatorUpdate', `id: ${ownOperator()}, skillIds: [${id}]`),
  ],
  'OperatorsImportRowInput.groupId': ['group', (id) => imported(`groupId: ${id}`)],
  'OperatorsImportRowInput.websiteIds': ['website', (id) => imported(`websiteIds: [${id}]`)],
  'OperatorsImportRowInput.skillIds': ['skill', (id) => imported(`skillIds: [${id}]`)],
  'OperatorDeleteInput.id': ['operator', update('operatorDelete')],
  'OperatorDisconnectInput.id': ['operator', update('operatorDisconnect')],
  'OperatorSsoKeyRotateInput.id': ['operator', update('operatorSsoKeyRotate')],
  'OperatorAvailabilityUpdateInput.id': [
    'operator',
    (id) => mutate('operatorAvailabilityUpdate', `id: ${id}, chat: true`),
  ],
  'OperatorProfileUpdateInput.id': ['operator', (id) => mutate('operatorProfileUpdate', `id: ${id}, city: "X"`)],
  'OperatorPasswordChangeInput.id': [
    'operator',
    (id) => mutate('operatorPasswordChange', `id: ${id}, newPassword: "taken over by others"`),
  ],
  'GroupCreateInput.parentId': ['group', (id) => mutate('groupCreate', `name: "New", parentId: ${id}`)],
  'GroupUpdateInput.id': ['group', (id) => mutate('groupUpdate', `id: ${id}, name: "Taken"`)],
  'GroupUpdateInput.parentId': ['group', (id) => mutate('groupUpdate', `id: ${world.groups.other}, parentId: ${id}`)],
  'GroupDeleteInput.id': ['group', update('groupDelete')],
  'SkillCreateInput.parentId': ['skill', (id) => mutate('skillCreate', `name: "New", parentId: ${id}`)],
  'SkillUpdateInput.id': ['skill', (id) => mutate('skillUpdate', `id: ${id}, name: "Taken"`)],
  'SkillUpdateInput.parentId': ['skill', (id) => mutate('skillUpdate', `id: ${world.skill}, parentId: ${id}`)],
  'SkillDeleteInput.id': ['skill', update('skillDelete')],
  'SkillOperatorsAddInput.id': ['skill', (id) => mutate('skillOperatorsAdd', `id: ${id}, operatorIds: []`)],
  'SkillOperatorsAddInput.operatorIds': [
    'operator',
    (id) => mutate('skillOperatorsAdd', `id: ${world.skill}, operatorIds: [${id}]`),
  ],
  'SkillOperatorsRemoveInput.id': ['skill', (id) => mutate('skillOperatorsRemove', `id: ${id}, operatorIds: []`)],
  'SkillOperatorsRemoveInput.operatorIds': [
    'operator',
    (id) => mutate('skillOperatorsRemove', `id: ${world.skill}, operatorIds: [${id}]`),
  ],
  'WebsiteUpdateInput.id': ['website', (id) => mutate('websiteUpdate', `id: ${id}, label: "Taken"`)],
  'WebsiteDeleteInput.id': ['website', update('websiteDelete')],
  'WebsiteSecretRotateInput.id': ['website', update('websiteSecretRotate')],
  'VisitorEraseInput.id': ['visitor', update('visitorErase')],
  'TagCreateInput.websiteIds': ['website', (id) => mutate('tagCreate', `name: "New", websiteIds: [${id}]`)],
  'TagUpdateInput.id': ['tag', (id) => mutate('tagUpdate', `id: ${id}, name: "Taken"`)],
  'TagUpdateInput.websiteIds': ['website', (id) => mutate('tagUpdate', `id: ${world.tag}, websiteIds: [${id}]`)],
  'TagDeleteInput.id': ['tag', update('tagDelete')],
  'ApiKeyRevokeInput.id': ['apiKey', update('apiKeyRevoke')],
  'EventFilter.subjectId': [
    'operator',
    (id) => `{ events(filter: { subjectType: "operator", subjectId: ${id} }) { nodes { type } } }`,
  ],
  'EventFilter.actorId': [
    'operator',
    (id) => `{ events(filter: { actorType: OPERATOR, actorId: ${id} }) { nodes { type } } }`,
  ],
  'Query.webhook(id)': ['webhook', (id) => `{ webhook(id: ${id}) { name url } }`],
  'Query.webhookDeliveries(webhookId)': [
    'webhook',
    (id) => `{ webhookDeliveries(webhookId: ${id}) { totalCount nodes { body } } }`,
  ],
  'WebhookUpdateInput.id': ['webhook', (id) => mutate('webhookUpdate', `id: ${id}, name: "Taken"`)],
  'WebhookDeleteInput.id': ['webhook', update('webhookDelete')],
  'WebhookSecretRotateInput.id': ['webhook', update('webhookSecretRotate')],
  'WebhookTestInput.id': ['webhook', update('webhookTest')],
  'WebhookReplayInput.webhookId': ['webhook', (id) => mutate('webhookReplay', `webhookId: ${id}`)],
  'WebhookReplayInput.deliveryId': [
    'webhook',
    (id) => mutate('webhookReplay', `webhookId: ${world.webhook}, deliveryId: ${id}`),
  ],
};

/** Those that are tried out apart, and places in the log of one's own account. */
const APART = [
  'Query.events(after)',
  'Query.events(before)',
  'Subscription.skillAvailability(id)',
  'Subscription.conversationEvents(id)',
  'Subscription.conversationEvents(after)',
  'Subscription.deskEvents(after)',
];

test('every identifier that the schema takes has a case', () => {
  const tried = [...Object.keys(CASES), ...APART].sort();
  const taken = identifiersTaken().sort();
  const missing = taken.filter((name) => !tried.includes(name));
  assert.deepEqual(missing, [], `without a case across accounts: ${missing.join(', ')}`);
  assert.deepEqual(
    tried.filter((name) => !taken.includes(name)),
    [],
  );
});

for (const [name, [kind, document]] of Object.entries(CASES)) {
  test(`${name}: one of another account is like one that does not exist`, async () => {
    const before = await other.get('/operator?limit=100');
    await assertSame(document, kind, Object.values(world.viewers));
    assert.deepEqual((await other.get('/operator?limit=100')).body, before.body);
  });
}

/** What the filters on identifiers name; those on texts name the texts of the other account. */
const FILTERED: Record<string, Kind> = {
  'OperatorFilter.id': 'operator',
  'OperatorFilter.groupId': 'group',
  'OperatorFilter.websiteId': 'website',
  'OperatorFilter.websiteIds': 'website',
  'OperatorFilter.skillId': 'skill',
  'GroupFilter.id': 'group',
  'GroupFilter.parentId': 'group',
  'SkillFilter.id': 'skill',
  'SkillFilter.parentId': 'skill',
  'SkillFilter.operatorId': 'operator',
  'WebsiteFilter.id': 'website',
  'ConversationFilter.id': 'conversation',
  'ConversationFilter.websiteId': 'website',
  'ConversationFilter.operatorId': 'operator',
  'ConversationFilter.visitorId': 'visitor',
  'ConversationFilter.skillId': 'skill',
  'ConversationFilter.groupId': 'group',
  'ConversationFilter.tagId': 'tag',
  'TagFilter.id': 'tag',
  'TagFilter.websiteId': 'website',
  'VisitorFilter.id': 'visitor',
  'VisitorFilter.websiteId': 'website',
  'SatisfactionFilter.id': 'satisfaction',
  'SatisfactionFilter.websiteId': 'website',
  'SatisfactionFilter.operatorId': 'operator',
  'SatisfactionFilter.conversationId': 'conversation',
  'StatisticsFilter.websiteIds': 'website',
  'StatisticsFilter.skillId': 'skill',
  'StatisticsFilter.groupId': 'group',
  'StatisticsFilter.operatorId': 'operator',
};
const TEXTS: Record<string, string> = {
  'OperatorFilter.name': MARK,
  'OperatorFilter.externalId': 'foreign*',
  'OperatorFilter.email': 'other@example.com',
  'GroupFilter.name': MARK,
  'SkillFilter.name': MARK,
  'WebsiteFilter.label': MARK,
  'WebsiteFilter.url': 'https://foreign.example.com',
  'TagFilter.name': `${MARK}*`,
  'VisitorFilter.uniqueId': `${MARK}*`,
  'VisitorFilter.externalId': `${MARK}*`,
};

test('filters find nothing of another account', async () => {
  const untouched = [
    'connected',
    'available',
    'routable',
    'role',
    'language',
    'channel',
    'state',
    'waiting',
    'from',
    'to',
  ];
  for (const key of FILTERS.keys()) {
    const [type = '', name = ''] = key.split('.');
    if (untouched.includes(name) || type === 'EventFilter') continue; // these name nothing; the lists below are looked at as a whole
    const list = `${type.replace('Filter', '').toLowerCase()}s`;
    const kind = FILTERED[key];
    const text = TEXTS[key];
    assert.ok(kind || text, `no case across accounts for the filter ${key}`);
    if (type === 'StatisticsFilter') {
      await assertSame(
        (value) => `{ statistics(filter: { ${name}: "${value}" }) { conversationNumber } }`,
        kind as Kind,
      );
      continue;
    }
    const document = (value: string) => `{ ${list}(filter: { ${name}: "${value}" }) { totalCount nodes { id } } }`;
    if (kind) await assertSame(document, kind);
    const answer = await admin.run(document(text ?? foreign[kind as Kind]));
    assert.deepEqual(answer.data[list], { totalCount: 0, nodes: [] }, key);
  }
});

test('nothing of another account shows up in a list', async () => {
  const lists = ['Operator', 'Group', 'Skill', 'Website', 'Tag', 'Visitor', 'Satisfaction', 'Conversation'].map(
    (type) =>
      `${type.toLowerCase()}s(first: 100) { totalCount nodes { ${everyField(type, (field) => (field === 'messages' ? '(first: 5)' : ''))} } }`,
  );
  const answer = await admin.run(
    `{ apiKeys { ${everyField('ApiKey')} } webhooks { ${everyField('Webhook')} } ${lists.join(' ')} }`,
  );
  assert.deepEqual(answer.errors, []);
  assert.doesNotMatch(JSON.stringify(answer.data), /foreign/i);
  for (const list of [
    'operators',
    'groups',
    'skills',
    'websites',
    'tags',
    'visitors',
    'satisfactions',
    'conversations',
  ]) {
    assert.equal(answer.data[list].totalCount, answer.data[list].nodes.length);
  }
});

test('nothing of another account reaches a subscription, and its skills cannot be watched', async () => {
  const url = `${world.switchboard.url.replace('http', 'ws')}/graphql`;
  const socket = createClient({ url, connectionParams: { token: admin.token } });
  const refusal = async (id: string, field = 'skillAvailability', inner = 'chat { isAvailable }') => {
    const query = `subscription { ${field}(id: ${id}) { ${inner} } }`;
    const { value } = await socket
      .iterate({ query })
      .next()
      .catch((errors) => ({ value: { errors } }));
    return value.errors.map((error: { message: string; extensions: object }) => ({
      message: error.message.replace(id, '#'),
      extensions: error.extensions,
    }));
  };
  assert.deepEqual(await refusal(foreign.skill), await refusal(NOBODY));
  const conversation = ['conversationEvents', 'type'] as const;
  assert.deepEqual(await refusal(foreign.conversation, ...conversation), await refusal(NOBODY, ...conversation));

  const seen = socket.iterate<{ operatorLive: { id: string } }>({ query: 'subscription { operatorLive { id } }' });
  const first = seen.next();
  const own = ownOperator();
  let isSeen = false;
  first.then(() => {
    isSeen = true;
  });
  let available = false;
  await until('a change is seen', async () => {
    available = !available;
    await other.put(`/operator/${foreign.operator}/live`, { chat: { available } });
    await world.rest.put(`/operator/${own}/live`, { chat: { available } });
    return isSeen;
  });
  assert.equal((await first).value?.data?.operatorLive.id, own);
  await socket.dispose();
});
