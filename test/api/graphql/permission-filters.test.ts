import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Client, createClient } from 'graphql-ws';
import { type GraphqlResponse, graphqlClient, logIn } from '../../support/clients/graphql.ts';
import {
  openPermissionFixture,
  outcomeAt,
  PASSWORD,
  type PermissionFixture,
  selectAllFields,
} from './permission-operators.ts';
import {
  FILTERS,
  findCell,
  isOperatorViewer,
  SUBSCRIPTIONS,
  TESTED_VIEWERS,
  VIEWERS,
  type Viewer,
} from './permission-table.ts';

let fixture: PermissionFixture;
let sockets: Record<Viewer, Client>;
before(async () => {
  fixture = await openPermissionFixture();
  const url = `${fixture.switchboard.url.replace('http', 'ws')}/graphql`;
  const connect = (viewer: Viewer) => createClient({ url, connectionParams: { ...fixture.viewers[viewer].headers } });
  sockets = Object.fromEntries(VIEWERS.map((viewer) => [viewer, connect(viewer)])) as Record<Viewer, Client>;
});
after(async () => {
  for (const socket of Object.values(sockets)) await socket.dispose();
  await fixture.stop();
});

/** A value for each filter. Some match nothing: whether a filter is forbidden must not depend on that. */
const VALUES: Record<string, string> = {
  'OperatorFilter.id': '"*"',
  'OperatorFilter.groupId': '"1*"',
  'OperatorFilter.websiteId': '"1"',
  'OperatorFilter.websiteIds': '"1,2"',
  'OperatorFilter.skillId': '"1"',
  'OperatorFilter.name': '"Person*"',
  'OperatorFilter.externalId': '"operator*"',
  'OperatorFilter.email': '"*"',
  'OperatorFilter.connected': 'false',
  'OperatorFilter.available': 'CHAT',
  'OperatorFilter.routable': 'CHAT',
  'OperatorFilter.role': 'ADMIN',
  'OperatorFilter.language': '"en"',
  'GroupFilter.id': '"1"',
  'GroupFilter.name': '"*"',
  'GroupFilter.parentId': '"1"',
  'SkillFilter.id': '"1"',
  'SkillFilter.name': '"*"',
  'SkillFilter.parentId': '"1"',
  'SkillFilter.operatorId': '"1"',
  'WebsiteFilter.id': '"1"',
  'WebsiteFilter.label': '"*"',
  'WebsiteFilter.url': '"*"',
  'EventFilter.types': '"operator.created"',
  'EventFilter.subjectType': '"operator"',
  'EventFilter.subjectId': '"1"',
  'EventFilter.actorType': 'API_KEY',
  'EventFilter.actorId': '"1"',
  'EventFilter.from': '"2026-01-01T00:00:00Z"',
  'EventFilter.to': '"2026-01-01T00:00:00Z"',
  'ConversationFilter.id': '"*"',
  'ConversationFilter.channel': 'CHAT',
  'ConversationFilter.state': 'ACTIVE',
  'ConversationFilter.websiteId': '"1"',
  'ConversationFilter.operatorId': '"*"',
  'ConversationFilter.visitorId': '"1"',
  'ConversationFilter.skillId': '"1"',
  'ConversationFilter.groupId': '"*"',
  'ConversationFilter.tagId': '"1"',
  'ConversationFilter.language': '"en"',
  'ConversationFilter.waiting': 'true',
  'ConversationFilter.from': '"2026-01-01T00:00:00Z"',
  'ConversationFilter.to': '"2026-01-01T00:00:00Z"',
  'ConversationFilter.closedFrom': '"2026-01-01T00:00:00Z"',
  'ConversationFilter.closedTo': '"2026-01-01T00:00:00Z"',
  'TagFilter.id': '"1"',
  'TagFilter.name': '"*"',
  'TagFilter.websiteId': '"1"',
  'VisitorFilter.id': '"1"',
  'VisitorFilter.uniqueId': '"own*"',
  'VisitorFilter.externalId': '"*"',
  'VisitorFilter.websiteId': '"1"',
  'SatisfactionFilter.id': '"1"',
  'SatisfactionFilter.websiteId': '"1"',
  'SatisfactionFilter.operatorId': '"*"',
  'SatisfactionFilter.conversationId': '"1"',
  'SatisfactionFilter.from': '"2026-01-01T00:00:00Z"',
  'SatisfactionFilter.to': '"2026-01-01T00:00:00Z"',
  'MessageLeftFilter.done': 'false',
  'MessageLeftFilter.websiteId': '"1"',
  'MessageLeftFilter.operatorId': '"1"',
  'StatisticsFilter.websiteIds': '"1,2"',
  'StatisticsFilter.channel': 'CHAT',
  'StatisticsFilter.skillId': '"1"',
  'StatisticsFilter.groupId': '"*"',
  'StatisticsFilter.operatorId': '"1"',
};

