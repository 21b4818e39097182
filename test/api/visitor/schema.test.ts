import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import {
  buildSchema,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { serverAudits } from 'graphql-http';
import { visitorSchema } from '../../../src/api/visitor/schema.ts';
import { openSite, type Site, type SiteVisitor } from '../../support/fixtures/site.ts';

const types = Object.values(visitorSchema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);
const fieldsOf = (name: string) => {
  const type = visitorSchema.getType(name);
  return isObjectType(type) || isInputObjectType(type) ? Object.keys(type.getFields()) : [];
};

test('rule 17: the visitor schema has exactly these types', () => {
  assert.deepEqual(types.map(({ name }) => name).sort(), [
    ...['Attachment', 'Availability', 'Channel', 'ChannelAvailability', 'CloseReason', 'ClosedBy', 'Conversation'],
    ...[
      'ConversationCloseInput',
      'ConversationClosePayload',
      'ConversationConnection',
      'ConversationEdge',
      'ConversationEvent',
      'ConversationReadInput',
      'ConversationReadPayload',
      'ConversationStartInput',
    ],
    ...['ConversationStartPayload', 'ConversationState', 'DateTime', 'Message', 'MessageAuthor', 'MessageLeaveInput'],
    ...['MessageLeavePayload', 'MessageLeft', 'MessageSendInput'],
    ...[
      'MessageSendPayload',
      'Mutation',
      'Notice',
      'NoticeParameter',
      'Operator',
      'PageInfo',
      'Query',
      'Satisfaction',
      'SatisfactionAnswerInput',
    ],
    ...['SatisfactionAnswerPayload', 'Signal', 'SignalAuthor', 'SignalKind', 'Subscription', 'TypingInput'],
    ...['TypingPayload', 'UserError', 'UserErrorCode', 'UserErrorParameter', 'Visitor'],
    ...['VisitorContextInput', 'VisitorContextPayload', 'VisitorFieldInput'],
    ...['VisitorIdentifyInput', 'VisitorIdentifyPayload'],
    ...['VisitorUpdateInput', 'VisitorUpdatePayload'],
  ]);
  assert.deepEqual(fieldsOf('Operator'), ['pseudo']);
  assert.deepEqual(fieldsOf('ChannelAvailability'), ['isAvailable', 'waiting']);
});

test('the fields that widgets rely on exist', () => {
  for (const [type, names] of Object.entries({
    Query: 'visitor conversation conversations availability eventPosition',
    Mutation:
      'conversationStart messageSend conversationClose satisfactionAnswer visitorUpdate conversationRead visitorContext visitorIdentify typing messageLeave',
    Subscription: 'conversationEvents signals',
    Signal: 'kind conversationId author operator upTo at',
    Conversation: 'id state channel operator queuePosition messages readByVisitorUpTo readByOperatorUpTo unreadCount',
    Message: 'sequence clientId author text at operator attachments',
    Attachment: 'id name size kind isImage width height url expiresAt',
    ConversationEvent: 'position type at conversation message',
    ConversationStartInput: 'channel skillId groupId language message clientId',
    MessageSendInput: 'conversationId clientId text attachmentIds',
    SatisfactionAnswerInput: 'conversationId welcome resolution delay comment',
    Availability: 'chat call video',
  })) {
    assert.deepEqual(
      names.split(' ').filter((name) => !fieldsOf(type).includes(name)),
      [],
      type,
    );
  }
});

test('everything has a description', () => {
  for (const type of types) {
    assert.ok(type.description, type.name);
    if (isEnumType(type)) for (const value of type.getValues()) assert.ok(value.description, value.name);
    if (!isObjectType(type) && !isInputObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      assert.ok(field.description, `${type.name}.${field.name}`);
      for (const argument of 'args' in field ? field.args : [])
        assert.ok(argument.description, `${field.name}.${argument.name}`);
    }
  }
});

test('the printed schema is up to date, and can be parsed', () => {
  const printed = readFileSync(new URL('../../../docs/api/visitor-schema.graphql', import.meta.url), 'utf8');
  assert.ok(printed === `${printSchema(lexicographicSortSchema(visitorSchema))}\n`, 'run `npm run generate`');
  assert.equal(printSchema(lexicographicSortSchema(buildSchema(printed))), printed.trimEnd());
});

let site: Site;
let visitor: SiteVisitor;
before(async () => {
  site = await openSite();
  visitor = await site.createVisitor();
});
after(() => site.stop());

test('passes the whole reference audit of GraphQL over HTTP', async () => {
  const audits = serverAudits({
    url: `${site.url}/visitor/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) =>
      fetch(url, {
        ...init,
        headers: { ...Object.fromEntries(new Headers(init.headers)), authorization: `Bearer ${visitor.token}` },
      }),
  });
  assert.equal(audits.length, 61);
  for (const audit of audits) {
    const result = await audit.fn();
    assert.equal(result.status, 'ok', `${audit.name} ${'reason' in result ? result.reason : ''}`);
  }
});

test('queries are allowed by GET, mutations are not', async () => {
  const get = (query: string) =>
    fetch(`${site.url}/visitor/graphql?query=${encodeURIComponent(query)}`, {
      headers: { Authorization: `Bearer ${visitor.token}` },
    });
  const read = await get('{visitor{uniqueId}}');
  assert.deepEqual(await read.json(), { data: { visitor: { uniqueId: visitor.visitorId } } });
  assert.equal(read.headers.get('cache-control'), 'no-store');
  assert.equal((await get('mutation{conversationStart(input:{channel:CHAT}){userErrors{code}}}')).status, 405);
});

test("visitors' documents have the same limits as operators' documents", async () => {
  const code = async (query: string) => (await visitor.run(query)).errors[0]?.extensions.code;
  assert.equal(await code(`{${'a:'.repeat(1)}${' '.repeat(50_001)}__typename}`), 'TOO_COMPLEX');
  assert.equal(await code('{conversations(first:100){nodes{messages(first:1000){text}}}}'), 'TOO_COMPLEX');
  assert.equal(
    await code(`{${Array.from({ length: 31 }, (_, index) => `a${index}:eventPosition`).join(' ')}}`),
    'TOO_COMPLEX',
  );
  assert.equal(await code('{conversations(first:3){nodes{messages(first:1000){text}}}}'), undefined);
  assert.equal(await code('{conversations(first:101){totalCount}}'), 'BAD_REQUEST');
});
