import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isInputObjectType, isObjectType } from 'graphql';
import { schema } from '../../../src/api/graphql/schema.ts';
import { everyField, openWorld, outcomeAt, type World } from './permission-people.ts';
import {
  type Cells,
  cellOf,
  FIELDS,
  FILTERS,
  hasTargets,
  MUTATIONS,
  SUBSCRIPTIONS,
  TARGETS,
  type Target,
  UPDATES,
  VIEWERS,
  type Viewer,
  WATCHED_ONLY,
} from './permission-table.ts';

let world: World;
before(async () => {
  world = await openWorld();
  for (const viewer of VIEWERS) await world.conversationOf(viewer, 'self'); // nobody's list is empty
});
after(() => world.stop());

/** Every `Type.field` of the schema whose type passes. */
function fieldsOf(isMeant: (typeName: string, isInput: boolean) => boolean): Set<string> {
  const names = Object.values(schema.getTypeMap()).flatMap((type) => {
    if (type.name.startsWith('__') || !(isObjectType(type) || isInputObjectType(type))) return [];
    if (!isMeant(type.name, isInputObjectType(type))) return [];
    return Object.keys(type.getFields()).map((field) => `${type.name}.${field}`);
  });
  return new Set(names);
}

const isAnswer = (type: string) => type.endsWith('Payload') || WATCHED_ONLY.has(type);

for (const [what, cells, inSchema] of [
  [
    'field',
    FIELDS,
    fieldsOf((type, isInput) => !isInput && !isAnswer(type) && type !== 'Mutation' && type !== 'Subscription'),
  ],
  ['mutation', MUTATIONS, fieldsOf((type) => type === 'Mutation')],
  ['subscription', SUBSCRIPTIONS, fieldsOf((type) => type === 'Subscription')],
  ['filter', FILTERS, fieldsOf((type, isInput) => isInput && type.endsWith('Filter'))],
  ['change of an operator', UPDATES, fieldsOf((type) => type === 'OperatorUpdateInput')],
] as const) {
  test(`every ${what} of the schema has its cells, and every cell its ${what}`, () => {
    // Who is changed is no change.
    const named = inSchema.difference(new Set(['OperatorUpdateInput.id']));
    const withoutCell = [...named].filter((name) => !cells.has(name));
    const withoutField = [...cells.keys()].filter((name) => !named.has(name));
    assert.deepEqual(withoutCell, [], `without a cell in permission-table.ts: ${withoutCell.join(', ')}`);
    assert.deepEqual(withoutField, [], `cells of nothing in the schema: ${withoutField.join(', ')}`);
  });
}

/** How an object of a type is come by: what stands around its fields, and the way to them. */
interface Door {
  readonly around: (fields: string) => string;
  readonly path: readonly string[];
  readonly isMutation?: boolean;
}

const through =
  (...steps: readonly string[]): Door['around'] =>
  (fields) =>
    steps.reduceRight((inner, step) => `${step} { ${inner} }`, fields);

/** A way through fields without arguments, after a first one with arguments. */
function door(first: string, ...rest: readonly string[]): Door {
  return { around: through(first, ...rest), path: rest };
}

const DECISIONS = 'routingDecisions(conversationId: $conversation)';
const PREVIEWED = (website: string) => `(websiteId: ${website}, channel: CHAT, language: "en")`;

function doors({ groups, skill, website, tag, visitor, satisfaction, webhook }: World): Record<string, Door> {
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
  ].flatMap((type): [string, Door][] => {
    const name = `${type.toLowerCase()}s`;
    return [
      [`${type}Connection`, door(list(name))],
      [`${type}Edge`, door(list(name), 'edges')],
    ];
  });
  const deliveries = `webhookDeliveries(webhookId: ${webhook}, first: 1)`;
  const mutation = (first: string, ...rest: string[]): Door => ({ ...door(first, ...rest), isMutation: true });
  const dryRun =
    'operatorsImport(input: { rows: [{ externalId: "x", name: "X", email: "x@example.com" }], dryRun: true })';
  return {
    Query: { around: (fields) => fields, path: [] },
    Account: door('account'),
    ApiKey: door('apiKeys'),
    RestUsage: door('restUsage'),
    EventPage: door(list('events')),
    EventPageInfo: door(list('events'), 'pageInfo'),
    Event: door(list('events'), 'nodes'),
    EventSubject: door(list('events'), 'nodes', 'subject'),
    EventActor: door(list('events'), 'nodes', 'actor'),
    Group: door(`group(id: ${groups.own})`),
    Website: door(`website(id: ${website})`),
    Skill: door(`skill(id: ${skill})`),
    Conversation: door('conversation(id: $conversation)'),
    Message: door('conversation(id: $conversation)', 'messages'),
    RoutingDecision: door(DECISIONS),
    RoutingNeed: door(DECISIONS, 'need'),
    RankedOperator: door(DECISIONS, 'ranked'),
    RoutingExclusion: door(DECISIONS, 'excluded'),
    Actor: door(DECISIONS, 'actor'),
    RoutingPreview: door(`routingPreview${PREVIEWED(website)}`),
    LiveChangeConnection: door('liveHistory(operatorId: $target, first: 1)'),
    LiveChangeEdge: door('liveHistory(operatorId: $target, first: 1)', 'edges'),
    LiveChange: door('liveHistory(operatorId: $target, first: 1)', 'nodes'),
    OperatorMoment: door('liveAt(time: "2100-01-01", operatorIds: [$target])'),
    Tag: door(`tag(id: ${tag})`),
    Webhook: door(`webhook(id: ${webhook})`),
    WebhookDeliveryConnection: door(deliveries),
    WebhookDeliveryEdge: door(deliveries, 'edges'),
    WebhookDelivery: door(deliveries, 'nodes'),
    Visitor: door(`visitor(id: ${visitor})`),
    Satisfaction: door(`satisfaction(id: ${satisfaction})`),
    SkillAvailability: door(`skill(id: ${skill})`, 'availability'),
    ChannelAvailability: door(`skill(id: ${skill})`, 'availability', 'chat'),
    ...Object.fromEntries(connections),
    PageInfo: door(list('operators'), 'pageInfo'),
    UserError: mutation('operatorDelete(input: { id: 999999 })', 'userErrors'),
    OperatorsImportReport: mutation(dryRun, 'report'),
    OperatorsImportRow: mutation(dryRun, 'report', 'rows'),
    Operator: door('operator(id: $target)'),
    OperatorLive: door('operator(id: $target)', 'live'),
    ChannelLive: door('operator(id: $target)', 'live', 'chat'),
    CallConfig: door('operator(id: $target)', 'callConfig'),
    OperatorProfile: door('operator(id: $target)', 'profile'),
    Statistics: door('operator(id: $target)', 'statistics'),
  };
}

