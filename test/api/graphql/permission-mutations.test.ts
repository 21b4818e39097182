import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isObjectType } from 'graphql';
import { schema } from '../../../src/api/graphql/schema.ts';
import type { GraphqlResponse } from '../../support/clients/graphql.ts';
import { createResource } from '../../support/fixtures/resources.ts';
import {
  openPermissionFixture,
  outcomeOf,
  PASSWORD,
  type PermissionFixture,
  selectAllFields,
  type TestOperator,
} from './permission-operators.ts';
import {
  type Cells,
  findCell,
  hasTargets,
  MUTATIONS,
  TARGETS,
  type Target,
  UPDATES,
  VIEWERS,
  type Viewer,
} from './permission-table.ts';

let fixture: PermissionFixture;
before(async () => {
  fixture = await openPermissionFixture();
});
after(() => fixture.stop());

interface Case {
  readonly input: object;
  /** Replaces the viewer when the mutation would change or delete them. */
  readonly actingOperator?: TestOperator;
}

let nameCount = 0;
const uniqueName = (kind: string) => {
  nameCount += 1;
  return `${kind} ${nameCount}`;
};

/** Creates an operator that a test may change or delete: a new target, or a new viewer for `self`. */
async function createDisposable(
  viewer: Viewer,
  target: Target,
): Promise<{ id: string; actingOperator?: TestOperator }> {
  if (target !== 'self') return fixture.createTarget(target);
  const actingOperator = await fixture.createViewer(viewer);
  return { id: actingOperator.id, actingOperator };
}

/** Creates a resource and returns an input with its id. */
const createInput = async (resource: string, fields: object) => ({
  id: String(await createResource(fixture.rest, resource, { ...fields })),
});

const GROUPS: Partial<Record<Target, () => string | null>> = {
  ownGroup: () => fixture.groups.ownGroup,
  subgroup: () => fixture.groups.subgroup,
  otherGroup: () => fixture.groups.otherGroup,
  noGroup: () => null,
};

