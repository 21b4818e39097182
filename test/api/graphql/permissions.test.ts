import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isInputObjectType, isNonNullType, isObjectType } from 'graphql';
import { schema } from '../../../src/api/graphql/schema.ts';
import { tryLogin } from '../../support/clients/oauth.ts';
import { insertSession } from '../../support/fixtures/browser-sessions.ts';
import { createCannedReply } from './permission-cases.ts';
import { openPermissionFixture, outcomeAt, type PermissionFixture, selectAllFields } from './permission-operators.ts';
import {
  type Cells,
  FIELDS,
  FILTERS,
  findCell,
  hasTargets,
  isOperatorViewer,
  MUTATIONS,
  OPERATOR_VIEWERS,
  SUBSCRIPTION_ONLY,
  SUBSCRIPTIONS,
  type Target,
  TESTED_TARGETS,
  TESTED_VIEWERS,
  UPDATES,
  type Viewer,
} from './permission-table.ts';

const TAKEN_OFFLINE = '{"by":{"type":"api_key","id":1},"at":1,"reason":"taken_offline"}';

let fixture: PermissionFixture;
before(async () => {
  fixture = await openPermissionFixture();
  // So that no list is empty.
  for (const viewer of OPERATOR_VIEWERS) {
    await fixture.conversationOf(viewer, 'self');
    await createCannedReply(fixture.viewers[viewer], { scope: 'OWN' });
  }
  await createCannedReply(fixture.viewers.admin, { scope: 'ACCOUNT' });
  await addLogins();
  await fixture.switchboard.storedData.query(
    `update operator_live set kept_offline = 1, taken_offline = '${TAKEN_OFFLINE}'`,
  );
});
after(() => fixture.stop());

/** A session and a refused login of every operator. */
async function addLogins(): Promise<void> {
  const { data } = await fixture.viewers.writeKey.run('{operators(first:100){nodes{id email}}}');
  for (const { id, email } of data.operators.nodes) {
    await insertSession(fixture.switchboard.storedData, id);
    await tryLogin(fixture.switchboard.url, email, 'not the password');
  }
}

/** Every `Type.field` of the schema whose type is included. */
function fieldsOf(isIncluded: (typeName: string, isInput: boolean) => boolean): Set<string> {
  const names = Object.values(schema.getTypeMap()).flatMap((type) => {
    if (type.name.startsWith('__') || !(isObjectType(type) || isInputObjectType(type))) return [];
    if (!isIncluded(type.name, isInputObjectType(type))) return [];
    return Object.keys(type.getFields()).map((field) => `${type.name}.${field}`);
  });
  return new Set(names);
}

const isPayload = (type: string) => type.endsWith('Payload') || SUBSCRIPTION_ONLY.has(type);

for (const [kind, cells, inSchema] of [
  [
    'field',
    FIELDS,
    fieldsOf((type, isInput) => !isInput && !isPayload(type) && type !== 'Mutation' && type !== 'Subscription'),
  ],
  ['mutation', MUTATIONS, fieldsOf((type) => type === 'Mutation')],
  ['subscription', SUBSCRIPTIONS, fieldsOf((type) => type === 'Subscription')],
  ['filter', FILTERS, fieldsOf((type, isInput) => isInput && type.endsWith('Filter'))],
  ['change of an operator', UPDATES, fieldsOf((type) => type === 'OperatorUpdateInput')],
] as const) {
  test(`every ${kind} of the schema has its cells, and every cell its ${kind}`, () => {
    // The id selects the operator; it is no change.
    const fields = inSchema.difference(new Set(['OperatorUpdateInput.id']));
    const withoutCell = [...fields].filter((name) => !cells.has(name));
    const withoutField = [...cells.keys()].filter((name) => !fields.has(name));
    assert.deepEqual(withoutCell, [], `without a cell in permission-table.ts: ${withoutCell.join(', ')}`);
    assert.deepEqual(withoutField, [], `cells without a field in the schema: ${withoutField.join(', ')}`);
  });
}

