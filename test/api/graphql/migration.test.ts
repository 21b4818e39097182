import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parse, print, validate } from 'graphql';
import type { z } from 'zod';
import { renderMigrationPage } from '../../../scripts/migration-page.ts';
import { findReplacement, listReplacedFeatures } from '../../../src/api/graphql/replacements.ts';
import { schema } from '../../../src/api/graphql/schema.ts';
import { CLIENT_FILTERS, clientSchema } from '../../../src/api/rest/client.ts';
import { CONVERSATION_FILTERS, conversationSchema } from '../../../src/api/rest/conversation.ts';
import { endpointName, filterName, mapDeprecatedFields } from '../../../src/api/rest/meter.ts';
import { toWireName } from '../../../src/api/rest/names.ts';
import { OPERATOR_FILTERS } from '../../../src/api/rest/operator.ts';
import { INCLUDE_OFFLINE_FEATURE } from '../../../src/api/rest/operator-live.ts';
import { SATISFACTION_FILTERS, satisfactionSchema } from '../../../src/api/rest/satisfaction.ts';
import { STATISTIC_FILTERS, statisticSchema } from '../../../src/api/rest/statistic.ts';
import { TAG_FILTERS, tagSchema } from '../../../src/api/rest/tag.ts';
import { TREE_FILTERS } from '../../../src/api/rest/tree.ts';
import { VISITOR_FILTERS, visitorSchema } from '../../../src/api/rest/visitor.ts';
import { WEBSITE_FILTERS } from '../../../src/api/rest/website.ts';
import { profileSchema } from '../../../src/core/administration/profile.ts';
import { groupSchema, skillSchema } from '../../../src/core/directory/tree.ts';
import { websiteSchema } from '../../../src/core/directory/website.ts';
import { liveSchema, liveUpdate } from '../../../src/core/live/live.ts';
import { callConfig } from '../../../src/core/operators/call-config.ts';
import { operatorSchema, operatorUpdate } from '../../../src/core/operators/operator.ts';
import { statisticsSchema } from '../../../src/core/reports/statistics.ts';
import { type GraphqlClient, graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { type RestClient, type RestResponse, restClient } from '../../support/clients/rest.ts';
import { type Example, pageBlocks, parseExamples, sectionText } from '../../support/docs/migration-page.ts';
import { restRoutes } from '../../support/docs/routes.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

const DAY_MS = 24 * 3600 * 1000;

/** The demo data covers the last weeks, so the dates of the page are shifted: January 15 becomes today. */
function shiftDates(text: string): string {
  const offset = Date.now() - Date.UTC(2026, 0, 15);
  return text.replace(/2026-01-\d\d/g, (day) =>
    new Date(Math.floor((Date.parse(day) + offset) / DAY_MS) * DAY_MS).toISOString().slice(0, 10),
  );
}

const examples = parseExamples(pageBlocks).map((example): Example => {
  const { rest, variables } = example;
  return {
    ...example,
    rest: rest && { ...rest, path: shiftDates(rest.path) },
    variables: JSON.parse(shiftDates(JSON.stringify(variables))),
  };
});

/**
 * Two services with the same data: the REST calls of the page change one, the documents beside them change the other.
 * Both must stay the same.
 */
describe('the examples of docs/migration.md', () => {
  interface Service {
    readonly rest: RestClient;
    readonly graphql: GraphqlClient;
  }
  const services: Switchboard[] = [];
  let byRest: Service;
  let byGraphql: Service;

  before(async () => {
    // The same secret makes the same single sign-on keys.
    const env = { SWITCHBOARD_SECRET: 'the same secret for both, of some length' };
    const start = async (): Promise<Service> => {
      const switchboard = await startSwitchboard({ demo: true, env });
      services.push(switchboard);
      const { url, key } = switchboard;
      return { rest: restClient(url, key), graphql: graphqlClient(url, await logIn(url)) };
    };
    [byRest, byGraphql] = await Promise.all([start(), start()]);
  });
  after(() => Promise.all(services.map((switchboard) => switchboard.stop())));

  for (const example of examples) {
    test(example.title, async () => {
      const { rest, document, variables } = example;
      if (!rest) {
        const { errors } = await byRest.graphql.run(document, variables);
        assert.deepEqual(errors, []);
        return;
      }
      const isRead = rest.method === 'GET';
      const restResponse = await call(byRest.rest, rest);
      const { data, errors } = await (isRead ? byRest : byGraphql).graphql.run(document, variables);
      assert.deepEqual(errors, []);
      assertEquivalent(example, restResponse, data);
      if (!isRead) await assertSameState(restResponse.headers.get('location') ?? rest.path);
    });
  }

  /** Reads what was written from both services, and compares. */
  async function assertSameState(path: string): Promise<void> {
    const read = async ({ rest }: Service) => {
      const { status, body } = await rest.get(path.replace('/api/2', ''));
      return { status, body: JSON.parse(JSON.stringify(body).replace(/("created_at":)"[^"]+"/, '$1""')) };
    };
    assert.deepEqual(await read(byGraphql), await read(byRest));
  }
});

function call(rest: RestClient, { method, path, body }: NonNullable<Example['rest']>): Promise<RestResponse> {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  return rest.send(method, path.replace('/api/2', ''), body === undefined ? {} : { body, headers });
}

// biome-ignore lint/suspicious/noExplicitAny: compares responses of every kind
type Any = any;

/** Compares the fields that both responses have. */
function assertEquivalent({ rest, title }: Example, { status, body }: RestResponse, data: Any): void {
  const [root] = Object.values(data) as Any[];
  if (status === 404) {
    assert.equal(root, null);
    return;
  }
  if (status === 400) {
    assert.deepEqual(
      root.userErrors.map((error: Any) => error.field.at(-1)),
      body.meta.errors.map((error: Any) => error.field),
    );
    return;
  }
  assert.ok(status === 200 || status === 201, JSON.stringify(body));
  if ('userErrors' in root) assert.deepEqual(root.userErrors, []);
  if ('deletedId' in root) {
    assert.equal(rest?.path.split('/').at(-1), root.deletedId);
    return;
  }
  if (body.data === undefined) return; // REST returns no data
  if ('nodes' in root) {
    const rows = rest?.path.includes('/operator/live') ? root.nodes.filter(isListed(rest.path)) : root.nodes;
    assert.ok(body.data.length > 0, `${title} returns nothing`);
    assert.equal(rows.length, body.data.length);
    for (const [index, item] of body.data.entries()) assertSameFields(item, rows[index]);
    if ('totalCount' in root) assert.equal(root.totalCount, body.pagination.count);
    return;
  }
  const [object] = 'userErrors' in root ? (Object.values(root) as Any[]) : [root];
  assertSameFields([body.data].flat()[0], object);
}

/** The rule of the page for the live list. */
function isListed(path: string): (node: Any) => boolean {
  const channels = (live: Any) => [live.chat, live.call, live.video];
  return ({ live }) =>
    path.includes('connected=0') || channels(live).some((channel) => channel.enabled && channel.available);
}

/** Every field of the object must be in the REST resource, with the same value. */
function assertSameFields(rest: Any, object: Any): void {
  for (const [name, value] of Object.entries(object) as [string, Any][]) {
    if (name === 'live' || name === 'statistics' || name === 'profile') assertSameFields(rest, value);
    else if (name === 'id') assert.equal(Number(value), rest.id ?? rest.user_id ?? rest.resource_id);
    else if (name === 'group' || name === 'parent') assertSameNode(rest, name, value);
    else if (name === 'website' || name === 'operator' || name === 'skill')
      assert.equal(value === null ? null : Number(value.id), rest[`${name}_id`]);
    else if (name === 'websites') assert.deepEqual(idsOf(value), rest.website_list ?? rest.website_id);
    else if (name in CONVERTED_FIELDS) CONVERTED_FIELDS[name]?.(value, rest);
    else if (name === 'skills') assert.deepEqual(idsOf(value), rest.skill_list);
    else if (name === 'operators')
      assert.deepEqual(idsOf(value.nodes).sort(byNumber), rest.operator_list.sort(byNumber));
    else if (name === 'roles')
      assert.deepEqual(
        value.map((role: string) => role.toLowerCase()),
        rest.roles,
      );
    else if (name === 'satisfactionRate' && 'satisfaction_global_rate' in rest)
      assert.equal(value ?? 0, rest.satisfaction_global_rate);
    else if (name === 'phoneNumber') assert.equal(value, rest.phone_number ?? null);
    else {
      const restValue = rest[toWireName(name)];
      assert.notEqual(restValue, undefined, `REST does not have ${name}`);
      if (value !== null && typeof value === 'object' && !Array.isArray(value)) assertSameFields(restValue, value);
      else assert.deepEqual(value, restValue, name);
    }
  }
}

const toRestTime = (time: string | null) => time?.slice(0, 19).replace('T', ' ') ?? null;
const AUTHORS = ['', 'OPERATOR', 'VISITOR', 'NOTICE'];

/** Fields that REST represents differently, by their name in GraphQL. */
const CONVERTED_FIELDS: Record<string, (value: Any, rest: Any) => void> = {
  createdAt: (value, rest) => assert.equal(toRestTime(value), rest.created_at),
  closedAt: (value, rest) => assert.equal(toRestTime(value), rest.closed_at),
  channel: (value, rest) => assert.equal(value.toLowerCase(), rest.channel),
  firstAnswerAt: (value, rest) => assert.equal(value !== null, rest.operator_answer),
  closedBy: (value, rest) => assert.equal(value === 'OPERATOR', rest.operator_closed),
  hasWaited: (value, rest) => assert.equal(value, rest.waitinglist),
  visitor: (value, rest) => assert.equal(value.uniqueId, rest.visitor_uid),
  tags: (value, rest) => assert.deepEqual(idsOf(value), rest.tag_list),
  conversationId: (value, rest) => assert.equal(Number(value), rest.conversation_id),
  noteDelay: (value, rest) => assert.equal(value, rest.node_delay),
  messages: (value, rest) => {
    assert.ok(value.length > 0);
    assert.deepEqual(
      value.map(({ author, at, text }: Any) => [AUTHORS.indexOf(author), toRestTime(at), text, Date.parse(at)]),
      rest.history,
    );
  },
  // Demo operators are connected, so this grows between the two responses.
  durationSeconds: (value, rest) => assert.ok(value > 0 && value === rest.contact_duration),
  queuedNumber: (value, rest) => assert.ok(value > 0 && value === rest.contact_waiting_number),
  // Conversations that still wait change this between the two responses.
  queuedSeconds: (value, rest) => assert.ok(value > 0 && Math.abs(value - rest.contact_waiting_duration) < 3600),
  connectedSeconds: (value, rest) => assert.ok(value > 0 && Math.abs(value - rest.connected_seconds) < 3600),
};

function assertSameNode(rest: Any, name: string, value: Any): void {
  assert.equal(value === null ? null : Number(value.id), rest[`${name}_id`]);
  if (value && 'parent' in value) {
    const ancestors: number[] = [];
    for (let node = value; node; node = node.parent) ancestors.push(Number(node.id));
    assert.deepEqual(ancestors, rest.parent_list);
  }
}

const idsOf = (nodes: readonly { id: string }[]) => nodes.map(({ id }) => Number(id));
const byNumber = (a: number, b: number) => a - b;

const FILTERS = {
  '/operator': OPERATOR_FILTERS,
  '/operator/live': OPERATOR_FILTERS,
  '/client': CLIENT_FILTERS,
  '/website': WEBSITE_FILTERS,
  '/group': TREE_FILTERS.group,
  '/skill': TREE_FILTERS.skill,
  '/conversation': CONVERSATION_FILTERS,
  '/visitor': VISITOR_FILTERS,
  '/satisfaction': SATISFACTION_FILTERS,
  '/tag': TAG_FILTERS,
  '/statistic': STATISTIC_FILTERS,
} as const;

/** The section that documents each schema; the fields of `call_config` are among those of the operator. */
const SCHEMAS: readonly (readonly [section: string, resource: string, schema: z.ZodObject])[] = [
  ['Operators', 'operator', operatorSchema],
  ['Operators', 'operator', callConfig],
  ['Live availability', 'operator', liveSchema],
  ['Live availability', 'operator', liveSchema.shape.chat],
  ['Statistics', 'operator', statisticsSchema],
  ['Profiles', 'operator', profileSchema],
  ['Clients', 'client', clientSchema],
  ['Websites', 'website', websiteSchema],
  ['Groups', 'group', groupSchema],
  ['Skills', 'skill', skillSchema],
  ['Statistics', 'statistic', statisticSchema],
  ['Conversations', 'conversation', conversationSchema],
  ['Visitors', 'visitor', visitorSchema],
  ['Satisfaction', 'satisfaction', satisfactionSchema],
  ['Tags', 'tag', tagSchema],
];

describe('docs/migration.md is complete', () => {
  test('every endpoint has a heading and an example', async () => {
    const headings = pageBlocks.filter((block) => block.kind === 'heading').map((block) => block.text);
    const documented = new Set(examples.map(({ rest }) => rest && endpointOf(rest)));
    for (const endpoint of await restRoutes()) {
      assert.ok(headings.includes(endpoint), `no heading for ${endpoint}`);
      assert.ok(documented.has(endpoint), `no example for ${endpoint}`);
    }
  });

  test('every field is mentioned in its section', () => {
    for (const [section, , { shape }] of SCHEMAS) {
      const text = sectionText(section);
      for (const name of Object.keys(shape)) assert.ok(text.includes(`\`${toWireName(name)}\``), `${section}: ${name}`);
    }
    for (const name of Object.keys(operatorUpdate.shape)) {
      assert.ok(JSON.stringify(pageBlocks).includes(`\`${toWireName(name)}\``), name);
    }
    for (const channel of Object.keys(liveUpdate.shape)) {
      const written = channel === 'connected' ? 'connected=0' : `${channel}[available]=`;
      assert.ok(sectionText('Live availability').includes(written), written);
    }
  });

  test('every filter has an example', () => {
    const paths = examples.flatMap(({ rest }) => (rest?.method === 'GET' ? [rest.path] : []));
    for (const [list, filters] of Object.entries(FILTERS)) {
      for (const name of Object.keys(filters)) {
        const hasExample = paths.some((path) => path.startsWith(`/api/2${list}?`) && path.includes(`filters[${name}]`));
        assert.ok(hasExample || sectionText('Clients').includes(`filters[${name}]`), filterName(list, name));
      }
    }
  });

  test('every parameter of lists is explained', () => {
    const text = sectionText('General differences');
    for (const name of [
      'page',
      'limit',
      'full=1',
      'fields[]',
      'filters[',
      'pagination',
      '_link',
      'key=',
      'X-API-Key',
    ]) {
      assert.ok(text.includes(name), name);
    }
  });

  test('the page is served as HTML', () => {
    const html = renderMigrationPage();
    for (const block of pageBlocks)
      if (block.kind === 'heading') assert.ok(html.includes(`>${block.text}</h`), block.text);
    assert.doesNotMatch(html, /```|\*\*|^\|/m);
  });
});

describe('the replacements of the migration meter', () => {
  test('exist for everything that the meter counts, and for nothing else', async () => {
    const counted = [
      ...(await restRoutes()),
      ...SCHEMAS.flatMap(([, resource, fields]) => [...mapDeprecatedFields(resource, fields).values()]),
      ...Object.entries(FILTERS).flatMap(([list, filters]) =>
        Object.keys(filters).map((name) => filterName(list, name)),
      ),
      INCLUDE_OFFLINE_FEATURE,
    ];
    assert.deepEqual(listReplacedFeatures().sort(), [...new Set(counted)].sort());
  });

  test('are valid documents', () => {
    for (const name of listReplacedFeatures()) {
      assert.deepEqual(validate(schema, parse(findReplacement(name) ?? '')), [], name);
    }
  });

  test('are the documents of the page, for endpoints', async () => {
    for (const endpoint of await restRoutes()) {
      const documents = examples
        .filter(({ rest }) => rest && endpointOf(rest) === endpoint)
        .map(({ document }) => print(parse(document)));
      assert.ok(documents.includes(print(parse(findReplacement(endpoint) ?? ''))), endpoint);
    }
  });
});

/** The endpoint of a call of the page: `GET /operator/{id}` for `GET /api/2/operator/4`. */
function endpointOf({ method, path }: NonNullable<Example['rest']>): string {
  return endpointName(method, (path.split('?')[0] ?? '').replace('/api/2', '').replace(/\/\d+/, '/:id'));
}
