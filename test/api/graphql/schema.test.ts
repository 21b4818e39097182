import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  buildSchema,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  introspectionFromSchema,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { buildClientSchema as buildOlderClientSchema } from 'graphql-16-11';
import { fullReadSchema, schema } from '../../../src/api/graphql/schema.ts';
import { visitorSchema } from '../../../src/api/visitor/schema.ts';

const types = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);

interface SchemaPart {
  readonly name: string;
  readonly description?: string | null | undefined;
}

/** Every named part of a type, with its path. */
function* partsOf(type: GraphQLNamedType): Generator<[path: string, part: SchemaPart]> {
  yield [type.name, type];
  if (isEnumType(type)) for (const value of type.getValues()) yield [`${type.name}.${value.name}`, value];
  if (isInputObjectType(type)) {
    for (const field of Object.values(type.getFields())) yield [`${type.name}.${field.name}`, field];
  }
  if (!isObjectType(type)) return;
  for (const field of Object.values(type.getFields())) {
    yield [`${type.name}.${field.name}`, field];
    for (const argument of field.args) yield [`${type.name}.${field.name}(${argument.name})`, argument];
  }
}

test('every type, field, argument and value has a description', () => {
  const undocumented = types.flatMap((type) => [...partsOf(type)]).filter(([, part]) => !part.description?.trim());
  assert.deepEqual(
    undocumented.map(([path]) => path),
    [],
  );
});

test('names follow the conventions', () => {
  for (const type of types) {
    assert.match(type.name, /^[A-Z][A-Za-z]*$/);
    for (const [path, { name }] of [...partsOf(type)].slice(1)) {
      assert.match(name, isEnumType(type) ? /^[A-Z]+(_[A-Z]+)*$/ : /^[a-z][a-zA-Z]*$/, path);
    }
  }
});

const fieldsOf = (type: GraphQLObjectType | null | undefined) => Object.values(type?.getFields() ?? {});

test('a mutation is named object-verb, takes one input, and returns the object and user errors', () => {
  for (const { name, args, type } of fieldsOf(schema.getMutationType())) {
    const typeName = `${name[0]?.toUpperCase()}${name.slice(1)}`;
    assert.match(
      name,
      /(Create|Update|Delete|Connect|Disconnect|Change|Rotate|Add|Remove|Revoke|Import|Replay|Test|Erase|Accept|Decline|Send|Transfer|Escalate|Tag|Close|Take|Read|Assign|Invite|Resolve|Reopen|Start|Confirm|Disable|Reset|End|typing)$/,
    );
    assert.deepEqual(
      args.map((argument) => `${argument.name}: ${argument.type}`),
      [`input: ${typeName}Input!`],
    );
    assert.equal(String(type), `${typeName}Payload!`);
    const payload = schema.getType(`${typeName}Payload`) as GraphQLObjectType;
    const { userErrors, ...results } = payload.getFields();
    assert.equal(String(userErrors?.type), '[UserError!]!');
    // A failed mutation has no result.
    for (const result of Object.values(results))
      assert.ok(!isNonNullType(result.type), `${payload.name}.${result.name}`);
    const expected = name.endsWith('Delete') ? 'deletedId' : name === 'operatorsImport' ? 'report' : undefined;
    const names = Object.keys(results); // in alphabetical order: a secret may come before its owner
    const first = names.find((prefix) => name.startsWith(prefix)) ?? (names[0] as string);
    if (expected) assert.equal(first, expected);
    else if (name === 'cannedRepliesImport') assert.deepEqual(names, ['created', 'updated']);
    // An offer is a state of a conversation, and people type in one.
    else if (name.startsWith('offer') || name === 'typing') assert.equal(first, 'conversation');
    // Browser sessions belong to an operator too.
    else if (name.startsWith('session')) assert.equal(first, 'operator');
    // Two-factor authentication belongs to an operator; starting and confirming it return what is shown once.
    else if (name.startsWith('twoFactor')) assert.ok(['operator', 'recoveryCodes', 'secret'].includes(first));
    else assert.ok(name.startsWith(first), `${name} returns ${first}`);
  }
});

