/**
 * GraphQL replacements of REST features, by their names in the migration meter. Each is a valid document. The
 * replacements of endpoints are explained in docs/migration.md.
 */
const ENDPOINT_REPLACEMENTS: Readonly<Record<string, string>> = {
  'GET /operator': `query ($first: Int, $after: String) {
  operators(first: $first, after: $after) {
    nodes { id }
    pageInfo { hasNextPage endCursor }
    totalCount
  }
}`,
  'GET /operator/{id}': `query ($id: ID!) {
  operator(id: $id) {
    id name firstName pseudo email externalId roles
    chatEnabled callEnabled videoEnabled chatMaxNumber chatAndCall chatToVideo
    chatPriority callPriority videoPriority languageList languageAdmin
    group { id }
    websites { id }
    skills { id }
    ssoKey
    callConfig { type askPhoneNumberAtEveryConnection phoneNumber }
  }
}`,
  'POST /operator': `mutation ($input: OperatorCreateInput!) {
  operatorCreate(input: $input) {
    operator { id name email roles }
    userErrors { field message code }
  }
}`,
  'PUT /operator/{id}': `mutation ($input: OperatorUpdateInput!) {
  operatorUpdate(input: $input) {
    operator { id pseudo roles }
    userErrors { field message code }
  }
}`,
  'DELETE /operator/{id}': buildDeleteMutation('operator'),
  'GET /operator/live': `query ($filter: OperatorFilter, $after: String) {
  operators(filter: $filter, first: 100, after: $after) {
    nodes {
      id
      live { connected chat { ...channel } call { ...channel } video { ...channel } }
    }
    pageInfo { hasNextPage endCursor }
  }
}
fragment channel on ChannelLive { enabled slotNumber slotMaxNumber busy available }`,
  'GET /operator/{id}/live': `query ($id: ID!) {
  operator(id: $id) {
    id
    live { connected chat { ...channel } call { ...channel } video { ...channel } }
  }
}
fragment channel on ChannelLive { enabled slotNumber slotMaxNumber busy available }`,
  'PUT /operator/{id}/live': `mutation ($input: OperatorAvailabilityUpdateInput!) {
  operatorAvailabilityUpdate(input: $input) {
    operator { id live { chat { available } } }
    userErrors { field message code }
  }
}`,
  'GET /operator/{id}/statistic': `query ($id: ID!) {
  operator(id: $id) {
    id
    statistics { conversationNumber satisfactionRate experience }
  }
}`,
  'GET /operator/{id}/profile': `query ($id: ID!) {
  operator(id: $id) {
    id
    profile { status description facebook twitter city country }
  }
}`,
  'PUT /operator/{id}/profile': `mutation ($input: OperatorProfileUpdateInput!) {
  operatorProfileUpdate(input: $input) {
    operator { id profile { status description facebook twitter city country } }
    userErrors { field message code }
  }
}`,
  'GET /client': '{ account { id lang premiumEnabled } }',
  'GET /client/{id}': '{ account { id lang premiumEnabled } }',
  'GET /website': buildListQuery('website', 'id url label currency languageAdmin timezone'),
  'GET /website/{id}': buildSingleQuery('website', 'id url label currency languageAdmin timezone'),
  'POST /website': buildWriteMutation('website', 'Create', 'id url label currency languageAdmin timezone'),
  'PUT /website/{id}': buildWriteMutation('website', 'Update', 'id url label currency languageAdmin timezone'),
  'DELETE /website/{id}': buildDeleteMutation('website'),
  'GET /group': buildListQuery('group', 'id name createdAt parent { id }'),
  'GET /group/{id}': buildSingleQuery('group', 'id name createdAt parent { id parent { id } }'),
  'POST /group': buildWriteMutation('group', 'Create', 'id name parent { id }'),
  'PUT /group/{id}': buildWriteMutation('group', 'Update', 'id name parent { id }'),
  'DELETE /group/{id}': buildDeleteMutation('group'),
  'GET /skill': buildListQuery('skill', 'id name order createdAt parent { id }'),
  'GET /skill/{id}': buildSingleQuery('skill', 'id name order createdAt parent { id }'),
  'POST /skill': buildWriteMutation('skill', 'Create', 'id name order parent { id }'),
  'PUT /skill/{id}': buildWriteMutation('skill', 'Update', 'id name order parent { id }'),
  'DELETE /skill/{id}': buildDeleteMutation('skill'),
  'GET /conversation': buildListQuery(
    'conversation',
    'id channel createdAt closedAt website { id } operator { id } skill { id } tags { id }',
  ),
  'GET /conversation/{id}': `query ($id: ID!) {
  conversation(id: $id) {
    id channel createdAt closedAt firstAnswerAt closedBy hasWaited
    visitor { uniqueId }
    messages(first: 100) { author at text }
    website { id }
    operator { id }
    skill { id }
    tags { id }
  }
}`,
  'GET /attachment/{id}': `query ($id: ID!) {
  conversation(id: $id) {
    messages(first: 100) { sequence attachments { id name size url expiresAt } }
  }
}`,
  'GET /visitor': buildListQuery(
    'visitor',
    'id uniqueId externalId lastname firstname email websites { id } createdAt',
  ),
  'GET /visitor/{id}': `query ($id: ID!) {
  visitor(id: $id) {
    id uniqueId externalId lastname firstname address city zip country phone email browser createdAt
    websites { id }
  }
}`,
  'GET /satisfaction': buildListQuery(
    'satisfaction',
    'id noteWelcome noteResolution noteDelay comment createdAt conversationId',
  ),
  'GET /satisfaction/{id}': `query ($id: ID!) {
  satisfaction(id: $id) {
    id noteWelcome noteResolution noteDelay comment createdAt conversationId
    website { id }
    operator { id }
  }
}`,
  'GET /tag': buildListQuery('tag', 'id name websites { id }'),
  'GET /tag/{id}': buildSingleQuery('tag', 'id name websites { id }'),
  'POST /tag': buildWriteMutation('tag', 'Create', 'id name websites { id }'),
  'PUT /tag/{id}': buildWriteMutation('tag', 'Update', 'id name websites { id }'),
  'DELETE /tag/{id}': buildDeleteMutation('tag'),
  'GET /statistic': `query ($filter: StatisticsFilter, $from: DateTime, $to: DateTime) {
  statistics(filter: $filter, from: $from, to: $to) {
    conversationNumber answeredNumber firstAnswerSeconds waitingSeconds abandonedNumber
    refusedNumber satisfactionRate experience connectedSeconds
    durationSeconds queuedSeconds queuedNumber
  }
}`,
};

