import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { getNamedType, isInputObjectType, isObjectType } from 'graphql';
import { createClient } from 'graphql-ws';
import { schema } from '../../../src/api/graphql/schema.ts';
import { type GraphqlCaller, type GraphqlClient, graphqlClient, logIn } from '../../support/clients/graphql.ts';
import type { RestClient } from '../../support/clients/rest.ts';
import { createOperator, createOtherAccount, createResource } from '../../support/fixtures/resources.ts';
import { waitUntil } from '../../support/waiting/wait.ts';
import { createCannedReply } from './permission-cases.ts';
import {
  insertHistory,
  insertWebhook,
  openPermissionFixture,
  type PermissionFixture,
  selectAllFields,
  type TestOperator,
} from './permission-operators.ts';
import { FILTERS, KEY_VIEWERS } from './permission-table.ts';

/** Ids start from 1 in each account, so the other account gets more of each resource. */
const RESOURCE_COUNT = 30;
const UNKNOWN_ID = '900001';
const MARKER = 'Foreign';

type Kind =
  | 'operator'
  | 'group'
  | 'skill'
  | 'website'
  | 'apiKey'
  | 'tag'
  | 'visitor'
  | 'satisfaction'
  | 'messageLeft'
  | 'conversation'
  | 'webhook'
  | 'cannedReply';

let fixture: PermissionFixture;
let other: RestClient;
let foreign: Record<Kind, string>;
let admin: TestOperator;
let ownConversation: string;
let ownReply: string;

before(async () => {
  fixture = await openPermissionFixture();
  admin = fixture.viewers.admin;
  ownConversation = await fixture.conversationOf('admin', 'ownGroup');
  ownReply = await createCannedReply(admin, { scope: 'ACCOUNT' });
  other = await createOtherAccount(fixture.switchboard);
  const login = { email: 'other@example.com', password: 'a long enough password' };
  const otherAdmin = graphqlClient(fixture.switchboard.url, await logIn(fixture.switchboard.url, login));
  const last = { operator: 0, group: 0, skill: 0, website: 0, tag: 0 };
  for (let number = 1; number <= RESOURCE_COUNT; number += 1) {
    last.group = await createResource(other, 'group', { name: MARKER });
    last.skill = await createResource(other, 'skill', { name: MARKER });
    last.tag = await createResource(other, 'tag', { name: `${MARKER} ${number}` });
    last.website = await createResource(other, 'website', { url: 'https://foreign.example.com', label: MARKER });
    const fields = { name: MARKER, external_id: `foreign ${number}`, group_id: last.group, skill_list: [last.skill] };
    last.operator = (await createOperator(other, fields)).id;
  }
  const history = { id: 70, operatorId: last.operator, websiteId: last.website, marker: MARKER };
  await insertHistory(fixture.switchboard, { accountId: 2, ...history });
  await insertWebhook(fixture.switchboard, { accountId: 2, ...history });
  foreign = {
    ...toStrings({
      ...last,
      visitor: history.id,
      satisfaction: history.id,
      messageLeft: history.id,
      conversation: history.id,
      webhook: history.id,
    }),
    apiKey: await createApiKeys(otherAdmin),
    cannedReply: await createCannedReplies(otherAdmin),
  };
  assert.equal((await otherAdmin.run('{ viewer { id } }')).data.viewer.id, '1');
});
after(() => fixture.stop());

function toStrings<K extends string>(numbers: Record<K, number>): Record<K, string> {
  return Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, String(value)])) as Record<K, string>;
}

async function createApiKeys(client: GraphqlClient): Promise<string> {
  let id = '';
  for (let number = 0; number < 5; number += 1) {
    const created = await client.run(
      `mutation { apiKeyCreate(input: { name: "${MARKER}", access: READ }) { apiKey { id } } }`,
    );
    id = created.data.apiKeyCreate.apiKey.id;
  }
  return id;
}

async function createCannedReplies(client: GraphqlClient): Promise<string> {
  let id = '';
  for (let number = 0; number < 5; number += 1) {
    const fields = `scope: ACCOUNT, shortcut: "${MARKER}-${number}", text: "${MARKER}"`;
    const created = await client.run(`mutation { cannedReplyCreate(input: { ${fields} }) { cannedReply { id } } }`);
    id = created.data.cannedReplyCreate.cannedReply.id;
  }
  return id;
}