/** How to read an object of a type: a selection around its fields, and their path in the response. */
interface Route {
  readonly wrap: (fields: string) => string;
  readonly path: readonly string[];
  readonly isMutation?: boolean;
}

const nest =
  (...steps: readonly string[]): Route['wrap'] =>
  (fields) =>
    steps.reduceRight((inner, step) => `${step} { ${inner} }`, fields);

/** A route through a first field, which may have arguments, and further fields without. */
function route(first: string, ...rest: readonly string[]): Route {
  return { wrap: nest(first, ...rest), path: rest };
}

const DECISIONS = 'routingDecisions(conversationId: $conversation)';
const TARGETS_OF_TRANSFER = 'transferTargets(conversationId: $conversation)';
const previewArguments = (website: string) => `(websiteId: ${website}, channel: CHAT, language: "en")`;

function buildRoutes({
  groups,
  skill,
  website,
  tag,
  visitor,
  satisfaction,
  messageLeft,
  webhook,
}: PermissionFixture): Record<string, Route> {
  const list = (name: string) => `${name}(first: 1)`;
  const connections = [
    'Operator',
    'Group',
    'Skill',
    'Website',
    'Tag',
    'Visitor',
    'Satisfaction',
    'Conversation',
  ].flatMap((type): [string, Route][] => {
    const name = `${type.toLowerCase()}s`;
    return [
      [`${type}Connection`, route(list(name))],
      [`${type}Edge`, route(list(name), 'edges')],
    ];
  });
  const deliveries = `webhookDeliveries(webhookId: ${webhook}, first: 1)`;
  const mutation = (first: string, ...rest: string[]): Route => ({ ...route(first, ...rest), isMutation: true });
  const dryRun =
    'operatorsImport(input: { rows: [{ externalId: "x", name: "X", email: "x@example.com" }], dryRun: true })';
  return {
    Query: { wrap: (fields) => fields, path: [] },
    Account: route('account'),
    ApiKey: route('apiKeys'),
    RestUsage: route('restUsage'),
    EventPage: route(list('events')),
    EventPageInfo: route(list('events'), 'pageInfo'),
    Event: route(list('events'), 'nodes'),
    EventSubject: route(list('events'), 'nodes', 'subject'),
    EventActor: route(list('events'), 'nodes', 'actor'),
    Group: route(`group(id: ${groups.ownGroup})`),
    Website: route(`website(id: ${website})`),
    Widget: route(`website(id: ${website})`, 'widget'),
    WidgetPreChatForm: route(`website(id: ${website})`, 'widget', 'preChat'),
    WidgetText: route(`website(id: ${website})`, 'widget', 'texts'),
    OpeningHours: route(`website(id: ${website})`, 'openingHours'),
    WeeklyRange: route(`website(id: ${website})`, 'openingHours', 'weekly'),
    DateHours: route(`website(id: ${website})`, 'openingHours', 'dates'),
    TimeRange: route(`website(id: ${website})`, 'openingHours', 'dates', 'ranges'),
    Skill: route(`skill(id: ${skill})`),
    Conversation: route('conversation(id: $conversation)'),
    Message: route('conversation(id: $conversation)', 'messages'),
    Note: route('conversation(id: $conversation)', 'notes'),
    Attachment: route('conversation(id: $conversation)', 'messages', 'attachments'),
    Notice: route('conversation(id: $conversation)', 'messages', 'notice'),
    NoticeParameter: route('conversation(id: $conversation)', 'messages', 'notice', 'parameters'),
    TransferTargets: route(TARGETS_OF_TRANSFER),
    TransferOperator: route(TARGETS_OF_TRANSFER, 'operators'),
    TransferGroup: route(TARGETS_OF_TRANSFER, 'groups'),
    TransferSkill: route(TARGETS_OF_TRANSFER, 'skills'),
    RoutingDecision: route(DECISIONS),
    RoutingNeed: route(DECISIONS, 'need'),
    RankedOperator: route(DECISIONS, 'ranked'),
    RoutingExclusion: route(DECISIONS, 'excluded'),
    Actor: route(DECISIONS, 'actor'),
    RoutingPreview: route(`routingPreview${previewArguments(website)}`),
    LiveChangeConnection: route('liveHistory(operatorId: $target, first: 1)'),
    LiveChangeEdge: route('liveHistory(operatorId: $target, first: 1)', 'edges'),
    LiveChange: route('liveHistory(operatorId: $target, first: 1)', 'nodes'),
    OperatorMoment: route('liveAt(time: "2100-01-01", operatorIds: [$target])'),
    CannedReply: route('cannedReplies'),
    Tag: route(`tag(id: ${tag})`),
    Webhook: route(`webhook(id: ${webhook})`),
    WebhookDeliveryConnection: route(deliveries),
    WebhookDeliveryEdge: route(deliveries, 'edges'),
    WebhookDelivery: route(deliveries, 'nodes'),
    Visitor: route(`visitor(id: ${visitor})`),
    VisitorContext: route(`visitor(id: ${visitor})`, 'context'),
    VisitorField: route(`visitor(id: ${visitor})`, 'context', 'fields'),
    Satisfaction: route(`satisfaction(id: ${satisfaction})`),
    MessageLeft: route(`messageLeft(id: ${messageLeft})`),
    MessageLeftConnection: route(list('messagesLeft')),
    MessageLeftEdge: route(list('messagesLeft'), 'edges'),
    SkillAvailability: route(`skill(id: ${skill})`, 'availability'),
    ChannelAvailability: route(`skill(id: ${skill})`, 'availability', 'chat'),
    ...Object.fromEntries(connections),
    PageInfo: route(list('operators'), 'pageInfo'),
    UserError: mutation('conversationClose(input: { id: 999999 })', 'userErrors'),
    OperatorsImportReport: mutation(dryRun, 'report'),
    OperatorsImportRow: mutation(dryRun, 'report', 'rows'),
    Operator: route('operator(id: $target)'),
    OperatorLive: route('operator(id: $target)', 'live'),
    TakenOffline: route('operator(id: $target)', 'live', 'takenOffline'),
    ChannelLive: route('operator(id: $target)', 'live', 'chat'),
    TwoFactor: route('operator(id: $target)', 'twoFactor'),
    CallConfig: route('operator(id: $target)', 'callConfig'),
    BrowserSession: route('operator(id: $target)', 'sessions'),
    FailedLogin: route('operator(id: $target)', 'failedLogins'),
    OperatorProfile: route('operator(id: $target)', 'profile'),
    OperatorPreferences: route('operator(id: $target)', 'preferences'),
    Statistics: route('operator(id: $target)', 'statistics'),
  };
}

