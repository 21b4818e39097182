import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isObjectType } from 'graphql';
import { schema } from '../../../src/api/graphql/schema.ts';
import type { GraphqlResponse } from '../../support/clients/graphql.ts';
import { createResource } from '../../support/fixtures/resources.ts';
import { openWorld, outcomeOf, PASSWORD, type Person, selectAllFields, type World } from './permission-people.ts';
import {
  type Cells,
  cellOf,
  hasTargets,
  MUTATIONS,
  TARGETS,
  type Target,
  UPDATES,
  VIEWERS,
  type Viewer,
} from './permission-table.ts';

let world: World;
before(async () => {
  world = await openWorld();
});
after(() => world.stop());

interface Case {
  readonly input: object;
  /** Replaces the viewer when the mutation would change or delete them. */
  readonly as?: Person;
}

let nameCount = 0;
const uniqueName = (kind: string) => {
  nameCount += 1;
  return `${kind} ${nameCount}`;
};

/** Creates an operator that a test may change or delete: a new target, or a new viewer for `self`. */
async function createDisposable(viewer: Viewer, target: Target): Promise<{ id: string; as?: Person }> {
  if (target !== 'self') return world.createTarget(target);
  const as = await world.createViewer(viewer);
  return { id: as.id, as };
}

/** Creates a resource and returns an input with its id. */
const createInput = async (resource: string, fields: object) => ({
  id: String(await createResource(world.rest, resource, { ...fields })),
});

const GROUPS: Partial<Record<Target, () => string | null>> = {
  own: () => world.groups.own,
  under: () => world.groups.under,
  other: () => world.groups.other,
  groupless: () => null,
};