/** Asserts the same response, but for the id, for an object of the other account and for an unknown one. */
async function assertSame(document: (id: string) => string, kind: Kind): Promise<void> {
  for (const viewer of Object.values(fixture.viewers)) {
    const [foreignResponse, unknownResponse] = await Promise.all(
      [foreign[kind], UNKNOWN_ID].map(async (id) => {
        const { status, data, errors } = await viewer.run(document(id));
        return JSON.stringify({
          status,
          data,
          errors: errors.map(({ message, extensions }) => ({ message, extensions })),
        })
          .replaceAll(MARKER, 'FOUND')
          .replace(new RegExp(`\\b${id}\\b`, 'g'), '#');
      }),
    );
    assert.equal(foreignResponse, unknownResponse, document(foreign[kind]));
    assert.doesNotMatch(foreignResponse ?? '', /FOUND|INTERNAL/);
  }
}

/** Every argument and input field of the schema that takes an id. */
function listIdInputs(): string[] {
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

const keys = () => KEY_VIEWERS.map((viewer) => fixture.viewers[viewer]);
const mutation = (name: string, input: string) =>
  `mutation { ${name}(input: { ${input} }) { userErrors { field message code } } }`;
const mutationById = (name: string) => (id: string) => mutation(name, `id: ${id}`);
const ownOperator = () => fixture.target('admin', 'ownGroup');
const preview = (args: string, fields = 'ranked { share } excluded { reason count }') =>
  `{ routingPreview(${args}, channel: CHAT, language: "en") { ${fields} } }`;
const NEW = 'name: "New", email: "new@example.com"';
const ROW = 'externalId: "row", name: "Row", email: "row@example.com"';
const importMutation = (field: string) => `mutation {
  operatorsImport(input: { rows: [{ ${ROW}, ${field} }] }) { report { applied rows { outcome userErrors { field message } } } userErrors { message } }
}`;

/** A document for each of them, and the kind of object that it names. */
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
  'Query.transferTargets(conversationId)': [
    'conversation',
    (id) => `{ transferTargets(conversationId: ${id}) { operators { operator { id } } groups { group { id } } } }`,
  ],
  'Conversation.notes(after)': [
    'conversation',
    (id) => `{ conversation(id: ${ownConversation}) { notes(after: ${id}) { id text } } }`,
  ],
  'RoutingDecision.whyNot(operatorId)': [
    'operator',
    (id) => `{ routingDecisions(conversationId: ${ownConversation}) { whyNot(operatorId: ${id}) } }`,
  ],
  'Query.routingPreview(websiteId)': ['website', (id) => preview(`websiteId: ${id}`)],
  'Query.routingPreview(skillId)': ['skill', (id) => preview(`websiteId: ${fixture.website}, skillId: ${id}`)],
  'Query.routingPreview(groupId)': ['group', (id) => preview(`websiteId: ${fixture.website}, groupId: ${id}`)],
  'RoutingPreview.whyNot(operatorId)': [
    'operator',
    (id) => preview(`websiteId: ${fixture.website}`, `whyNot(operatorId: ${id})`),
  ],
  'Query.liveHistory(operatorId)': [
    'operator',
    (id) => `{ liveHistory(operatorId: ${id}) { totalCount nodes { at } } }`,
  ],
  'Query.liveAt(operatorIds)': [
    'operator',
    (id) => `{ liveAt(time: "2100-01-01", operatorIds: [${id}]) { operator { pseudo } live { connected } } }`,
  ],
  'OfferAcceptInput.conversationId': ['conversation', (id) => mutation('offerAccept', `conversationId: ${id}`)],
  'OfferDeclineInput.conversationId': ['conversation', (id) => mutation('offerDecline', `conversationId: ${id}`)],
  'MessageSendInput.conversationId': [
    'conversation',
    (id) => mutation('messageSend', `conversationId: ${id}, text: "Hello"`),
  ],
  // Identifiers are counted per account and kind, so that of a conversation is also one of an attachment.
  'MessageSendInput.attachmentIds': [
    'conversation',
    (id) => mutation('messageSend', `conversationId: ${ownConversation}, text: "Hello", attachmentIds: [${id}]`),
  ],
  'TypingInput.conversationId': ['conversation', (id) => mutation('typing', `conversationId: ${id}`)],
  'ConversationReadInput.id': ['conversation', (id) => mutation('conversationRead', `id: ${id}, upTo: 1`)],
  'ConversationTransferInput.id': [
    'conversation',
    (id) => mutation('conversationTransfer', `id: ${id}, operatorId: ${ownOperator()}`),
  ],
  'ConversationTransferInput.operatorId': [
    'operator',
    (id) => mutation('conversationTransfer', `id: ${ownConversation}, operatorId: ${id}`),
  ],
  'ConversationTransferInput.skillId': [
    'skill',
    (id) => mutation('conversationTransfer', `id: ${ownConversation}, skillId: ${id}`),
  ],
  'ConversationTransferInput.groupId': [
    'group',
    (id) => mutation('conversationTransfer', `id: ${ownConversation}, groupId: ${id}`),
  ],
  'ConversationEscalateInput.id': ['conversation', mutationById('conversationEscalate')],
  'ConversationTagInput.id': ['conversation', (id) => mutation('conversationTag', `id: ${id}, tagIds: []`)],
  'ConversationTagInput.tagIds': [
    'tag',
    (id) => mutation('conversationTag', `id: ${ownConversation}, tagIds: [${id}]`),
  ],
  'NoteAddInput.conversationId': [
    'conversation',
    (id) => mutation('noteAdd', `conversationId: ${id}, clientId: "note", text: "note"`),
  ],
  'ConversationCloseInput.id': ['conversation', mutationById('conversationClose')],
  'ConversationTakeInput.id': [
    'conversation',
    (id) => mutation('conversationTake', `id: ${id}, operatorId: ${ownOperator()}`),
  ],
  'ConversationTakeInput.operatorId': [
    'operator',
    (id) => mutation('conversationTake', `id: ${ownConversation}, operatorId: ${id}`),
  ],
  'Query.tag(id)': ['tag', (id) => `{ tag(id: ${id}) { name } }`],
  'Query.visitor(id)': ['visitor', (id) => `{ visitor(id: ${id}) { lastname } }`],
  'Query.satisfaction(id)': ['satisfaction', (id) => `{ satisfaction(id: ${id}) { comment } }`],
  'Query.messageLeft(id)': ['messageLeft', (id) => `{ messageLeft(id: ${id}) { text } }`],
  'MessageLeftResolveInput.id': ['messageLeft', mutationById('messageLeftResolve')],
  'MessageLeftReopenInput.id': ['messageLeft', mutationById('messageLeftReopen')],
  'MessageLeftAssignInput.id': ['messageLeft', mutationById('messageLeftAssign')],
  'MessageLeftAssignInput.operatorId': [
    'operator',
    (id) => mutation('messageLeftAssign', `id: ${fixture.messageLeft}, operatorId: ${id}`),
  ],
  'Skill.availability(websiteId)': [
    'website',
    (id) =>
      `{ skill(id: ${fixture.skill}) { availability(websiteId: ${id}) { chat { operatorsConnected waiting } } } }`,
  ],
  'OperatorCreateInput.groupId': ['group', (id) => mutation('operatorCreate', `${NEW}, groupId: ${id}`)],
  'OperatorCreateInput.websiteIds': ['website', (id) => mutation('operatorCreate', `${NEW}, websiteIds: [${id}]`)],
  'OperatorCreateInput.skillIds': ['skill', (id) => mutation('operatorCreate', `${NEW}, skillIds: [${id}]`)],
  'OperatorUpdateInput.id': ['operator', (id) => mutation('operatorUpdate', `id: ${id}, name: "Taken"`)],
  'OperatorUpdateInput.groupId': ['group', (id) => mutation('operatorUpdate', `id: ${ownOperator()}, groupId: ${id}`)],
  'OperatorUpdateInput.websiteIds': [
    'website',
    (id) => mutation('operatorUpdate', `id: ${ownOperator()}, websiteIds: [${id}]`),
  ],
  'OperatorUpdateInput.skillIds': [
    'skill',
    (id) => mutation('operatorUpdate', `id: ${ownOperator()}, skillIds: [${id}]`),
  ],
  'OperatorsImportRowInput.groupId': ['group', (id) => importMutation(`groupId: ${id}`)],
  'OperatorsImportRowInput.websiteIds': ['website', (id) => importMutation(`websiteIds: [${id}]`)],
  'OperatorsImportRowInput.skillIds': ['skill', (id) => importMutation(`skillIds: [${id}]`)],
  'OperatorDeleteInput.id': ['operator', mutationById('operatorDelete')],
  'OperatorDisconnectInput.id': ['operator', mutationById('operatorDisconnect')],
  'OperatorInviteInput.id': ['operator', mutationById('operatorInvite')],
  'OperatorSsoKeyRotateInput.id': ['operator', mutationById('operatorSsoKeyRotate')],
  'SessionEndInput.id': ['operator', (id) => mutation('sessionEnd', `id: ${id}, operatorId: 1`)],
  'SessionEndInput.operatorId': ['operator', (id) => mutation('sessionEnd', `id: 1, operatorId: ${id}`)],
  'SessionsEndInput.operatorId': ['operator', (id) => mutation('sessionsEnd', `operatorId: ${id}`)],
  'TwoFactorResetInput.id': ['operator', mutationById('twoFactorReset')],
  'OperatorAvailabilityUpdateInput.id': [
    'operator',
    (id) => mutation('operatorAvailabilityUpdate', `id: ${id}, chat: true`),
  ],
  'OperatorProfileUpdateInput.id': ['operator', (id) => mutation('operatorProfileUpdate', `id: ${id}, city: "X"`)],
  'OperatorPasswordChangeInput.id': [
    'operator',
    (id) => mutation('operatorPasswordChange', `id: ${id}, newPassword: "taken over by others"`),
  ],
  'GroupCreateInput.parentId': ['group', (id) => mutation('groupCreate', `name: "New", parentId: ${id}`)],
  'GroupUpdateInput.id': ['group', (id) => mutation('groupUpdate', `id: ${id}, name: "Taken"`)],
  'GroupUpdateInput.parentId': [
    'group',
    (id) => mutation('groupUpdate', `id: ${fixture.groups.otherGroup}, parentId: ${id}`),
  ],
  'GroupDeleteInput.id': ['group', mutationById('groupDelete')],
  'SkillCreateInput.parentId': ['skill', (id) => mutation('skillCreate', `name: "New", parentId: ${id}`)],
  'SkillUpdateInput.id': ['skill', (id) => mutation('skillUpdate', `id: ${id}, name: "Taken"`)],
  'SkillUpdateInput.parentId': ['skill', (id) => mutation('skillUpdate', `id: ${fixture.skill}, parentId: ${id}`)],
  'SkillDeleteInput.id': ['skill', mutationById('skillDelete')],
  'SkillOperatorsAddInput.id': ['skill', (id) => mutation('skillOperatorsAdd', `id: ${id}, operatorIds: []`)],
  'SkillOperatorsAddInput.operatorIds': [
    'operator',
    (id) => mutation('skillOperatorsAdd', `id: ${fixture.skill}, operatorIds: [${id}]`),
  ],
  'SkillOperatorsRemoveInput.id': ['skill', (id) => mutation('skillOperatorsRemove', `id: ${id}, operatorIds: []`)],
  'SkillOperatorsRemoveInput.operatorIds': [
    'operator',
    (id) => mutation('skillOperatorsRemove', `id: ${fixture.skill}, operatorIds: [${id}]`),
  ],
  'WebsiteUpdateInput.id': ['website', (id) => mutation('websiteUpdate', `id: ${id}, label: "Taken"`)],
  'WidgetInput.skillId': [
    'skill',
    (id) => mutation('websiteUpdate', `id: ${fixture.website}, widget: { skillId: ${id} }`),
  ],
  'WidgetInput.groupId': [
    'group',
    (id) => mutation('websiteUpdate', `id: ${fixture.website}, widget: { groupId: ${id} }`),
  ],
  'WebsiteDeleteInput.id': ['website', mutationById('websiteDelete')],
  'WebsiteSecretRotateInput.id': ['website', mutationById('websiteSecretRotate')],
  'VisitorUpdateInput.id': ['visitor', (id) => mutation('visitorUpdate', `id: ${id}, lastname: "Taken"`)],
  'VisitorEraseInput.id': ['visitor', mutationById('visitorErase')],
  'TagCreateInput.websiteIds': ['website', (id) => mutation('tagCreate', `name: "New", websiteIds: [${id}]`)],
  'TagUpdateInput.id': ['tag', (id) => mutation('tagUpdate', `id: ${id}, name: "Taken"`)],
  'TagUpdateInput.websiteIds': ['website', (id) => mutation('tagUpdate', `id: ${fixture.tag}, websiteIds: [${id}]`)],
  'TagDeleteInput.id': ['tag', mutationById('tagDelete')],
  'CannedReplyCreateInput.groupId': [
    'group',
    (id) => mutation('cannedReplyCreate', `scope: GROUP, groupId: ${id}, shortcut: "x", text: "X"`),
  ],
  'CannedRepliesImportInput.groupId': [
    'group',
    (id) => mutation('cannedRepliesImport', `scope: GROUP, groupId: ${id}, replies: [{ shortcut: "x", text: "X" }]`),
  ],
  'CannedReplyUpdateInput.id': ['cannedReply', (id) => mutation('cannedReplyUpdate', `id: ${id}, text: "Taken"`)],
  'CannedReplyUpdateInput.groupId': [
    'group',
    (id) => mutation('cannedReplyUpdate', `id: ${ownReply}, scope: GROUP, groupId: ${id}`),
  ],
  'CannedReplyDeleteInput.id': ['cannedReply', mutationById('cannedReplyDelete')],
  'ApiKeyRevokeInput.id': ['apiKey', mutationById('apiKeyRevoke')],
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
  'WebhookUpdateInput.id': ['webhook', (id) => mutation('webhookUpdate', `id: ${id}, name: "Taken"`)],
  'WebhookDeleteInput.id': ['webhook', mutationById('webhookDelete')],
  'WebhookSecretRotateInput.id': ['webhook', mutationById('webhookSecretRotate')],
  'WebhookTestInput.id': ['webhook', mutationById('webhookTest')],
  'WebhookReplayInput.webhookId': ['webhook', (id) => mutation('webhookReplay', `webhookId: ${id}`)],
  'WebhookReplayInput.deliveryId': [
    'webhook',
    (id) => mutation('webhookReplay', `webhookId: ${fixture.webhook}, deliveryId: ${id}`),
  ],
};