async function buildQueryArguments({
  groups,
  viewers,
  ...fixture
}: PermissionFixture): Promise<Record<string, string>> {
  const { skill, website, tag, visitor, satisfaction, messageLeft, webhook, target, conversationOf } = fixture;
  const ids = {
    group: groups.ownGroup,
    skill,
    website,
    tag,
    visitor,
    satisfaction,
    messageLeft,
    webhook,
    operator: viewers.admin.id,
  };
  const byId = Object.entries(ids).map(([name, id]) => [name, `(id: ${id})`]);
  const ofOwn = { operator: target('admin', 'ownGroup'), conversation: await conversationOf('admin', 'ownGroup') };
  const whyNot = `(operatorId: ${ofOwn.operator})`;
  return {
    ...Object.fromEntries(byId),
    webhookDeliveries: `(webhookId: ${webhook})`,
    conversation: `(id: ${ofOwn.conversation})`,
    transferTargets: `(conversationId: ${ofOwn.conversation})`,
    routingDecisions: `(conversationId: ${ofOwn.conversation})`,
    routingPreview: previewArguments(website),
    liveHistory: `(operatorId: ${ofOwn.operator})`,
    liveAt: '(time: "2100-01-01")',
    'RoutingDecision.whyNot': whyNot,
    'RoutingPreview.whyNot': whyNot,
  };
}

