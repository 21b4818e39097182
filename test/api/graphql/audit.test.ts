import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { schema } from '../../../src/api/graphql/schema.ts';
import { computeTotp, toTotpStep } from '../../../src/core/access/two-factor/totp.ts';
import { insertMessageLeft } from '../../../src/core/engine/records/message-left-store.ts';
import { graphqlClient } from '../../support/clients/graphql.ts';
import { restClient } from '../../support/clients/rest.ts';
import { type DeskOperator, type Desks, startDesks } from '../../support/fixtures/desks.ts';
import { runCommand, testEnvironment } from '../../support/processes/switchboard.ts';

let desks: Desks;
let admin: DeskOperator;
before(async () => {
  desks = await startDesks({ SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.1', SWITCHBOARD_WEBHOOK_PRIVATE: '1' });
  admin = await desks.createOperator({ roles: ['admin'], name: 'Auditor', firstName: 'Ada', chatEnabled: false });
});
after(() => desks.stop());

const EVENTS = `query($after:ID,$first:Int,$last:Int,$before:ID,$filter:EventFilter){
  events(after:$after,first:$first,last:$last,before:$before,filter:$filter){
    nodes{position type at fields values subject{type id} actor{type id name via address}}
    pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}`;

interface AuditEvent {
  readonly position: string;
  readonly type: string;
  readonly at: string;
  readonly fields: string[];
  readonly values: Record<string, unknown>;
  readonly subject: { type: string; id: string };
  readonly actor: { type: string; id: string | null; name: string | null; via: string | null; address: string | null };
}

async function readEvents(variables: object = {}): Promise<{ nodes: AuditEvent[]; pageInfo: Record<string, unknown> }> {
  const { data, errors } = await admin.run(EVENTS, { first: 'last' in variables ? undefined : 100, ...variables });
  assert.deepEqual(errors, []);
  return data.events;
}

/** A change, and the event that the log must have for it. */
interface Case {
  readonly input: object;
  readonly type: string;
  readonly subject: string;
  readonly fields?: readonly string[];
  /** Makes the change; defaults to the admin. */
  readonly actingOperator?: DeskOperator;
}

let nameCount = 0;
const uniqueName = (kind: string) => {
  nameCount += 1;
  return `${kind} ${nameCount}`;
};

const password = 'a long enough password';
const createOperator = (fields: object = {}) => desks.createOperator({ skillList: [], ...fields });

/** An operator with a separate skill, and a conversation that is offered to them. */
async function startOffered(fields: object = {}) {
  const skillId = await desks.fixture.createSkill();
  const operator = await desks.createOperator(
    { skillList: [skillId], chatToVideo: true, videoEnabled: true, ...fields },
    { connected: true },
  );
  const conversation = await desks.fixture.startConversation({ skillId });
  assert.equal(conversation.operatorId, operator.id);
  return { skillId, operator, conversation, id: String(conversation.id) };
}

async function startActive() {
  const offer = await startOffered();
  await desks.fixture.accept(offer.conversation);
  return offer;
}

let messageCount = 0;
async function leaveMessage() {
  messageCount += 1;
  const { accountId, websiteId } = desks.fixture;
  const visitor = await desks.fixture.createVisitor();
  await desks.fixture.transact((tx) =>
    insertMessageLeft(tx, visitor, {
      ...{ accountId, id: messageCount, websiteId, visitorId: visitor.visitorId, name: 'A name that no log may have' },
      ...{ email: 'a@example.com', text: 'a text that no log may have', page: '', createdAt: tx.now },
      ...{ operatorId: null, doneAt: null, doneBy: null },
    }),
  );
  return { id: String(messageCount), subject: `message_left:${messageCount}` };
}

async function createSession(operatorId: number): Promise<number> {
  const { accountId, installation, transact } = desks.fixture;
  const { database, tokens } = installation;
  const owner = { accountId, operatorId };
  await transact((tx) => tokens.issue(tx, owner, { kind: 'password', use: 'session' }));
  const row = await database.read
    .selectFrom('accessTokens')
    .select('id')
    .where('isSession', '=', 1)
    .where('operatorId', '=', operatorId)
    .executeTakeFirstOrThrow();
  return row.id ?? 0;
}

const twoFactorEvent = ({ id }: { readonly id: number }, field: string) => ({
  type: 'operator.updated',
  subject: `operator:${id}`,
  fields: [field],
});

async function startTwoFactor() {
  const operator = await createOperator({ password });
  const { data } = await operator.run(`mutation{twoFactorStart(input:{currentPassword:"${password}"}){secret}}`);
  const { secret } = data.twoFactorStart;
  const codeOf = (offset: number) => computeTotp(secret, toTotpStep(desks.fixture.installation.clock.now) + offset);
  return { operator, codeOf };
}

async function setUpTwoFactor() {
  const started = await startTwoFactor();
  await started.operator.run(`mutation{twoFactorConfirm(input:{code:"${started.codeOf(0)}"}){userErrors{code}}}`);
  return started;
}

/** Runs a create mutation and returns the new id. */
async function createByMutation(name: string, input: object): Promise<string> {
  const field = name.replace(/Create$/, '');
  const { data, errors } = await admin.run(`${mutationHead(name)} { ${name}(input: $input) { ${field} { id } } }`, {
    input,
  });
  assert.deepEqual(errors, []);
  return data[name][field].id;
}
const createCannedReply = () =>
  createByMutation('cannedReplyCreate', {
    scope: 'ACCOUNT',
    shortcut: uniqueName('reply').replace(' ', '-'),
    text: 'Good day',
  });
const createWebhook = () =>
  createByMutation('webhookCreate', {
    name: uniqueName('hook'),
    url: 'http://127.0.0.1:9/',
    eventTypes: ['tag.created'],
  });

const insertDeadDelivery = (webhookId: number) =>
  desks.fixture.transact(async ({ db, now }) => {
    const subject = { subjectType: 'tag', subjectId: 1, type: 'tag.created', position: 1, body: '{}' };
    await db
      .insertInto('webhookDeliveries')
      .values({
        ...{ accountId: desks.fixture.accountId, id: 999_000 + webhookId, webhookId, ...subject },
        ...{ state: 'dead', attempts: 1, createdAt: now, endedAt: now },
      })
      .execute();
  });

const mutationHead = (name: string) => {
  const field = schema.getMutationType()?.getFields()[name];
  return `mutation($input: ${String(field?.args[0]?.type)})`;
};

const CASES: Record<string, () => Promise<Case> | Case> = {
  accountUpdate: () => ({
    input: { offerSeconds: 31 },
    type: 'account.updated',
    subject: `account:${desks.fixture.accountId}`,
    fields: ['offerSeconds'],
  }),
  apiKeyCreate: () => ({
    input: { name: uniqueName('key'), access: 'READ' },
    type: 'api_key.created',
    subject: 'api_key:*',
  }),
  apiKeyRevoke: async () => {
    const id = await createByMutation('apiKeyCreate', { name: uniqueName('key'), access: 'READ' });
    return { input: { id }, type: 'api_key.deleted', subject: `api_key:${id}` };
  },
  cannedReplyCreate: () => ({
    input: { scope: 'ACCOUNT', shortcut: 'a-shortcut-that-no-log-may-have', text: 'a text that no log may have' },
    type: 'canned_reply.created',
    subject: 'canned_reply:*',
    fields: ['shortcut', 'text'],
  }),
  cannedReplyUpdate: async () => {
    const id = await createCannedReply();
    return {
      input: { id, text: 'again: a text that no log may have' },
      type: 'canned_reply.updated',
      subject: `canned_reply:${id}`,
      fields: ['text'],
    };
  },
  cannedReplyDelete: async () => {
    const id = await createCannedReply();
    return { input: { id }, type: 'canned_reply.deleted', subject: `canned_reply:${id}` };
  },
  cannedRepliesImport: () => ({
    input: { scope: 'ACCOUNT', replies: [{ shortcut: uniqueName('import').replace(' ', '-'), text: 'Good day' }] },
    type: 'canned_reply.created',
    subject: 'canned_reply:*',
    fields: ['shortcut', 'text'],
  }),
  conversationClose: async () => {
    const { id, operator } = await startActive();
    return { input: { id }, type: 'conversation.closed', subject: `conversation:${id}`, actingOperator: operator };
  },
  conversationEscalate: async () => {
    const { id, operator } = await startActive();
    return { input: { id }, type: 'conversation.started', subject: 'conversation:*', actingOperator: operator };
  },
  conversationTag: async () => {
    const { id, operator } = await startActive();
    const tag = await createByMutation('tagCreate', { name: uniqueName('tag') });
    return {
      input: { id, tagIds: [tag] },
      type: 'conversation.updated',
      subject: `conversation:${id}`,
      actingOperator: operator,
    };
  },
  conversationTake: async () => {
    const { id } = await startActive();
    const { operator } = await startOffered();
    return {
      input: { id, operatorId: operator.id, force: true },
      type: 'conversation.transferred',
      subject: `conversation:${id}`,
    };
  },
  conversationTransfer: async () => {
    const { id, operator } = await startActive();
    const other = await startOffered();
    return {
      input: { id, operatorId: other.operator.id },
      type: 'conversation.transferred',
      subject: `conversation:${id}`,
      actingOperator: operator,
    };
  },
  groupCreate: () => ({
    input: { name: uniqueName('group') },
    type: 'group.created',
    subject: 'group:*',
    fields: ['name'],
  }),
  groupUpdate: async () => {
    const id = await createByMutation('groupCreate', { name: uniqueName('group') });
    return {
      input: { id, name: uniqueName('group') },
      type: 'group.updated',
      subject: `group:${id}`,
      fields: ['name'],
    };
  },
  groupDelete: async () => {
    const id = await createByMutation('groupCreate', { name: uniqueName('group') });
    return { input: { id }, type: 'group.deleted', subject: `group:${id}` };
  },
  messageSend: async () => {
    const { id, operator } = await startActive();
    return {
      input: { conversationId: id, clientId: 'one', text: 'a text that no log may have' },
      type: 'message.created',
      subject: `conversation:${id}`,
      actingOperator: operator,
    };
  },
  noteAdd: async () => {
    const { id, operator } = await startActive();
    return {
      input: { conversationId: id, clientId: 'one', text: 'a text that no log may have' },
      type: 'note.created',
      subject: `conversation:${id}`,
      fields: ['notes'],
      actingOperator: operator,
    };
  },
  offerAccept: async () => {
    const { id, operator } = await startOffered();
    return {
      input: { conversationId: id },
      type: 'conversation.started',
      subject: `conversation:${id}`,
      actingOperator: operator,
    };
  },
  offerDecline: async () => {
    const { id, operator } = await startOffered();
    return {
      input: { conversationId: id },
      type: 'conversation.queued',
      subject: `conversation:${id}`,
      actingOperator: operator,
    };
  },
  operatorAvailabilityUpdate: async () => {
    const { id } = await createOperator();
    return {
      input: { id, chat: false },
      type: 'operator.availability_updated',
      subject: `operator:${id}`,
      fields: ['chatAvailable'],
    };
  },
  operatorConnect: async () => {
    const operator = await createOperator();
    return {
      input: { ttlSeconds: 100 },
      type: 'operator.connected',
      subject: `operator:${operator.id}`,
      actingOperator: operator,
    };
  },
  operatorCreate: () => ({
    input: {
      name: 'A name that no log may have',
      email: `${uniqueName('mail').replace(' ', '')}@example.com`,
      password,
    },
    type: 'operator.created',
    subject: 'operator:*',
    fields: ['name', 'email', 'roles'],
  }),
  operatorDelete: async () => {
    const { id } = await createOperator();
    return { input: { id }, type: 'operator.deleted', subject: `operator:${id}` };
  },
  operatorDisconnect: async () => {
    const { id } = await desks.createOperator({}, { connected: true });
    return { input: { id }, type: 'operator.disconnected', subject: `operator:${id}` };
  },
  operatorPasswordChange: async () => {
    const { id } = await createOperator();
    return {
      input: { id, newPassword: password },
      type: 'operator.updated',
      subject: `operator:${id}`,
      fields: ['password'],
    };
  },
  operatorInvite: async () => {
    const { id } = await createOperator();
    return { input: { id }, type: 'operator.invited', subject: `operator:${id}`, fields: [] };
  },
  preferencesUpdate: async () => {
    const operator = await createOperator();
    return {
      input: { theme: 'DARK' },
      type: 'operator.updated',
      subject: `operator:${operator.id}`,
      fields: ['preferences.theme'],
      actingOperator: operator,
    };
  },
  operatorProfileUpdate: async () => {
    const { id } = await createOperator();
    return {
      input: { id, city: 'Riga' },
      type: 'operator.updated',
      subject: `operator:${id}`,
      fields: ['profile.city'],
    };
  },
  operatorSsoKeyRotate: async () => {
    const { id } = await createOperator();
    return { input: { id }, type: 'operator.updated', subject: `operator:${id}`, fields: ['ssoKey'] };
  },
  twoFactorConfirm: async () => {
    const { operator, codeOf } = await startTwoFactor();
    return { ...twoFactorEvent(operator, 'twoFactor'), input: { code: codeOf(0) }, actingOperator: operator };
  },
  twoFactorDisable: async () => {
    const { operator, codeOf } = await setUpTwoFactor();
    const input = { currentPassword: password, code: codeOf(1) };
    return { ...twoFactorEvent(operator, 'twoFactor'), input, actingOperator: operator };
  },
  recoveryCodesCreate: async () => {
    const { operator, codeOf } = await setUpTwoFactor();
    const input = { currentPassword: password, code: codeOf(1) };
    return { ...twoFactorEvent(operator, 'recoveryCodes'), input, actingOperator: operator };
  },
  twoFactorReset: async () => {
    const { operator } = await setUpTwoFactor();
    return { ...twoFactorEvent(operator, 'twoFactor'), input: { id: operator.id } };
  },
  sessionEnd: async () => {
    const { id: operatorId } = await createOperator();
    const id = await createSession(operatorId);
    return { input: { id, operatorId }, type: 'session.ended', subject: `session:${id}`, fields: [] };
  },
  sessionsEnd: async () => {
    const { id: operatorId } = await createOperator();
    const id = await createSession(operatorId);
    return { input: { operatorId }, type: 'session.ended', subject: `session:${id}`, fields: [] };
  },
  operatorUpdate: async () => {
    const { id } = await createOperator();
    return {
      input: { id, chatMaxNumber: 9, pseudo: uniqueName('pseudo') },
      type: 'operator.updated',
      subject: `operator:${id}`,
      fields: ['pseudo', 'chatMaxNumber'],
    };
  },
  operatorsImport: () => {
    const row = {
      externalId: uniqueName('import'),
      name: 'Imported',
      email: `${uniqueName('import').replace(' ', '')}@example.com`,
    };
    return { input: { rows: [row] }, type: 'operator.created', subject: 'operator:*', fields: ['externalId'] };
  },
  skillCreate: () => ({
    input: { name: uniqueName('skill') },
    type: 'skill.created',
    subject: 'skill:*',
    fields: ['name'],
  }),
  skillUpdate: async () => {
    const id = await desks.fixture.createSkill();
    return { input: { id, order: 7 }, type: 'skill.updated', subject: `skill:${id}`, fields: ['order'] };
  },
  skillDelete: async () => {
    const id = await desks.fixture.createSkill();
    return { input: { id }, type: 'skill.deleted', subject: `skill:${id}` };
  },
  skillOperatorsAdd: async () => {
    const [id, operator] = [await desks.fixture.createSkill(), await createOperator()];
    return {
      input: { id, operatorIds: [operator.id] },
      type: 'operator.updated',
      subject: `operator:${operator.id}`,
      fields: ['skillList'],
    };
  },
  skillOperatorsRemove: async () => {
    const id = await desks.fixture.createSkill();
    const operator = await createOperator({ skillList: [id] });
    return {
      input: { id, operatorIds: [operator.id] },
      type: 'operator.updated',
      subject: `operator:${operator.id}`,
      fields: ['skillList'],
    };
  },
  tagCreate: () => ({ input: { name: uniqueName('tag') }, type: 'tag.created', subject: 'tag:*', fields: ['name'] }),
  tagUpdate: async () => {
    const id = await createByMutation('tagCreate', { name: uniqueName('tag') });
    return { input: { id, name: uniqueName('tag') }, type: 'tag.updated', subject: `tag:${id}`, fields: ['name'] };
  },
  tagDelete: async () => {
    const id = await createByMutation('tagCreate', { name: uniqueName('tag') });
    return { input: { id }, type: 'tag.deleted', subject: `tag:${id}` };
  },
  visitorErase: async () => {
    const { visitorId } = await desks.fixture.createVisitor();
    return { input: { id: visitorId }, type: 'visitor.updated', subject: `visitor:${visitorId}` };
  },
  visitorUpdate: async () => {
    const { visitorId } = await desks.fixture.createVisitor();
    const input = { id: visitorId, email: 'new@example.com' };
    return { input, type: 'visitor.updated', subject: `visitor:${visitorId}`, fields: ['email'] };
  },
  webhookCreate: () => ({
    input: { name: uniqueName('hook'), url: 'http://127.0.0.1:9/', eventTypes: ['tag.created'] },
    type: 'webhook.created',
    subject: 'webhook:*',
  }),
  webhookUpdate: async () => {
    const id = await createWebhook();
    return {
      input: { id, name: uniqueName('hook') },
      type: 'webhook.updated',
      subject: `webhook:${id}`,
      fields: ['name'],
    };
  },
  webhookDelete: async () => {
    const id = await createWebhook();
    return { input: { id }, type: 'webhook.deleted', subject: `webhook:${id}` };
  },
  webhookSecretRotate: async () => {
    const id = await createWebhook();
    return { input: { id }, type: 'webhook.updated', subject: `webhook:${id}` };
  },
  webhookTest: async () => {
    const id = await createWebhook();
    return { input: { id }, type: 'webhook.tested', subject: `webhook:${id}` };
  },
  webhookReplay: async () => {
    const id = await createWebhook();
    await insertDeadDelivery(Number(id));
    return { input: { webhookId: id }, type: 'webhook.updated', subject: `webhook:${id}`, fields: ['deliveries'] };
  },
  websiteCreate: () => ({
    input: { url: 'https://example.com', label: uniqueName('site') },
    type: 'website.created',
    subject: 'website:*',
    fields: ['url', 'label'],
  }),
  websiteUpdate: async () => {
    const id = await desks.fixture.createWebsite();
    return {
      input: { id, label: uniqueName('site') },
      type: 'website.updated',
      subject: `website:${id}`,
      fields: ['label'],
    };
  },
  websiteDelete: async () => {
    const id = await createByMutation('websiteCreate', { url: 'https://example.com', label: uniqueName('site') });
    return { input: { id }, type: 'website.deleted', subject: `website:${id}` };
  },
  messageLeftResolve: async () => {
    const { id, subject } = await leaveMessage();
    return { input: { id }, type: 'message_left.updated', subject, fields: ['doneAt', 'doneBy'] };
  },
  messageLeftReopen: async () => {
    const { id, subject } = await leaveMessage();
    await admin.run('mutation($id:ID!){messageLeftResolve(input:{id:$id}){userErrors{code}}}', { id });
    return { input: { id }, type: 'message_left.updated', subject, fields: ['doneAt', 'doneBy'] };
  },
  messageLeftAssign: async () => {
    const { id, subject } = await leaveMessage();
    const operatorId = await desks.fixture.createOperator();
    return { input: { id, operatorId }, type: 'message_left.updated', subject, fields: ['operatorId'] };
  },
  websiteSecretRotate: async () => {
    const id = await desks.fixture.createWebsite();
    return { input: { id }, type: 'website.updated', subject: `website:${id}` };
  },
};

/**
 * Mutations that the log does not record: read markers are stored outside of it, and typing nowhere (rule 26). A second
 * factor is in use only from its confirmation on.
 */
const UNLOGGED = ['conversationRead', 'typing', 'twoFactorStart'];

const MUTATION_NAMES = Object.keys(schema.getMutationType()?.getFields() ?? {}).filter(
  (name) => !UNLOGGED.includes(name),
);

test('every mutation has a case', () => {
  assert.deepEqual(Object.keys(CASES).sort(), [...MUTATION_NAMES].sort());
});

/** Texts that the log must never contain. */
const SECRETS = [
  password,
  'a text that no log may have',
  'a-shortcut-that-no-log-may-have',
  'A name that no log may have',
  'Riga',
];

for (const [index, name] of MUTATION_NAMES.entries()) {
  test(`rule 20: the log records who ran ${name}, when, from where, and what it changed`, async () => {
    const {
      input,
      type,
      subject,
      fields = [],
      actingOperator = admin,
    } = (await CASES[name]?.()) ?? assert.fail('no case');
    const before = await desks.fixture.readPosition();
    const address = `203.0.113.${index + 1}`;
    const response = await actingOperator.run(
      `${mutationHead(name)} { ${name}(input: $input) { userErrors { message } } }`,
      { input },
      {
        'X-Forwarded-For': address,
      },
    );
    assert.deepEqual([response.errors, response.data?.[name]?.userErrors], [[], []]);
    const { nodes } = await readEvents({ after: String(before) });
    const matching = nodes.filter((event) => event.type === type && event.actor.address === address);
    assert.equal(matching.length, 1, `${type} is not logged exactly once: ${JSON.stringify(nodes)}`);
    const event = matching[0] as AuditEvent;
    assert.match(`${event.subject.type}:${event.subject.id}`, new RegExp(`^${subject.replace('*', '\\d+')}$`));
    const { name: actorName, ...actor } = event.actor;
    assert.deepEqual(actor, { type: 'OPERATOR', id: String(actingOperator.id), via: 'GRAPHQL', address });
    if (actingOperator === admin) assert.equal(actorName, 'Ada Auditor');
    else assert.match(actorName ?? '', /^Operator \d+$/);
    assert.equal(event.at, new Date(desks.fixture.installation.clock.now).toISOString());
    for (const field of fields) assert.ok(event.fields.includes(field), `${field} is not among ${event.fields}`);
    // Every follow-up event has the same actor, or the service as its actor.
    for (const other of nodes) assert.ok(other.actor.address === address || other.actor.type === 'SYSTEM');
    for (const secret of SECRETS)
      assert.equal(JSON.stringify(nodes.map(({ values }) => values)).includes(secret), false);
  });
}

test('changes over a socket, REST and the command line record their origin and address', async () => {
  const { installation } = desks.fixture;
  const { apiKeys, caller, database } = installation;
  const { key, secret } = await database.transaction((tx) =>
    apiKeys.create(tx, caller, { name: 'CRM', access: 'write', expiresAt: null }),
  );
  const before = await desks.fixture.readPosition();
  const socket = admin.connect();
  await socket.run('mutation{skillCreate(input:{name:"by a socket"}){skill{id}}}');
  await restClient(desks.url, secret).post('/skill', { name: 'by REST' }, { 'X-Forwarded-For': '198.51.100.9' });
  const command = ['key', 'create', '--name', 'by the command line', '--access', 'read'];
  const { DATABASE_URL } = installation.config;
  const { code, stderr } = await runCommand(command, testEnvironment('', { DATABASE_URL }));
  assert.equal(code, 0, stderr);
  const { nodes } = await readEvents({ after: String(before) });
  assert.deepEqual(
    nodes.map(({ type, actor }) => [type, actor]),
    [
      [
        'skill.created',
        { type: 'OPERATOR', id: String(admin.id), name: 'Ada Auditor', via: 'GRAPHQL', address: '127.0.0.1' },
      ],
      ['skill.created', { type: 'API_KEY', id: String(key.id), name: 'CRM', via: 'REST', address: '198.51.100.9' }],
      ['api_key.created', { type: 'COMMAND_LINE', id: null, name: null, via: 'COMMAND_LINE', address: null }],
    ],
  );
});

test('the actor name of a deleted operator is null', async () => {
  const operator = await createOperator();
  const before = await desks.fixture.readPosition();
  await operator.run('mutation{operatorProfileUpdate(input:{status:"x"}){userErrors{code}}}');
  await admin.run('mutation($id:ID!){operatorDelete(input:{id:$id}){userErrors{code}}}', { id: operator.id });
  const [event] = (await readEvents({ after: String(before) })).nodes;
  assert.deepEqual([event?.actor.id, event?.actor.name], [String(operator.id), null]);
});

test('pages of the log are in order and without gaps, from the start and from the end', async () => {
  await Promise.all(
    Array.from({ length: 30 }, () => admin.run(`mutation{skillCreate(input:{name:"${uniqueName('s')}"}){skill{id}}}`)),
  );
  const newest = await desks.fixture.readPosition();
  const positions: number[] = [];
  for (let after: string | undefined, hasMore = true; hasMore; ) {
    const { nodes, pageInfo } = await readEvents({ first: 7, ...(after ? { after } : {}) });
    positions.push(...nodes.map(({ position }) => Number(position)));
    assert.equal(pageInfo.startCursor, nodes[0]?.position);
    assert.equal(pageInfo.endCursor, nodes.at(-1)?.position);
    assert.equal(pageInfo.hasPreviousPage, after !== undefined);
    after = String(pageInfo.endCursor);
    hasMore = pageInfo.hasNextPage === true;
  }
  assert.deepEqual(
    positions,
    Array.from({ length: newest }, (_, index) => index + 1),
  );
  const last = await readEvents({ last: 3 });
  assert.deepEqual(
    last.nodes.map(({ position }) => Number(position)),
    [newest - 2, newest - 1, newest],
  );
  assert.deepEqual([last.pageInfo.hasNextPage, last.pageInfo.hasPreviousPage], [false, true]);
  const earlier = await readEvents({ last: 2, before: last.pageInfo.startCursor });
  assert.deepEqual(
    earlier.nodes.map(({ position }) => Number(position)),
    [newest - 4, newest - 3],
  );
  const end = await readEvents({ after: String(newest) });
  assert.deepEqual([end.nodes, end.pageInfo.endCursor, end.pageInfo.hasNextPage], [[], null, false]);
});

test('filters select events, alone and combined', async () => {
  const { clock } = desks.fixture.installation;
  const before = await desks.fixture.readPosition();
  const operator = await createOperator();
  clock.advance(60_000);
  const from = clock.now;
  await operator.run('mutation{operatorProfileUpdate(input:{status:"y"}){userErrors{code}}}');
  clock.advance(60_000);
  await admin.run('mutation($id:ID!){operatorProfileUpdate(input:{id:$id,city:"z"}){userErrors{code}}}', {
    id: operator.id,
  });
  const typesOf = async (filter: object) =>
    (await readEvents({ after: String(before), filter })).nodes.map(({ type, at, actor }) => [
      type,
      (Date.parse(at) - from) / 60_000,
      actor.type,
    ]);
  const subject = { subjectType: 'operator', subjectId: String(operator.id) };
  const [ownChange, adminChange] = [
    ['operator.updated', 0, 'OPERATOR'],
    ['operator.updated', 1, 'OPERATOR'],
  ];
  assert.deepEqual(await typesOf({ ...subject, types: ['operator.updated'] }), [ownChange, adminChange]);
  assert.deepEqual(await typesOf({ types: ['operator.updated'], actorType: 'OPERATOR' }), [ownChange, adminChange]);
  assert.deepEqual(await typesOf({ types: ['operator.updated'], actorType: 'SYSTEM' }), []);
  assert.deepEqual(await typesOf({ types: ['operator.updated'], actorId: operator.id }), [ownChange]);
  assert.deepEqual(await typesOf({ ...subject, from: new Date(from + 1) }), [adminChange]);
  assert.deepEqual(await typesOf({ ...subject, from: new Date(from), to: new Date(from + 60_000) }), [ownChange]);
  assert.deepEqual(
    (await typesOf({ ...subject, types: ['operator.created'] })).map(([type]) => type),
    ['operator.created'],
  );
  assert.deepEqual(await typesOf({ subjectType: 'nothing' }), []);
  assert.deepEqual(await typesOf({ subjectId: 'x' }), []);
  assert.deepEqual(await typesOf({ types: [] }), []);
});

test('invalid arguments are rejected with a message', async () => {
  const future = (await desks.fixture.readPosition()) + 1_000_000; // the scheduler runs concurrently, and the log grows
  const rejectionOf = async (variables: object) => {
    const { data, errors } = await admin.run(EVENTS, variables);
    assert.equal(data.events, null);
    assert.equal(errors[0]?.extensions.code, 'BAD_REQUEST');
    return errors[0]?.message;
  };
  assert.match((await rejectionOf({ after: String(future) })) ?? '', /does not exist yet/);
  assert.match((await rejectionOf({ after: '-1' })) ?? '', /after must be a position/);
  assert.match((await rejectionOf({ after: 'x' })) ?? '', /after must be a position/);
  assert.match((await rejectionOf({ first: 101 })) ?? '', /between 0 and 100/);
  assert.match(
    (await rejectionOf({ filter: { types: Array(51).fill('x.y') } })) ?? '',
    /types must have at most 50 event types/,
  );
  await desks.fixture.transact((tx) => tx.db.deleteFrom('events').where('position', '<=', 5).execute());
  assert.match((await rejectionOf({ after: '4' })) ?? '', /is too old: read again/);
  assert.equal((await readEvents({ after: '5', first: 1 })).nodes[0]?.position, '6');
  assert.equal((await readEvents({ first: 1 })).nodes[0]?.position, '6');
});

test('only admins read the log, and only that of their account', async () => {
  for (const roles of [['manager'], ['operator'], ['expert']] as const) {
    const operator = await createOperator({ roles: [...roles] });
    const { data, errors } = await operator.run('{ events { nodes { position } } }');
    assert.equal(data.events, null);
    assert.equal(errors[0]?.extensions.code, 'FORBIDDEN');
  }
  const { createAccount } = await import('../../../src/core/administration/account-creation.ts');
  const { installation } = desks.fixture;
  const other = await createAccount(installation, { name: 'Other', admin: { email: 'o@example.com', password } });
  const owner = { accountId: other?.accountId ?? 0, operatorId: 1 };
  const token = await desks.fixture.transact((tx) => installation.tokens.issue(tx, owner, { kind: 'password' }));
  const { data } = await graphqlClient(desks.url, token).run(
    '{ events(first: 100) { nodes { type actor { type } } } }',
  );
  assert.deepEqual(
    data.events.nodes.map((event: AuditEvent) => event.type),
    ['account.created', 'operator.created', 'api_key.created'],
  );
});