/** Lists that need a permission, and are null without it. */
const RESTRICTED = new Set(['visitors', 'satisfactions', 'messagesLeft', 'webhookDeliveries', 'liveHistory']);

/** Arguments of lists besides the common ones. */
const EXTRA_ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  webhookDeliveries: ['webhookId: ID!', 'state: WebhookDeliveryState'],
  liveHistory: ['operatorId: ID!', 'from: DateTime', 'to: DateTime'],
};

test('every connection takes the same arguments and has the same fields', () => {
  const slice = ['after: String', 'before: String', 'first: Int', 'last: Int'];
  for (const type of types.filter(isObjectType)) {
    for (const field of fieldsOf(type)) {
      if (!String(field.type).includes('Connection')) continue;
      assert.equal(isNonNullType(field.type), !RESTRICTED.has(field.name), `${type.name}.${field.name}`);
      const args = field.args.map((argument) => `${argument.name}: ${argument.type}`);
      assert.deepEqual(
        args
          .filter((argument) => !argument.startsWith('filter: ') && !EXTRA_ARGUMENTS[field.name]?.includes(argument))
          .toSorted(),
        slice,
        `${type.name}.${field.name}`,
      );
    }
    if (!type.name.endsWith('Connection')) continue;
    const node = type.name.slice(0, -'Connection'.length);
    assert.deepEqual(
      fieldsOf(type).map((field) => `${field.name}: ${field.type}`),
      [`edges: [${node}Edge!]!`, `nodes: [${node}!]!`, 'pageInfo: PageInfo!', 'totalCount: Int!'],
    );
  }
});

test('every deprecated field names its replacement', () => {
  const deprecated = types.filter(isObjectType).flatMap((type) => fieldsOf(type).filter((f) => f.deprecationReason));
  assert.ok(deprecated.length > 0);
  for (const field of deprecated) assert.match(field.deprecationReason ?? '', /^Use /);
});