/** For each mutation an input that is valid for every viewer with the permission. */
const CASES: Record<string, (viewer: Viewer, target: Target) => Promise<Case> | Case> = {
  operatorCreate: (_viewer, target) => ({
    input: {
      name: 'New',
      email: `${uniqueName('new').replace(' ', '')}@example.com`,
      groupId: (GROUPS[target] ?? GROUPS.ownGroup)?.(),
      ...(target === 'manager' || target === 'admin' ? { roles: [target.toUpperCase()] } : {}),
    },
  }),
  operatorUpdate: (viewer, target) => ({ input: { id: fixture.target(viewer, target), pseudo: uniqueName('pseudo') } }),
  operatorAvailabilityUpdate: (viewer, target) => ({ input: { id: fixture.target(viewer, target), chat: true } }),
  operatorDisconnect: (viewer, target) => ({ input: { id: fixture.target(viewer, target) } }),
  operatorProfileUpdate: (viewer, target) => ({
    input: { id: fixture.target(viewer, target), city: uniqueName('city') },
  }),
  operatorSsoKeyRotate: (viewer, target) => ({ input: { id: fixture.target(viewer, target) } }),
  operatorConnect: () => ({ input: { ttlSeconds: 1 } }),
  operatorDelete: async (viewer, target) => {
    const { id, ...standIn } = await createDisposable(viewer, target);
    return { input: { id }, ...standIn };
  },
  operatorPasswordChange: async (viewer, target) => {
    const { id, ...standIn } = await createDisposable(viewer, target);
    const current = target === 'self' ? { currentPassword: PASSWORD } : {};
    return { input: { id, newPassword: 'another password of this test', ...current }, ...standIn };
  },
  operatorsImport: async (viewer, target) => {
    const { externalId } = target === 'self' ? fixture.viewers[viewer] : await fixture.createTarget(target);
    return { input: { rows: [{ externalId, name: uniqueName('name') }] } };
  },
  offerAccept: async (viewer, target) => ({
    input: { conversationId: await createOfferedConversation(viewer, target) },
  }),
  offerDecline: async (viewer, target) => ({
    input: { conversationId: await createOfferedConversation(viewer, target) },
  }),
  messageSend: async (viewer, target) => ({
    input: { conversationId: await createHandledConversation(viewer, target), text: 'Good day' },
  }),
  conversationTransfer: async (viewer, target) => ({
    input: { id: await createHandledConversation(viewer, target), operatorId: await createTransferTarget() },
  }),
  conversationEscalate: async (viewer, target) => ({ input: { id: await createHandledConversation(viewer, target) } }),
  conversationTag: async (viewer, target) => ({
    input: { id: await createHandledConversation(viewer, target), tagIds: [fixture.tag] },
  }),
  conversationClose: async (viewer, target) => ({ input: { id: await createHandledConversation(viewer, target) } }),
  conversationTake: async (viewer, target) => ({
    input: { id: await createHandledConversation(viewer, target), operatorId: await createTransferTarget() },
  }),
  accountUpdate: () => ({ input: { name: uniqueName('account') } }),
  skillOperatorsAdd: (viewer, target) => ({
    input: { id: fixture.skill, operatorIds: [fixture.target(viewer, target)] },
  }),
  skillOperatorsRemove: (viewer, target) => ({
    input: { id: fixture.skill, operatorIds: [fixture.target(viewer, target)] },
  }),
  skillCreate: () => ({ input: { name: uniqueName('skill') } }),
  skillUpdate: () => ({ input: { id: fixture.skill, name: uniqueName('skill') } }),
  skillDelete: async () => ({ input: await createInput('skill', { name: uniqueName('skill') }) }),
  groupCreate: () => ({ input: { name: uniqueName('group') } }),
  groupUpdate: () => ({ input: { id: fixture.groups.otherGroup, name: uniqueName('group') } }),
  groupDelete: async () => ({ input: await createInput('group', { name: uniqueName('group') }) }),
  websiteCreate: () => ({ input: { url: 'https://example.com', label: uniqueName('website') } }),
  websiteUpdate: () => ({ input: { id: fixture.website, label: uniqueName('website') } }),
  websiteDelete: async () => ({
    input: await createInput('website', { url: 'https://example.com', label: uniqueName('site') }),
  }),
  websiteSecretRotate: () => ({ input: { id: fixture.website } }),
  visitorErase: async () => ({ input: { id: await createVisitor() } }),
  tagCreate: () => ({ input: { name: uniqueName('tag') } }),
  tagUpdate: () => ({ input: { id: fixture.tag, name: uniqueName('tag') } }),
  tagDelete: async () => ({ input: await createInput('tag', { name: uniqueName('tag') }) }),
  webhookCreate: () => ({ input: { name: uniqueName('hook'), url: 'https://receiver.invalid/' } }),
  webhookUpdate: () => ({ input: { id: fixture.webhook, name: uniqueName('hook') } }),
  webhookDelete: async () => ({ input: { id: await createWebhook() } }),
  webhookSecretRotate: () => ({ input: { id: fixture.webhook } }),
  webhookTest: async () => ({ input: { id: await createWebhook() } }),
  webhookReplay: () => ({ input: { webhookId: fixture.webhook } }),
  apiKeyCreate: () => ({ input: { name: uniqueName('key'), access: 'READ' } }),
  apiKeyRevoke: async () => {
    const created = await fixture.viewers.admin.run(buildMutation('apiKeyCreate'), {
      input: { name: uniqueName('key'), access: 'READ' },
    });
    const keys = await fixture.viewers.admin.run('{ apiKeys { id revokedAt } }');
    assert.deepEqual(created.errors, []);
    return { input: { id: keys.data.apiKeys.at(-1).id } };
  },
};

/** Creates a conversation that the target handles. The target is connected and has free slots. */
async function createHandledConversation(viewer: Viewer, target: Target): Promise<string> {
  return fixture.conversations.add(await fixture.conversations.makeFree(fixture.target(viewer, target)));
}

function createOfferedConversation(viewer: Viewer, target: Target): Promise<string> {
  return fixture.conversations.add(fixture.target(viewer, target), 'offered');
}

/** Creates a connected operator with free slots in a group that every manager manages. */
async function createTransferTarget(): Promise<string> {
  return fixture.conversations.makeFree((await fixture.createTarget('ownGroup')).id);
}