/** The types whose cells have targets, or have none, with all cells of each. */
function typesWith(targets: boolean): Map<string, [string, Cells][]> {
  const cells = [...FIELDS].filter(([, fieldCells]) => hasTargets(fieldCells) === targets);
  return Map.groupBy(cells, ([name]) => name.split('.')[0] as string);
}

const CHUNK_SIZE = 20;

function chunk<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / CHUNK_SIZE) }, (_, part) =>
    items.slice(part * CHUNK_SIZE, (part + 1) * CHUNK_SIZE),
  );
}

/** A forbidden field that is not nullable empties the whole response, so it gets a separate document. */
function splitQuery(cells: readonly [string, Cells][], viewer: Viewer): [string, Cells][][] {
  const fields = schema.getQueryType()?.getFields() ?? {};
  const { single = [], together = [] } = Object.groupBy(cells, ([name, cell]) =>
    isNonNullType(fields[name.split('.')[1] as string]?.type) && findCell(cell, viewer) === 'forbidden'
      ? 'single'
      : 'together',
  );
  return [...single.map((cell) => [cell]), ...chunk(together)];
}

/** Reads every field of these types as a viewer and compares each with its cell. */
async function checkCells(viewer: Viewer, types: Map<string, [string, Cells][]>, target?: Target): Promise<void> {
  const { run } = fixture.viewers[viewer];
  const routes = buildRoutes(fixture);
  const args = await buildQueryArguments(fixture);
  for (const isMutation of [false, true]) {
    const selected = [...types].filter(([type]) => Boolean(routes[type]?.isMutation) === isMutation);
    // An error of a mutation ends the whole document, so each gets a separate one; root fields of a query are limited.
    const queries = selected
      .filter(([type]) => type === 'Query')
      .flatMap(([type, cells]) => splitQuery(cells, viewer).map((part) => [[type, part]] as typeof selected));
    const documents = isMutation
      ? selected.map((field) => [field])
      : [...queries, ...chunk(selected.filter(([type]) => type !== 'Query'))];
    for (const document of documents.filter((selection) => selection.length > 0)) {
      const selections = document.map(([type, cells]) => {
        const typeRoute = routes[type];
        assert.ok(typeRoute, `no route to an object of the type ${type}: add one`);
        const fields = selectAllFields(
          type,
          (field) => args[type === 'Query' ? field : `${type}.${field}`] ?? '',
          (field) => type !== 'Query' || cells.some(([name]) => name === `Query.${field}`),
        );
        return type === 'Query' ? fields : `${type}: ${typeRoute.wrap(fields)}`;
      });
      const ids = target && {
        target: fixture.target(viewer, target),
        conversation: await fixture.conversationOf(viewer, target),
      };
      const used = Object.entries(ids ?? {}).filter(([name]) => selections.join().includes(`$${name}`));
      const head =
        used.length > 0 ? `query(${used.map(([name]) => `$${name}: ID!`)})` : isMutation ? 'mutation' : 'query';
      const text = `${head} { ${selections.join('\n')} }`;
      const variables = Object.fromEntries(used);
      // The second run uses the compiled query.
      for (const response of [await run(text, variables), await run(text, variables)]) {
        for (const [type, cells] of document) {
          for (const [name, cell] of cells) {
            const field = name.split('.')[1] as string;
            const path = type === 'Query' ? [field] : [type, ...(routes[type]?.path ?? []), field];
            const expected = findCell(cell, viewer, target);
            assert.equal(outcomeAt(response, path), expected, `${name} for ${viewer}${target ? ` of ${target}` : ''}`);
          }
        }
      }
    }
  }
}

for (const viewer of TESTED_VIEWERS) {
  test(`${viewer}: every field without a target matches the permission table`, async () => {
    await checkCells(viewer, typesWith(false));
  });
  for (const target of TESTED_TARGETS) {
    if (target === 'self' && !isOperatorViewer(viewer)) continue;
    test(`${viewer} on ${target}: every field of an operator matches the permission table`, async () => {
      await checkCells(viewer, typesWith(true), target);
    });
  }
}