/** The shape that clients rely on. */
const CONTRACT = lexicographicSortSchema(
  buildSchema(`
  scalar DateTime
  type Query {
    viewer: Operator!  skill(id: ID!): Skill  operator(id: ID!): Operator  group(id: ID!): Group  website(id: ID!): Website
    skills(filter: SkillFilter, first: Int, after: String, last: Int, before: String): SkillConnection!
    operators(filter: OperatorFilter, first: Int, after: String, last: Int, before: String): OperatorConnection!
    groups(filter: GroupFilter, first: Int, after: String, last: Int, before: String): GroupConnection!
    websites(filter: WebsiteFilter, first: Int, after: String, last: Int, before: String): WebsiteConnection!
    conversation(id: ID!): Conversation  eventPosition: ID!
    conversations(filter: ConversationFilter, first: Int, after: String, last: Int, before: String): ConversationConnection!
    routingDecisions(conversationId: ID!, after: ID, first: Int): [RoutingDecision!]
    routingPreview(websiteId: ID!, channel: Channel!, skillId: ID, groupId: ID, language: String!): RoutingPreview
    liveHistory(operatorId: ID!, from: DateTime, to: DateTime, first: Int, after: String, last: Int, before: String): LiveChangeConnection
    liveAt(time: DateTime!, operatorIds: [ID!]): [OperatorMoment!]
  }
  type Subscription {
    operatorLive(filter: OperatorFilter): Operator!  skillAvailability(id: ID!): SkillAvailability!
    deskEvents(after: ID): DeskEvent!  conversationEvents(id: ID!, after: ID): DeskEvent!
    signals(conversationId: ID): Signal!
  }
  type Signal { kind: SignalKind! conversationId: ID! author: SignalAuthor! operator: Operator upTo: Int at: DateTime! }
  enum SignalKind { TYPING READ VISITOR_LEFT VISITOR_BACK }  enum SignalAuthor { VISITOR OPERATOR }
  type DeskEvent {
    position: ID! type: String! at: DateTime! conversationId: ID conversation: Conversation message: Message
    operator: Operator visitorId: ID reason: String
  }
  type Conversation {
    id: ID! channel: Channel! state: ConversationState! website: Website visitor: Visitor skill: Skill group: Group
    language: String! operator: Operator createdAt: DateTime! hasWaited: Boolean! offeredAt: DateTime offerUntil: DateTime
    acceptedAt: DateTime firstAnswerAt: DateTime closedAt: DateTime closedBy: ClosedBy closeReason: CloseReason tags: [Tag!]! messageCount: Int!
    readByVisitorUpTo: Int! readByOperatorUpTo: Int! unreadCount: Int!
    messages(after: Int, first: Int, last: Int): [Message!]! queuePosition: Int visitorPresent: Boolean visitorLeftAt: DateTime estimatedWaitSeconds: Int escalatedFrom: Conversation satisfaction: Satisfaction
  }
  type Message { sequence: Int! clientId: String author: MessageAuthor! operator: Operator text: String! at: DateTime! notice: Notice }
  type Notice { code: String! parameters: [NoticeParameter!]! }  type NoticeParameter { name: String! value: String! }
  type ConversationConnection { edges: [ConversationEdge!]! } type ConversationEdge { cursor: String! node: Conversation! }
  enum ConversationState { QUEUED OFFERED ACTIVE CLOSED }  enum MessageAuthor { OPERATOR VISITOR NOTICE }
  enum CloseReason { VISITOR_LEFT IDLE NOBODY_COULD_SERVE }
  enum ClosedBy { OPERATOR VISITOR API_KEY SYSTEM }
  type Visitor { id: ID! context: VisitorContext }
  type VisitorContext {
    page: String! title: String! referrer: String! language: String! timezone: String! browser: String!
    fields: [VisitorField!]! updatedAt: DateTime!
  }
  type VisitorField { name: String! value: String! isVerified: Boolean! }
  type Tag { id: ID! name: String! } type Satisfaction { id: ID! }
  type RoutingDecision {
    id: ID! at: DateTime! cause: RoutingCause! operator: Operator forced: Boolean! actor: Actor! need: RoutingNeed!
    ranked: [RankedOperator!]! excluded: [RoutingExclusion!]! whyNot(operatorId: ID!): [Obstacle!]
  }
  type RoutingPreview {
    need: RoutingNeed! ranked: [RankedOperator!]! excluded: [RoutingExclusion!]! whyNot(operatorId: ID!): [Obstacle!]
  }
  type RoutingNeed { channel: Channel! website: Website skill: Skill group: Group language: String! }
  type RankedOperator { operator: Operator servedLast: Boolean! priority: Int share: Float! assignedAt: DateTime }
  type RoutingExclusion { reason: Obstacle! count: Int! }
  type Actor { id: ID name: String }
  enum Obstacle {
    OFFLINE IN_GRACE NOT_ENABLED NOT_AVAILABLE SLOTS_FULL ON_CALL ON_VIDEO ON_CHAT
    OTHER_WEBSITE LACKS_SKILL OTHER_GROUP OTHER_LANGUAGE REFUSED_LATELY
  }
  enum RoutingCause {
    STARTED SLOT_FREED DECLINED TIMED_OUT WITHDRAWN OPERATOR_LOST CONNECTED AVAILABLE OPERATOR_CHANGED DIRECTORY_CHANGED
    PAUSE_ENDED VISITOR_RETURNED SWEEP TRANSFER TAKE ESCALATION
  }
  type OperatorMoment { operator: Operator! live: OperatorLive }
  type LiveChangeConnection { edges: [LiveChangeEdge!]! } type LiveChangeEdge { cursor: String! node: LiveChange! }
  type LiveChange { at: DateTime! reason: String actor: Actor! live: OperatorLive! }
  type Account { name: String! autoAccept: Boolean! offerSeconds: Int! idleMinutes: Int! queueLimit: Int lowestPriorityFirst: Boolean signOnUrl: String }
  type Skill {
    id: ID!  name: String!  order: Int!  createdAt: DateTime!  parent: Skill  children: [Skill!]!
    operators(filter: OperatorFilter, first: Int, after: String, last: Int, before: String): OperatorConnection!
    availability(websiteId: ID, language: String): SkillAvailability!
    statistics(from: DateTime, to: DateTime): Statistics
  }
  type Group { id: ID! name: String! parent: Group operators(filter: OperatorFilter, first: Int, after: String, last: Int, before: String): OperatorConnection! }
  type Website { id: ID! url: String! label: String! operators(filter: OperatorFilter, first: Int, after: String, last: Int, before: String): OperatorConnection! }
  type SkillAvailability { chat: ChannelAvailability!  call: ChannelAvailability!  video: ChannelAvailability! }
  type ChannelAvailability { isAvailable: Boolean!  operatorsConnected: Int!  operatorsRoutable: Int!  freeSlots: Int!  waiting: Int! }
  type Operator {
    id: ID! name: String firstName: String pseudo: String! email: String externalId: String role: Role roles: [Role!]
    chatEnabled: Boolean callEnabled: Boolean videoEnabled: Boolean chatMaxNumber: Int chatAndCall: Boolean chatToVideo: Boolean
    chatPriority: Int callPriority: Int videoPriority: Int languageList: [String!] languageAdmin: String ssoKey: String
    group: Group websites: [Website!] skills: [Skill!] callConfig: CallConfig
    live: OperatorLive!  profile: OperatorProfile  preferences: OperatorPreferences  statistics(from: DateTime, to: DateTime): Statistics
  }
  enum Theme { SYSTEM LIGHT DARK }
  enum Density { COMFORTABLE COMPACT }
  type OperatorPreferences {
    theme: Theme! density: Density! sound: Boolean! notifications: Boolean! singleKeyShortcuts: Boolean! enterSends: Boolean!
  }
  enum CannedReplyScope { OWN GROUP ACCOUNT }
  type CannedReply {
    id: ID! scope: CannedReplyScope! group: Group shortcut: String! text: String! language: String canEdit: Boolean!
    updatedAt: DateTime!
  }
  type PasswordLink { url: String! expiresAt: DateTime! }
  type CallConfig { type: String! phoneNumber: String }
  type OperatorProfile { status: String! description: String! facebook: String! twitter: String! city: String! country: String! }
  type OperatorLive { connected: Boolean!  chat: ChannelLive!  call: ChannelLive!  video: ChannelLive! pauseReason: String takenOffline: TakenOffline }
  type TakenOffline { by: Actor! at: DateTime! reason: String }
  type ChannelLive { enabled: Boolean!  available: Boolean!  busy: Boolean!  slotNumber: Int!  slotMaxNumber: Int!  routable: Boolean!  blockedBy: [BlockReason!]! changedBy: Actor changedAt: DateTime changedReason: String }
  type Statistics { conversationNumber: Int!  answeredNumber: Int!  firstAnswerSeconds: Float  satisfactionRate: Float  experience: Int!  connectedSeconds: Int! }
  type UserError {
    field: [String!] message: String! code: UserErrorCode! reason: String parameters: [UserErrorParameter!]!
  }
  type UserErrorParameter { name: String! value: String! }
  type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
  type OperatorConnection { edges: [OperatorEdge!]! } type OperatorEdge { cursor: String! node: Operator! }
  type SkillConnection { edges: [SkillEdge!]! } type SkillEdge { cursor: String! node: Skill! }
  type GroupConnection { edges: [GroupEdge!]! } type GroupEdge { cursor: String! node: Group! }
  type WebsiteConnection { edges: [WebsiteEdge!]! } type WebsiteEdge { cursor: String! node: Website! }
  enum BlockReason { OFFLINE IN_GRACE NOT_ENABLED NOT_AVAILABLE SLOTS_FULL ON_CALL ON_VIDEO ON_CHAT }
  enum UserErrorCode { MISSING INVALID UNKNOWN_ID CONFLICT LIMIT STATE }
  enum Role { EXPERT OPERATOR MANAGER ADMIN }  enum Channel { CHAT CALL VIDEO }
  input ConversationFilter {
    id: String channel: Channel state: ConversationState websiteId: String operatorId: String visitorId: String skillId: String
    groupId: String tagId: String language: String waiting: Boolean from: DateTime to: DateTime
  }
  input SkillFilter { id: String name: String }  input GroupFilter { id: String name: String }  input WebsiteFilter { id: String label: String url: String }
  input OperatorFilter {
    id: String groupId: String websiteId: String websiteIds: String skillId: String name: String externalId: String email: String
    connected: Boolean available: Channel routable: Channel role: Role language: String
  }
`),
);