async function createVisitor(): Promise<string> {
  const response = await fetch(`${fixture.switchboard.url}/visitor/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ websiteId: fixture.website }),
  });
  const { visitorId } = (await response.json()) as { visitorId: string };
  const query = 'query($uniqueId: String) { visitors(filter: { uniqueId: $uniqueId }) { nodes { id } } }';
  return (await fixture.viewers.admin.run(query, { uniqueId: visitorId })).data.visitors.nodes[0].id;
}

async function createWebhook(): Promise<string> {
  const input = { name: uniqueName('hook'), url: 'https://receiver.invalid/' };
  const mutation = 'mutation($input: WebhookCreateInput!) { webhookCreate(input: $input) { webhook { id } } }';
  return (await fixture.viewers.admin.run(mutation, { input })).data.webhookCreate.webhook.id;
}

/** A mutation that selects every field of its payload. */
function buildMutation(name: string): string {
  const field = schema.getMutationType()?.getFields()[name];
  const payloadType = field && 'ofType' in field.type ? field.type.ofType : undefined;
  assert.ok(field && isObjectType(payloadType), name);
  const report = selectAllFields('OperatorsImportReport').replace('__typename', 'outcome userErrors { message }');
  const fields = selectAllFields(payloadType.name)
    .replace('report { __typename }', `report { ${report} }`)
    .replace('userErrors { __typename }', 'userErrors { field message code }');
  return `mutation($input: ${String(field.args[0]?.type)}) { ${name}(input: $input) { ${fields} } }`;
}

/** Managers get a forbidden row in the report; for other viewers the whole import is forbidden. */
function outcomeOfImport(response: GraphqlResponse): string {
  const report = response.data?.operatorsImport?.report;
  if (!report) return outcomeOf(response);
  const [row] = report.rows;
  if (report.applied && row.outcome === 'UPDATED') return 'allowed';
  return !report.applied && /not allowed/.test(row.userErrors[0]?.message) ? 'forbidden' : JSON.stringify(report);
}

/** Accepting another operator's offer fails with the same code as an offer that has ended. */
function outcomeOfOffer(response: GraphqlResponse): string {
  const [error] = Object.values<{ userErrors: { code: string }[] }>(response.data ?? {})[0]?.userErrors ?? [];
  return error?.code === 'STATE' ? 'forbidden' : outcomeOf(response);
}

async function checkCell(name: string, cells: Cells, viewer: Viewer, target: Target, testCase: Case): Promise<void> {
  const before = await fixture.countEvents();
  const response = await (testCase.actingOperator ?? fixture.viewers[viewer]).run(buildMutation(name), {
    input: testCase.input,
  });
  const hasRowOutcomes = name === 'operatorsImport' && viewer !== 'expert' && viewer !== 'operator';
  const isOffer = name.startsWith('offer');
  const outcome = hasRowOutcomes ? outcomeOfImport(response) : isOffer ? outcomeOfOffer(response) : outcomeOf(response);
  const label = `${name} for ${viewer} on ${target}: ${JSON.stringify(testCase.input)}`;
  assert.equal(outcome, findCell(cells, viewer, target), label);
  if (outcome === 'forbidden') assert.equal(await fixture.countEvents(), before, `${label} logged an event`);
}

test('every mutation has a case', () => {
  const names = [...MUTATIONS.keys()].map((name) => name.split('.')[1]);
  assert.deepEqual(Object.keys(CASES).sort(), names.sort());
});

for (const [key, cells] of MUTATIONS) {
  const name = key.split('.')[1] as string;
  for (const viewer of VIEWERS) {
    test(`${name} for ${viewer} matches the permission table`, async () => {
      for (const target of hasTargets(cells) ? TARGETS : (['self'] as const)) {
        if (findCell(cells, viewer, target) === undefined) continue;
        const testCase = await CASES[name]?.(viewer, target);
        assert.ok(testCase, `no case for ${name}`);
        await checkCell(name, cells, viewer, target, testCase);
      }
    });
  }
}

/** For each field of an update a value that differs from the current one and that a manager may set. */
const CHANGES: Record<string, () => unknown> = {
  name: () => uniqueName('name'),
  firstName: () => uniqueName('first'),
  pseudo: () => uniqueName('pseudo'),
  email: () => `${uniqueName('changed').replace(' ', '')}@example.com`,
  externalId: () => uniqueName('external'),
  roles: () => ['EXPERT', 'OPERATOR'],
  languageList: () => ['fr', 'de'],
  languageAdmin: () => 'fr',
  callConfig: () => ({ askPhoneNumberAtEveryConnection: true }),
  groupId: () => fixture.groups.ownGroup,
  websiteIds: () => [],
  skillIds: () => [],
  chatEnabled: () => false,
  callEnabled: () => true,
  videoEnabled: () => true,
  chatMaxNumber: () => 7,
  chatAndCall: () => true,
  chatToVideo: () => true,
  chatPriority: () => 10,
  callPriority: () => 10,
  videoPriority: () => 10,
  password: () => 'yet another password of this test',
};

for (const [key, cells] of UPDATES) {
  const name = key.split('.')[1] as string;
  for (const viewer of VIEWERS) {
    test(`operatorUpdate with ${name} for ${viewer} matches the permission table`, async () => {
      for (const target of TARGETS) {
        // A change can move an operator to another cell of the table, so each change uses a new operator.
        const isDisposable = findCell(cells, viewer, target) === 'allowed' && (name === 'roles' || target !== 'self');
        const subject = isDisposable ? await createDisposable(viewer, target) : { id: fixture.target(viewer, target) };
        const { id, ...standIn } = subject;
        const value = CHANGES[name]?.();
        assert.notEqual(value, undefined, `no value for ${name}`);
        await checkCell('operatorUpdate', cells, viewer, target, { input: { id, [name]: value }, ...standIn });
      }
    });
  }
}