/** Ids with a separate test below, and positions in the log of the viewer's account. */
const TESTED_SEPARATELY = [
  'Query.events(after)',
  'Query.events(before)',
  'Subscription.skillAvailability(id)',
  'Subscription.conversationEvents(id)',
  'Subscription.signals(conversationId)',
  'Subscription.conversationEvents(after)',
  'Subscription.deskEvents(after)',
];

test('every id that the schema takes has a case', () => {
  const covered = [...Object.keys(CASES), ...TESTED_SEPARATELY].sort();
  const idInputs = listIdInputs().sort();
  const missing = idInputs.filter((name) => !covered.includes(name));
  assert.deepEqual(missing, [], `without a case across accounts: ${missing.join(', ')}`);
  assert.deepEqual(
    covered.filter((name) => !idInputs.includes(name)),
    [],
  );
});

for (const [name, [kind, document]] of Object.entries(CASES)) {
  test(`${name}: an id of another account is treated like an unknown one`, async () => {
    const before = await other.get('/operator?limit=100');
    await assertSame(document, kind);
    assert.deepEqual((await other.get('/operator?limit=100')).body, before.body);
  });
}

/** The kind of object that each id filter names. */
const FILTER_KINDS: Record<string, Kind> = {
  'MessageLeftFilter.websiteId': 'website',
  'MessageLeftFilter.operatorId': 'operator',
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
/** Texts of the other account for each text filter. */
const FILTER_TEXTS: Record<string, string> = {
  'OperatorFilter.name': MARKER,
  'OperatorFilter.externalId': 'foreign*',
  'OperatorFilter.email': 'other@example.com',
  'GroupFilter.name': MARKER,
  'SkillFilter.name': MARKER,
  'WebsiteFilter.label': MARKER,
  'WebsiteFilter.url': 'https://foreign.example.com',
  'TagFilter.name': `${MARKER}*`,
  'VisitorFilter.uniqueId': `${MARKER}*`,
  'VisitorFilter.externalId': `${MARKER}*`,
};

test('filters find nothing of another account', async () => {
  const withoutObject = [
    'connected',
    'available',
    'routable',
    'role',
    'language',
    'channel',
    'state',
    'waiting',
    'done',
    'from',
    'to',
    'closedFrom',
    'closedTo',
  ];
  for (const key of FILTERS.keys()) {
    const [type = '', name = ''] = key.split('.');
    if (withoutObject.includes(name) || type === 'EventFilter') continue; // these name no object; the next test reads whole lists
    const list = type === 'MessageLeftFilter' ? 'messagesLeft' : `${type.replace('Filter', '').toLowerCase()}s`;
    const kind = FILTER_KINDS[key];
    const text = FILTER_TEXTS[key];
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
    for (const { run } of [admin, ...keys()]) {
      const response = await run(document(text ?? foreign[kind as Kind]));
      assert.deepEqual(response.data[list], { totalCount: 0, nodes: [] }, key);
    }
  }
});

test('lists contain nothing of another account', async () => {
  const lists = ['Operator', 'Group', 'Skill', 'Website', 'Tag', 'Visitor', 'Satisfaction', 'Conversation'].map(
    (type) => ({
      name: `${type.toLowerCase()}s`,
      fields: selectAllFields(type, (field) => (field === 'messages' ? '(first: 5)' : '')),
    }),
  );
  for (const { run } of [admin, ...keys()]) {
    const secrets = new Set<unknown>();
    const read = async (query: string) => {
      const { data, errors } = await run(query);
      for (const { path, message } of errors) secrets.add(path?.at(-1) ?? message);
      assert.ok(data, JSON.stringify(errors));
      assert.doesNotMatch(JSON.stringify(data), /foreign/i);
      return data;
    };
    await read(`{ apiKeys { ${selectAllFields('ApiKey')} } webhooks { ${selectAllFields('Webhook')} } }`);
    for (const { name, fields } of lists) {
      // In pages: a document with all fields may not fetch more rows.
      let after = '';
      let count = 0;
      let total = 0;
      do {
        const page = `first: 20${after && `, after: "${after}"`}`;
        const { list } = await read(
          `{ list: ${name}(${page}) { totalCount pageInfo { endCursor } nodes { ${fields} } } }`,
        );
        after = list.pageInfo.endCursor ?? '';
        count += list.nodes.length;
        total = list.totalCount;
        if (list.nodes.length === 0) break;
      } while (count < total);
      assert.equal(count, total, name);
    }
    const isReadKey = run === fixture.viewers.readKey.run;
    const own = ['preferences']; // of the viewer only
    assert.deepEqual(
      [...secrets].sort(),
      isReadKey ? ['identitySecret', ...own, 'ssoKey', 'visitorSecret'].sort() : own,
    );
  }
});

for (const viewer of ['admin', ...KEY_VIEWERS] as const) {
  test(`subscriptions of ${viewer} send nothing of another account, and reject its skills and conversations`, () =>
    checkSubscriptions(fixture.viewers[viewer]));
}

async function checkSubscriptions({ headers }: GraphqlCaller): Promise<void> {
  const url = `${fixture.switchboard.url.replace('http', 'ws')}/graphql`;
  const socket = createClient({ url, connectionParams: { ...headers } });
  const getRejection = async (id: string, field = 'skillAvailability', inner = 'chat { isAvailable }', by = 'id') => {
    const query = `subscription { ${field}(${by}: ${id}) { ${inner} } }`;
    const { value } = await socket
      .iterate({ query })
      .next()
      .catch((errors) => ({ value: { errors } }));
    return value.errors.map((error: { message: string; extensions: object }) => ({
      message: error.message.replace(id, '#'),
      extensions: error.extensions,
    }));
  };
  assert.deepEqual(await getRejection(foreign.skill), await getRejection(UNKNOWN_ID));
  for (const conversation of [
    ['conversationEvents', 'type', 'id'],
    ['signals', 'kind', 'conversationId'],
  ] as const) {
    assert.deepEqual(
      await getRejection(foreign.conversation, ...conversation),
      await getRejection(UNKNOWN_ID, ...conversation),
    );
  }

  const updates = socket.iterate<{ operatorLive: { id: string } }>({ query: 'subscription { operatorLive { id } }' });
  const first = updates.next();
  const ownId = ownOperator();
  let isSeen = false;
  first.then(() => {
    isSeen = true;
  });
  let available = false;
  await waitUntil('a change arrives', async () => {
    available = !available;
    await other.put(`/operator/${foreign.operator}/live`, { chat: { available } });
    await fixture.rest.put(`/operator/${ownId}/live`, { chat: { available } });
    return isSeen;
  });
  assert.equal((await first).value?.data?.operatorLive.id, ownId);
  await socket.dispose();
}