const FIELD_REPLACEMENTS: Readonly<Record<string, string>> = {
  'operator.role': 'query ($id: ID!) {\n  operator(id: $id) { id roles }\n}',
  'operator.satisfaction_global_rate': `query ($id: ID!) {
  operator(id: $id) { id statistics { satisfactionRate } }
}`,
  'group.operator_list': buildMembersQuery('group'),
  'skill.operator_list': buildMembersQuery('skill'),
};

/** Filters by resource. */
const FILTERS: Readonly<Record<string, readonly (readonly [rest: string, graphql: string, example: string])[]>> = {
  website: [
    ['id', 'id', '1,2'],
    ['label', 'label', 'shop*'],
    ['url', 'url', '*example*'],
  ],
  group: [
    ['id', 'id', '1,2'],
    ['name', 'name', 'night*'],
    ['parent_id', 'parentId', '1'],
  ],
  skill: [
    ['id', 'id', '1,2'],
    ['name', 'name', 'sal*'],
    ['operator_id', 'operatorId', '3'],
    ['parent_id', 'parentId', '1'],
  ],
  conversation: [
    ['id', 'id', '1,2'],
    ['channel', 'channel', 'CHAT'],
    ['from', 'from', '2026-01-05'],
    ['to', 'to', '2026-01-12'],
    ['website_id', 'websiteId', '1'],
    ['operator_id', 'operatorId', '3'],
    ['visitor_id', 'visitorId', '7'],
    ['skill_id', 'skillId', '1'],
    ['tag_id', 'tagId', '4'],
  ],
  visitor: [
    ['id', 'id', '1,2'],
    ['unique_id', 'uniqueId', 'demo-visitor-7'],
    ['external_id', 'externalId', 'customer-*'],
    ['website_id', 'websiteId', '2'],
  ],
  satisfaction: [
    ['id', 'id', '1,2'],
    ['website_id', 'websiteId', '1'],
    ['operator_id', 'operatorId', '3'],
    ['conversation_id', 'conversationId', '9'],
    ['from', 'from', '2026-01-05'],
    ['to', 'to', '2026-01-12'],
  ],
  tag: [
    ['id', 'id', '1,2'],
    ['website_id', 'websiteId', '3'],
  ],
};