/** Every list that accepts a kind of filter, with its path in the response. */
const LISTS: Record<string, readonly (readonly [string, readonly string[]])[]> = {
  OperatorFilter: [
    ['{ operators(filter: %) { totalCount } }', ['operators']],
    ['{ operators(filter: %) { nodes { id } } }', ['operators']],
    ['{ skill(id: 1) { operators(filter: %) { nodes { id } } } }', ['skill', 'operators']],
    ['{ group(id: 1) { operators(filter: %) { totalCount } } }', ['group', 'operators']],
    ['{ website(id: 1) { operators(filter: %) { nodes { id } } } }', ['website', 'operators']],
    ['{ skills { nodes { operators(filter: %) { nodes { id } } } } }', ['skills', 'nodes', 'operators']],
  ],
  GroupFilter: [['{ groups(filter: %) { totalCount nodes { id } } }', ['groups']]],
  SkillFilter: [['{ skills(filter: %) { totalCount nodes { id } } }', ['skills']]],
  WebsiteFilter: [['{ websites(filter: %) { totalCount nodes { id } } }', ['websites']]],
  EventFilter: [['{ events(filter: %) { nodes { position } } }', ['events']]],
  ConversationFilter: [['{ conversations(filter: %) { totalCount nodes { id } } }', ['conversations']]],
  TagFilter: [['{ tags(filter: %) { totalCount nodes { id } } }', ['tags']]],
  VisitorFilter: [['{ visitors(filter: %) { totalCount nodes { id } } }', ['visitors']]],
  SatisfactionFilter: [['{ satisfactions(filter: %) { totalCount nodes { id } } }', ['satisfactions']]],
  MessageLeftFilter: [['{ messagesLeft(filter: %) { totalCount nodes { id } } }', ['messagesLeft']]],
  StatisticsFilter: [['{ statistics(filter: %) { conversationNumber connectedSeconds } }', ['statistics']]],
};