const MUTATIONS =
  `operatorCreate operatorUpdate operatorDelete operatorAvailabilityUpdate operatorConnect operatorDisconnect
  operatorProfileUpdate operatorPasswordChange operatorSsoKeyRotate operatorInvite sessionEnd sessionsEnd preferencesUpdate skillCreate skillUpdate skillDelete skillOperatorsAdd
  skillOperatorsRemove groupCreate groupUpdate groupDelete websiteCreate websiteUpdate websiteDelete apiKeyCreate apiKeyRevoke
  operatorsImport accountUpdate offerAccept offerDecline messageSend conversationTransfer conversationEscalate conversationTag
  conversationClose conversationTake conversationRead typing
  messageLeftResolve messageLeftReopen messageLeftAssign cannedReplyCreate cannedReplyUpdate cannedReplyDelete
  cannedRepliesImport`.split(/\s+/);

test('the schema has everything that clients rely on', () => {
  for (const contract of Object.values(CONTRACT.getTypeMap())) {
    if (isIntrospectionType(contract) || isSpecifiedScalarType(contract)) continue;
    const type = schema.getType(contract.name);
    assert.ok(type, `${contract.name} is missing`);
    if (isEnumType(contract) && isEnumType(type)) {
      const names = type.getValues().map((value) => value.name);
      assert.deepEqual(
        names.toSorted(),
        contract
          .getValues()
          .map((value) => value.name)
          .toSorted(),
        contract.name,
      );
    }
    if (isInputObjectType(contract) && isInputObjectType(type)) {
      for (const { name, type: shape } of Object.values(contract.getFields())) {
        assert.equal(String(type.getFields()[name]?.type), String(shape), `${contract.name}.${name}`);
      }
    }
    if (!isObjectType(contract) || !isObjectType(type)) continue;
    for (const { name, type: shape, args } of fieldsOf(contract)) {
      const field: GraphQLField<unknown, unknown> | undefined = type.getFields()[name];
      assert.equal(String(field?.type), String(shape), `${contract.name}.${name}`);
      const actualArguments: string[] = (field?.args ?? []).map((argument) => `${argument.name}: ${argument.type}`);
      assert.deepEqual(
        actualArguments,
        args.map((argument) => `${argument.name}: ${argument.type}`),
        name,
      );
    }
  }
  const mutations = new Set(fieldsOf(schema.getMutationType()).map((field) => field.name));
  assert.deepEqual(
    MUTATIONS.filter((name) => !mutations.has(name)),
    [],
  );
});