async function queryArguments({ groups, viewers, ...world }: World): Promise<Record<string, string>> {
  const { skill, website, tag, visitor, satisfaction, webhook, target, conversationOf } = world;
  const ids = { group: groups.own, skill, website, tag, visitor, satisfaction, webhook, operator: viewers.admin.id };
  const byId = Object.entries(ids).map(([name, id]) => [name, `(id: ${id})`]);
  const ofOwn = { operator: target('admin', 'own'), conversation: await conversationOf('admin', 'own') };
  const whyNot = `(operatorId: ${ofOwn.operator})`;
  return {
    ...Object.fromEntries(byId),
    webhookDeliveries: `(webhookId: ${webhook})`,
    conversation: `(id: ${ofOwn.conversation})`,
    routingDecisions: `(conversationId: ${ofOwn.conversation})`,
    routingPreview: PREVIEWED(website),
    liveHistory: `(operatorId: ${ofOwn.operator})`,
    liveAt: '(time: "2100-01-01")',
    'RoutingDecision.whyNot': whyNot,
    'RoutingPreview.whyNot': whyNot,
  };
}

/** The types whose cells have targets, or have none, with all cells of each. */
function typesWith(targets: boolean): Map<string, [string, Cells][]> {
  const cells = [...FIELDS].filter(([, each]) => hasTargets(each) === targets);
  return Map.groupBy(cells, ([name]) => name.split('.')[0] as string);
}

const AT_ONCE = 20;

function inParts<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / AT_ONCE) }, (_, part) =>
    items.slice(part * AT_ONCE, (part + 1) * AT_ONCE),
  );
}

/** Reads every field of these types as a viewer and compares each with its cell. */
async function compare(viewer: Viewer, types: Map<string, [string, Cells][]>, target?: Target): Promise<void> {
  const { run } = world.viewers[viewer];
  const known = doors(world);
  const named = await queryArguments(world);
  for (const isMutation of [false, true]) {
    const meant = [...types].filter(([type]) => Boolean(known[type]?.isMutation) === isMutation);
    // Errors of a mutation end the whole document, so each has one of its own; a query has so many fields at its root at most.
    const queries = meant
      .filter(([type]) => type === 'Query')
      .flatMap(([type, cells]) => inParts(cells).map((part) => [[type, part]] as typeof meant));
    const documents = isMutation
      ? meant.map((each) => [each])
      : [...queries, ...inParts(meant.filter(([type]) => type !== 'Query'))];
    for (const document of documents.filter((each) => each.length > 0)) {
      const selections = document.map(([type, cells]) => {
        const way = known[type];
        assert.ok(way, `no way to an object of the type ${type}: add a door to it`);
        const fields = everyField(
          type,
          (field) => named[type === 'Query' ? field : `${type}.${field}`] ?? '',
          (field) => type !== 'Query' || cells.some(([name]) => name === `Query.${field}`),
        );
        return type === 'Query' ? fields : `${type}: ${way.around(fields)}`;
      });
      const whose = target && {
        target: world.target(viewer, target),
        conversation: await world.conversationOf(viewer, target),
      };
      const used = Object.entries(whose ?? {}).filter(([name]) => selections.join().includes(`$${name}`));
      const head =
        used.length > 0 ? `query(${used.map(([name]) => `$${name}: ID!`)})` : isMutation ? 'mutation' : 'query';
      const text = `${head} { ${selections.join('\n')} }`;
      const variables = Object.fromEntries(used);
      // The second time a query runs in its compiled form.
      for (const answer of [await run(text, variables), await run(text, variables)]) {
        for (const [type, cells] of document) {
          for (const [name, cell] of cells) {
            const field = name.split('.')[1] as string;
            const path = type === 'Query' ? [field] : [type, ...(known[type]?.path ?? []), field];
            const expected = cellOf(cell, viewer, target);
            assert.equal(outcomeAt(answer, path), expected, `${name} for ${viewer}${target ? ` of ${target}` : ''}`);
          }
        }
      }
    }
  }
}

for (const viewer of VIEWERS) {
  test(`${viewer}: every field without a target is as the table says`, async () => {
    await compare(viewer, typesWith(false));
  });
  for (const target of TARGETS) {
    test(`${viewer} on ${target}: every field of an operator is as the table says`, async () => {
      await compare(viewer, typesWith(true), target);
    });
  }
}