/** For each mutation an input that is valid for every viewer with the permission. */
const CASES: Record<string, (viewer: Viewer, target: Target) => Promise<Case> | Case> = {
  operatorCreate: (_viewer, target) => ({
    input: {
      name: 'New',
      email: `${uniqueName('new').replace(' ', '')}@example.com`,
      groupId: (GROUPS[target] ?? GROUPS.own)?.(),
      ...(target === 'manager' || target === 'admin' ? { roles: [target.toUpperCase()] } : {}),
    },
  }),
  operatorUpdate: (viewer, target) => ({ input: { id: world.target(viewer, target), pseudo: uniqueName('pseudo') } }),
  operatorAvailabilityUpdate: (viewer, target) => ({ input: { id: world.target(viewer, target), chat: true } }),
  operatorDisconnect: (viewer, target) => ({ input: { id: world.target(viewer, target) } }),
  operatorProfileUpdate: (viewer, target) => ({
    input: { id: world.target(viewer, target), city: uniqueName('city') },
  }),
  operatorSsoKeyRotate: (viewer, target) => ({ input: { id: world.target(viewer, target) } }),
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
    const { externalId } = target === 'self' ? world.viewers[viewer] : await world.createTarget(target);
    return { input: { rows: [{ externalId, name: uniqueName('name') }] } };
  },
  offerAccept: async (viewer, target) => ({
    input: { conversationId: await createOfferedConversation(viewer, target) },
  }),
  offerDecline: async (viewer, target) => ({
    input: { conversationId: await createOfferedConversation(viewer, target) },
  }),
  messageSend: async (viewer, target) => ({
    input: { conversationId: await createHeldConversation(viewer, target), text: 'Good day' },
  }),
  conversationTransfer: async (viewer, target) => ({
    input: { id: await createHeldConversation(viewer, target), operatorId: await createReceiver() },
  }),
  conversationEscalate: async (viewer, target) => ({ input: { id: await createHeldConversation(viewer, target) } }),
  conversationTag: async (viewer, target) => ({
    input: { id: await createHeldConversation(viewer, target), tagIds: [world.tag] },
  }),
  conversationClose: async (viewer, target) => ({ input: { id: await createHeldConversation(viewer, target) } }),
  conversationTake: async (viewer, target) => ({
    input: { id: await createHeldConversation(viewer, target), operatorId: await createReceiver() },
  }),
  accountUpdate: () => ({ input: { name: uniqueName('account') } }),
  skillOperatorsAdd: (viewer, target) => ({
    input: { id: world.skill, operatorIds: [world.target(viewer, target)] },
  }),
  skillOperatorsRemove: (viewer, target) => ({
    input: { id: world.skill, operatorIds: [world.target(viewer, target)] },
  }),
  skillCreate: () => ({ input: { name: uniqueName('skill') } }),
  skillUpdate: () => ({ input: { id: world.skill, name: uniqueName('skill') } }),
  skillDelete: async () => ({ input: await createInput('skill', { name: uniqueName('skill') }) }),
  groupCreate: () => ({ input: { name: uniqueName('group') } }),
  groupUpdate: () => ({ input: { id: world.groups.other, name: uniqueName('group') } }),
  groupDelete: async () => ({ input: await createInput('group', { name: uniqueName('group') }) }),
  websiteCreate: () => ({ input: { url: 'https://example.com', label: uniqueName('website') } }),
  websiteUpdate: () => ({ input: { id: world.website, label: uniqueName('website') } }),
  websiteDelete: async () => ({
    input: await createInput('website', { url: 'https://example.com', label: uniqueName('site') }),
  }),
  websiteSecretRotate: () => ({ input: { id: world.website } }),
  visitorErase: async () => ({ input: { id: await createVisitor() } }),
  tagCreate: () => ({ input: { name: uniqueName('tag') } }),
  tagUpdate: () => ({ input: { id: world.tag, name: uniqueName('tag') } }),
  tagDelete: async () => ({ input: await createInput('tag', { name: uniqueName('tag') }) }),
  webhookCreate: () => ({ input: { name: uniqueName('hook'), url: 'https://receiver.invalid/' } }),
  webhookUpdate: () => ({ input: { id: world.webhook, name: uniqueName('hook') } }),
  webhookDelete: async () => ({ input: { id: await createWebhook() } }),
  webhookSecretRotate: () => ({ input: { id: world.webhook } }),
  webhookTest: async () => ({ input: { id: await createWebhook() } }),
  webhookReplay: () => ({ input: { webhookId: world.webhook } }),
  apiKeyCreate: () => ({ input: { name: uniqueName('key'), access: 'READ' } }),
  apiKeyRevoke: async () => {
    const created = await world.viewers.admin.run(buildMutation('apiKeyCreate'), {
      input: { name: uniqueName('key'), access: 'READ' },
    });
    const keys = await world.viewers.admin.run('{ apiKeys { id revokedAt } }');
    assert.deepEqual(created.errors, []);
    return { input: { id: keys.data.apiKeys.at(-1).id } };
  },
};

/** Adds a conversation of a target, who is connected and free. */
async function createHeldConversation(viewer: Viewer, target: Target): Promise<string> {
  return world.conversations.add(await world.conversations.makeFree(world.target(viewer, target)));
}

function createOfferedConversation(viewer: Viewer, target: Target): Promise<string> {
  return world.conversations.add(world.target(viewer, target), 'offered');
}

/** Creates an operator whom all managers manage, connected and free. */
async function createReceiver(): Promise<string> {
  return world.conversations.makeFree((await world.createTarget('own')).id);
}