test('the printed schema is current, and can be parsed', () => {
  const printed = readFileSync(new URL('../../../docs/api/schema.graphql', import.meta.url), 'utf8');
  assert.equal(printed, `${printSchema(lexicographicSortSchema(schema))}\n`, 'run `npm run generate`');
  assert.equal(printSchema(lexicographicSortSchema(buildSchema(printed))), printed.trimEnd());
});

for (const [name, each] of Object.entries({ schema, fullReadSchema, visitorSchema })) {
  test(`${name}: clients that are built on an older graphql-js or on graphql-core can read it`, () => {
    const introspection = introspectionFromSchema(each);
    const types = buildOlderClientSchema(introspection as never).getTypeMap();
    for (const type of Object.keys(each.getTypeMap())) assert.ok(types[type], type);
    // Those of the GraphQL specification of 2021. graphql-core refuses any other.
    const known = new Set(
      'QUERY MUTATION SUBSCRIPTION FIELD FRAGMENT_DEFINITION FRAGMENT_SPREAD INLINE_FRAGMENT VARIABLE_DEFINITION SCHEMA SCALAR OBJECT FIELD_DEFINITION ARGUMENT_DEFINITION INTERFACE UNION ENUM ENUM_VALUE INPUT_OBJECT INPUT_FIELD_DEFINITION'.split(
        ' ',
      ),
    );
    const locations = introspection.__schema.directives.flatMap((directive) => directive.locations);
    assert.deepEqual(
      locations.filter((location) => !known.has(location)),
      [],
    );
  });
}