for (const [key, cells] of FILTERS) {
  const [type = '', name = ''] = key.split('.');
  test(`the filter ${key} matches the permission table for every viewer, in every list`, async () => {
    assert.ok(VALUES[key], `no value for the filter ${key}`);
    assert.ok(LISTS[type], `no list for ${type}`);
    const filter = `{ ${name}: ${VALUES[key]} }`;
    for (const viewer of TESTED_VIEWERS) {
      for (const [list, path] of LISTS[type]) {
        const response = await fixture.viewers[viewer].run(list.replace('%', filter));
        // A forbidden filter hides the whole list, even its length.
        assert.equal(outcomeAt(response, path), findCell(cells, viewer), `${key} for ${viewer} in ${list}`);
      }
      const variables = await fixture.viewers[viewer].run(
        `query($filter: ${type}) { ${LISTS[type][0]?.[0].slice(1).replace('%', '$filter')}`,
        { filter: { [name]: VALUES[key].match(/^"/) ? JSON.parse(VALUES[key]) : parseLiteral(VALUES[key]) } },
      );
      assert.equal(outcomeAt(variables, LISTS[type][0]?.[1] ?? []), findCell(cells, viewer), `${key} as a variable`);
    }
  });
}

function parseLiteral(text: string): unknown {
  return text === 'true' || text === 'false' ? text === 'true' : text;
}

test('a null filter does not filter', async () => {
  const { run } = fixture.viewers.expert;
  const response = await run('{ operators(filter: { email: null, name: null, role: null }) { nodes { id } } }');
  assert.deepEqual(response.errors, []);
  assert.ok(response.data.operators.nodes.length > 5);
});

/** The first message of a subscription, or the errors that rejected it. */
async function receiveFirst(viewer: Viewer, query: string, trigger?: () => Promise<unknown>): Promise<GraphqlResponse> {
  const values = sockets[viewer].iterate({ query });
  const first = values.next();
  const timer = setInterval(() => trigger?.(), 100);
  try {
    const { value } = await first;
    return { status: 200, headers: new Headers(), data: value?.data, errors: (value?.errors ?? []) as never };
  } catch (errors) {
    if (!Array.isArray(errors)) throw errors;
    return { status: 200, headers: new Headers(), data: null, errors };
  } finally {
    clearInterval(timer);
    await values.return?.();
  }
}

let available = 0;
async function changeLive(id: string): Promise<void> {
  available = 1 - available;
  await fixture.rest.put(`/operator/${id}/live`, { chat: { available } });
}

const SUBSCRIBE: Record<string, (viewer: Viewer) => Promise<GraphqlResponse>> = {
  operatorLive: (viewer) =>
    receiveFirst(viewer, 'subscription { operatorLive { id live { connected } } }', () =>
      changeLive(fixture.target('expert', 'ownGroup')),
    ),
  deskEvents: (viewer) =>
    receiveFirst(
      viewer,
      `subscription { deskEvents { ${selectAllFields('DeskEvent')} } }`,
      isOperatorViewer(viewer) ? () => changeLive(fixture.viewers[viewer].id) : undefined,
    ),
  conversationEvents: async (viewer) => {
    const id = await fixture.conversationOf('admin', 'ownGroup');
    const change = `mutation { conversationTag(input: { id: ${id}, tagIds: [] }) { userErrors { code } } }`;
    const events = `conversationEvents(id: ${id}) { ${selectAllFields('DeskEvent')} }`;
    return receiveFirst(viewer, `subscription { ${events} }`, () => fixture.viewers.admin.run(change));
  },
  signals: async (viewer) => {
    const author = await fixture.createTarget('ownGroup', { password: PASSWORD });
    const { url } = fixture.switchboard;
    const { run } = graphqlClient(url, await logIn(url, { email: author.email, password: PASSWORD }));
    const id = await fixture.conversations.add(author.id);
    const signals = `signals(conversationId: ${id}) { ${selectAllFields('Signal')} }`;
    return receiveFirst(viewer, `subscription { ${signals} }`, () =>
      run(`mutation { typing(input: { conversationId: ${id} }) { userErrors { code } } }`),
    );
  },
  queue: (viewer) => receiveFirst(viewer, 'subscription { queue { totalCount conversations { id } } }'),
  skillAvailability: (viewer) =>
    receiveFirst(viewer, `subscription { skillAvailability(id: ${fixture.skill}) { chat { isAvailable } } }`),
};

for (const [key, cells] of SUBSCRIPTIONS) {
  const name = key.split('.')[1] as string;
  test(`the subscription ${name} matches the permission table for every viewer`, async () => {
    for (const viewer of TESTED_VIEWERS) {
      const response = await SUBSCRIBE[name]?.(viewer);
      assert.ok(response, `no case for the subscription ${name}`);
      assert.equal(outcomeAt(response, [name]), findCell(cells, viewer), `${name} for ${viewer}`);
    }
  });
}

for (const viewer of TESTED_VIEWERS) {
  test(`${viewer}: the filters of a subscription match the permission table`, async () => {
    for (const [key, cells] of FILTERS) {
      const [type, name] = key.split('.');
      if (type !== 'OperatorFilter' || findCell(cells, viewer) === 'allowed') continue;
      const response = await receiveFirst(
        viewer,
        `subscription { operatorLive(filter: { ${name}: ${VALUES[key]} }) { id } }`,
        () => changeLive(fixture.target('expert', 'ownGroup')),
      );
      assert.equal(outcomeAt(response, ['operatorLive']), 'forbidden', `${key} for ${viewer}`);
    }
  });
}

test('a subscription hides the same fields of an operator as a query', async () => {
  const id = fixture.target('expert', 'ownGroup');
  const fields = 'id pseudo name email roles ssoKey profile { city }';
  const query = `subscription { operatorLive(filter: { id: "${id}" }) { ${fields} } }`;
  for (const [viewer, hidden] of [
    ['expert', ['email', 'name', 'profile', 'roles', 'ssoKey']],
    ['operator', ['email', 'profile', 'roles', 'ssoKey']],
    ['manager', ['ssoKey']],
    ['admin', []],
    ['readKey', ['ssoKey']],
    ['writeKey', []],
  ] as const) {
    const response = await receiveFirst(viewer, query, () => changeLive(id));
    assert.equal(response.data.operatorLive.id, id);
    assert.deepEqual(response.errors.map((error) => error.path?.at(-1)).sort(), hidden, viewer);
    assert.ok(response.errors.every((error) => error.extensions.code === 'FORBIDDEN'));
    for (const name of hidden) assert.equal(response.data.operatorLive[name], null);
  }
});