/** REST filters that are arguments, fields or other queries in GraphQL. */
const STATISTIC_FILTERS: Readonly<Record<string, string>> = {
  website_list: '{ statistics(filter: { websiteIds: "1,2" }) { conversationNumber } }',
  website_id: '{ statistics(filter: { websiteIds: "1,2" }) { conversationNumber } }',
  channel: '{ statistics(filter: { channel: CHAT }) { conversationNumber } }',
  resource: '{ operators { nodes { id statistics { conversationNumber } } } }',
  resource_id: '{ operators(filter: { id: "2,3" }) { nodes { id statistics { conversationNumber } } } }',
  indicators: '{ statistics { conversationNumber satisfactionRate } }',
  from: '{ statistics(from: "2026-01-05") { conversationNumber } }',
  to: '{ statistics(to: "2026-01-12") { conversationNumber } }',
};

const OPERATOR_FILTERS = [
  ['id', 'id', '2,3'],
  ['group_id', 'groupId', '4'],
  ['website_id', 'websiteId', '1'],
  ['website_list', 'websiteIds', '1,2'],
  ['skill_id', 'skillId', '1'],
  ['name', 'name', 'mart*'],
  ['external_id', 'externalId', 'demo-1'],
  ['email', 'email', '*@example.com'],
] as const;

const LIVE_FIELDS = 'live { connected chat { available busy } call { available busy } video { available busy } }';

const REPLACEMENTS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(ENDPOINT_REPLACEMENTS),
  ...Object.entries(FIELD_REPLACEMENTS),
  ...OPERATOR_FILTERS.flatMap(([rest, graphql, example]): [string, string][] => [
    [`GET /operator?filters[${rest}]`, `{ operators(filter: { ${graphql}: "${example}" }) { nodes { id } } }`],
    [
      `GET /operator/live?filters[${rest}]`,
      `{ operators(filter: { connected: true, ${graphql}: "${example}" }) { nodes { id ${LIVE_FIELDS} } } }`,
    ],
  ]),
  ...Object.entries(FILTERS).flatMap(([kind, filters]) =>
    filters.map(([rest, graphql, example]): [string, string] => [
      `GET /${kind}?filters[${rest}]`,
      `{ ${kind}s(filter: { ${graphql}: ${toLiteral(example)} }) { nodes { id } } }`,
    ]),
  ),
  ...Object.entries(STATISTIC_FILTERS).map(([rest, document]): [string, string] => [
    `GET /statistic?filters[${rest}]`,
    document,
  ]),
  ['GET /operator/live?connected=0', `{ operators { nodes { id ${LIVE_FIELDS} } } }`],
  ['GET /client?filters[id]', '{ account { id } }'],
]);

export function findReplacement(feature: string): string | undefined {
  return REPLACEMENTS.get(feature);
}

export function listReplacedFeatures(): string[] {
  return [...REPLACEMENTS.keys()];
}

/** Enum values are upper case and unquoted. */
function toLiteral(example: string): string {
  return /^[A-Z]+$/.test(example) ? example : `"${example}"`;
}

function buildListQuery(kind: string, fields: string): string {
  return `query ($first: Int, $after: String) {
  ${kind}s(first: $first, after: $after) {
    nodes { ${fields} }
    pageInfo { hasNextPage endCursor }
    totalCount
  }
}`;
}

function buildSingleQuery(kind: string, fields: string): string {
  return `query ($id: ID!) {\n  ${kind}(id: $id) { ${fields} }\n}`;
}

function buildMembersQuery(kind: string): string {
  return `query ($id: ID!, $after: String) {
  ${kind}(id: $id) {
    id
    operators(first: 100, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } }
  }
}`;
}

function buildWriteMutation(kind: string, verb: 'Create' | 'Update', fields: string): string {
  return `mutation ($input: ${toInputTypeName(kind, verb)}) {
  ${kind}${verb}(input: $input) {
    ${kind} { ${fields} }
    userErrors { field message code }
  }
}`;
}

function buildDeleteMutation(kind: string): string {
  return `mutation ($input: ${toInputTypeName(kind, 'Delete')}) {
  ${kind}Delete(input: $input) {
    deletedId
    userErrors { field message code }
  }
}`;
}

function toInputTypeName(kind: string, verb: string): string {
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)}${verb}Input!`;
}