async function createVisitor(): Promise<string> {
  const response = await fetch(`${world.switchboard.url}/visitor/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ websiteId: world.website }),
  });
  const { visitorId } = (await response.json()) as { visitorId: string };
  const text = 'query($uniqueId: String) { visitors(filter: { uniqueId: $uniqueId }) { nodes { id } } }';
  return (await world.viewers.admin.run(text, { uniqueId: visitorId })).data.visitors.nodes[0].id;
}

async function createWebhook(): Promise<string> {
  const input = { name: uniqueName('hook'), url: 'https://receiver.invalid/' };
  const text = 'mutation($input: WebhookCreateInput!) { webhookCreate(input: $input) { webhook { id } } }';
  return (await world.viewers.admin.run(text, { input })).data.webhookCreate.webhook.id;
}

/** A mutation that selects every field of its payload. */
function buildMutation(name: string): string {
  const field = schema.getMutationType()?.getFields()[name];
  const answer = field && 'ofType' in field.type ? field.type.ofType : undefined;
  assert.ok(field && isObjectType(answer), name);
  const report = selectAllFields('OperatorsImportReport').replace('__typename', 'outcome userErrors { message }');
  const fields = selectAllFields(answer.name)
    .replace('report { __typename }', `report { ${report} }`)
    .replace('userErrors { __typename }', 'userErrors { field message code }');
  return `mutation($input: ${String(field.args[0]?.type)}) { ${name}(input: $input) { ${fields} } }`;
}

/** Managers get a forbidden row in the report; for other viewers the whole import is forbidden. */
function outcomeOfImport(answer: GraphqlResponse): string {
  const report = answer.data?.operatorsImport?.report;
  if (!report) return outcomeOf(answer);
  const [row] = report.rows;
  if (report.applied && row.outcome === 'UPDATED') return 'allowed';
  return !report.applied && /not allowed/.test(row.userErrors[0]?.message) ? 'forbidden' : JSON.stringify(report);
}

/** An offer to another operator is reported like one that has ended. */
function outcomeOfOffer(answer: GraphqlResponse): string {
  const [error] = Object.values<{ userErrors: { code: string }[] }>(answer.data ?? {})[0]?.userErrors ?? [];
  return error?.code === 'STATE' ? 'forbidden' : outcomeOf(answer);
}

async function checkCell(name: string, cells: Cells, viewer: Viewer, target: Target, testCase: Case): Promise<void> {
  const before = await world.countEvents();
  const answer = await (testCase.as ?? world.viewers[viewer]).run(buildMutation(name), { input: testCase.input });
  const hasRowOutcomes = name === 'operatorsImport' && viewer !== 'expert' && viewer !== 'operator';
  const isOffer = name.startsWith('offer');
  const outcome = hasRowOutcomes ? outcomeOfImport(answer) : isOffer ? outcomeOfOffer(answer) : outcomeOf(answer);
  const label = `${name} for ${viewer} on ${target}: ${JSON.stringify(testCase.input)}`;
  assert.equal(outcome, cellOf(cells, viewer, target), label);
  if (outcome === 'forbidden') assert.equal(await world.countEvents(), before, `${label} logged an event`);
}

test('every mutation has a case', () => {
  const names = [...MUTATIONS.keys()].map((name) => name.split('.')[1]);
  assert.deepEqual(Object.keys(CASES).sort(), names.sort());
});

for (const [key, cells] of MUTATIONS) {
  const name = key.split('.')[1] as string;
  for (const viewer of VIEWERS) {
    test(`${name} for ${viewer} matches the table`, async () => {
      for (const target of hasTargets(cells) ? TARGETS : (['self'] as const)) {
        if (cellOf(cells, viewer, target) === undefined) continue;
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
  groupId: () => world.groups.own,
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
    test(`operatorUpdate with ${name} for ${viewer} matches the table`, async () => {
      for (const target of TARGETS) {
        // A changed operator may belong to another cell of the table, so each change gets a new one.
        const isDisposable = cellOf(cells, viewer, target) === 'allowed' && (name === 'roles' || target !== 'self');
        const subject = isDisposable ? await createDisposable(viewer, target) : { id: world.target(viewer, target) };
        const { id, ...as } = subject;
        const value = CHANGES[name]?.();
        assert.notEqual(value, undefined, `no value for ${name}`);
        await checkCell('operatorUpdate', cells, viewer, target, { input: { id, [name]: value }, ...as });
      }
    });
  }
}
