import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isObjectType } from 'graphql';
import { schema } from '../../../src/api/graphql/schema.ts';
import type { GraphqlAnswer } from '../../support/clients/graphql.ts';
import { add } from '../../support/people/people.ts';
import { everyField, openWorld, outcomeOf, PASSWORD, type Person, type World } from './permission-people.ts';
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
  /** Somebody who is lost afterwards stands in for the viewer. */
  readonly as?: Person;
}

let things = 0;
const fresh = (what: string) => {
  things += 1;
  return `${what} ${things}`;
};

/** Somebody who may be lost: a new target, or a new viewer who means themself. */
async function throwaway(viewer: Viewer, target: Target): Promise<{ id: string; as?: Person }> {
  if (target !== 'self') return world.newTarget(target);
  const as = await world.newViewer(viewer);
  return { id: as.id, as };
}

const made = async (resource: string, fields: object) => ({
  id: String(await add(world.rest, resource, { ...fields })),
});

const GROUPS: Partial<Record<Target, () => string | null>> = {
  own: () => world.groups.own,
  under: () => world.groups.under,
  other: () => world.groups.other,
  groupless: () => null,
};

/** For each mutation an input that works for whoever may do it. */
const CASES: Record<string, (viewer: Viewer, target: Target) => Promise<Case> | Case> = {
  operatorCreate: (_viewer, target) => ({
    input: {
      name: 'New',
      email: `${fresh('new').replace(' ', '')}@example.com`,
      groupId: (GROUPS[target] ?? GROUPS.own)?.(),
      ...(target === 'manager' || target === 'admin' ? { roles: [target.toUpperCase()] } : {}),
    },
  }),
  operatorUpdate: (viewer, target) => ({ input: { id: world.target(viewer, target), pseudo: fresh('pseudo') } }),
  operatorAvailabilityUpdate: (viewer, target) => ({ input: { id: world.target(viewer, target), chat: true } }),
  operatorDisconnect: (viewer, target) => ({ input: { id: world.target(viewer, target) } }),
  operatorProfileUpdate: (viewer, target) => ({ input: { id: world.target(viewer, target), city: fresh('city') } }),
  operatorSsoKeyRotate: (viewer, target) => ({ input: { id: world.target(viewer, target) } }),
  operatorConnect: () => ({ input: { ttlSeconds: 1 } }),
  operatorDelete: async (viewer, target) => {
    const { id, ...who } = await throwaway(viewer, target);
    return { input: { id }, ...who };
  },
  operatorPasswordChange: async (viewer, target) => {
    const { id, ...who } = await throwaway(viewer, target);
    const current = target === 'self' ? { currentPassword: PASSWORD } : {};
    return { input: { id, newPassword: 'another password of this test', ...current }, ...who };
  },
  operatorsImport: async (viewer, target) => {
    const { externalId } = target === 'self' ? world.viewers[viewer] : await world.newTarget(target);
    return { input: { rows: [{ externalId, name: fresh('name') }] } };
  },
  offerAccept: async (viewer, target) => ({ input: { conversationId: await offeredTo(viewer, target) } }),
  offerDecline: async (viewer, target) => ({ input: { conversationId: await offeredTo(viewer, target) } }),
  messageSend: async (viewer, target) => ({
    input: { conversationId: await heldBy(viewer, target), text: 'Good day' },
  }),
  conversationTransfer: async (viewer, target) => ({
    input: { id: await heldBy(viewer, target), operatorId: await receiver() },
  }),
  conversationEscalate: async (viewer, target) => ({ input: { id: await heldBy(viewer, target) } }),
  conversationTag: async (viewer, target) => ({ input: { id: await heldBy(viewer, target), tagIds: [world.tag] } }),
  conversationClose: async (viewer, target) => ({ input: { id: await heldBy(viewer, target) } }),
  conversationTake: async (viewer, target) => ({
    input: { id: await heldBy(viewer, target), operatorId: await receiver() },
  }),
  accountUpdate: () => ({ input: { name: fresh('account') } }),
  skillOperatorsAdd: (viewer, target) => ({
    input: { id: world.skill, operatorIds: [world.target(viewer, target)] },
  }),
  skillOperatorsRemove: (viewer, target) => ({
    input: { id: world.skill, operatorIds: [world.target(viewer, target)] },
  }),
  skillCreate: () => ({ input: { name: fresh('skill') } }),
  skillUpdate: () => ({ input: { id: world.skill, name: fresh('skill') } }),
  skillDelete: async () => ({ input: await made('skill', { name: fresh('skill') }) }),
  groupCreate: () => ({ input: { name: fresh('group') } }),
  groupUpdate: () => ({ input: { id: world.groups.other, name: fresh('group') } }),
  groupDelete: async () => ({ input: await made('group', { name: fresh('group') }) }),
  websiteCreate: () => ({ input: { url: 'https://example.com', label: fresh('website') } }),
  websiteUpdate: () => ({ input: { id: world.website, label: fresh('website') } }),
  websiteDelete: async () => ({ input: await made('website', { url: 'https://example.com', label: fresh('site') }) }),
  websiteSecretRotate: () => ({ input: { id: world.website } }),
  visitorErase: async () => ({ input: { id: await newVisitor() } }),
  tagCreate: () => ({ input: { name: fresh('tag') } }),
  tagUpdate: () => ({ input: { id: world.tag, name: fresh('tag') } }),
  tagDelete: async () => ({ input: await made('tag', { name: fresh('tag') }) }),
  webhookCreate: () => ({ input: { name: fresh('hook'), url: 'https://receiver.invalid/' } }),
  webhookUpdate: () => ({ input: { id: world.webhook, name: fresh('hook') } }),
  webhookDelete: async () => ({ input: { id: await newWebhook() } }),
  webhookSecretRotate: () => ({ input: { id: world.webhook } }),
  webhookTest: async () => ({ input: { id: await newWebhook() } }),
  webhookReplay: () => ({ input: { webhookId: world.webhook } }),
  apiKeyCreate: () => ({ input: { name: fresh('key'), access: 'READ' } }),
  apiKeyRevoke: async () => {
    const created = await world.viewers.admin.run(mutation('apiKeyCreate'), {
      input: { name: fresh('key'), access: 'READ' },
    });
    const keys = await world.viewers.admin.run('{ apiKeys { id revokedAt } }');
    assert.deepEqual(created.errors, []);
    return { input: { id: keys.data.apiKeys.at(-1).id } };
  },
};

/** A conversation of a target, who is there and free. */
async function heldBy(viewer: Viewer, target: Target): Promise<string> {
  return world.conversations.add(await world.conversations.free(world.target(viewer, target)));
}

function offeredTo(viewer: Viewer, target: Target): Promise<string> {
  return world.conversations.add(world.target(viewer, target), 'offered');
}

/** Somebody whom all managers manage, and who has nothing else to do. */
async function receiver(): Promise<string> {
  return world.conversations.free((await world.newTarget('own')).id);
}

async function newVisitor(): Promise<string> {
  const response = await fetch(`${world.switchboard.url}/visitor/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ websiteId: world.website }),
  });
  const { visitorId } = (await response.json()) as { visitorId: string };
  const text = 'query($uniqueId: String) { visitors(filter: { uniqueId: $uniqueId }) { nodes { id } } }';
  return (await world.viewers.admin.run(text, { uniqueId: visitorId })).data.visitors.nodes[0].id;
}

async function newWebhook(): Promise<string> {
  const input = { name: fresh('hook'), url: 'https://receiver.invalid/' };
  const text = 'mutation($input: WebhookCreateInput!) { webhookCreate(input: $input) { webhook { id } } }';
  return (await world.viewers.admin.run(text, { input })).data.webhookCreate.webhook.id;
}

/** A mutation that asks for every field of its answer. */
function mutation(name: string): string {
  const field = schema.getMutationType()?.getFields()[name];
  const answer = field && 'ofType' in field.type ? field.type.ofType : undefined;
  assert.ok(field && isObjectType(answer), name);
  const report = everyField('OperatorsImportReport').replace('__typename', 'outcome userErrors { message }');
  const fields = everyField(answer.name)
    .replace('report { __typename }', `report { ${report} }`)
    .replace('userErrors { __typename }', 'userErrors { field message code }');
  return `mutation($input: ${String(field.args[0]?.type)}) { ${name}(input: $input) { ${fields} } }`;
}

/** To managers a row that is refused is told in the report; others are refused as a whole. */
function outcomeOfImport(answer: GraphqlAnswer): string {
  const report = answer.data?.operatorsImport?.report;
  if (!report) return outcomeOf(answer);
  const [row] = report.rows;
  if (report.applied && row.outcome === 'UPDATED') return 'allowed';
  return !report.applied && /may not/.test(row.userErrors[0]?.message) ? 'forbidden' : JSON.stringify(report);
}

/** An offer to somebody else is told as one that is gone, which it may well be. */
function outcomeOfOffer(answer: GraphqlAnswer): string {
  const [error] = Object.values<{ userErrors: { code: string }[] }>(answer.data ?? {})[0]?.userErrors ?? [];
  return error?.code === 'STATE' ? 'forbidden' : outcomeOf(answer);
}

async function tryOut(name: string, cells: Cells, viewer: Viewer, target: Target, from: Case): Promise<void> {
  const before = await world.eventNumber();
  const answer = await (from.as ?? world.viewers[viewer]).run(mutation(name), { input: from.input });
  const byRows = name === 'operatorsImport' && viewer !== 'expert' && viewer !== 'operator';
  const isOffer = name.startsWith('offer');
  const outcome = byRows ? outcomeOfImport(answer) : isOffer ? outcomeOfOffer(answer) : outcomeOf(answer);
  const what = `${name} for ${viewer} on ${target}: ${JSON.stringify(from.input)}`;
  assert.equal(outcome, cellOf(cells, viewer, target), what);
  if (outcome === 'forbidden') assert.equal(await world.eventNumber(), before, `${what} left a trace`);
}

test('every mutation has a case that is tried out', () => {
  const names = [...MUTATIONS.keys()].map((name) => name.split('.')[1]);
  assert.deepEqual(Object.keys(CASES).sort(), names.sort());
});

for (const [key, cells] of MUTATIONS) {
  const name = key.split('.')[1] as string;
  for (const viewer of VIEWERS) {
    test(`${name} for ${viewer} is as the table says`, async () => {
      for (const target of hasTargets(cells) ? TARGETS : (['self'] as const)) {
        if (cellOf(cells, viewer, target) === undefined) continue;
        const from = await CASES[name]?.(viewer, target);
        assert.ok(from, `no case for ${name}`);
        await tryOut(name, cells, viewer, target, from);
      }
    });
  }
}

/** A value for each field of an update that is another than the present one, and within the reach of a manager. */
const CHANGES: Record<string, () => unknown> = {
  name: () => fresh('name'),
  firstName: () => fresh('first'),
  pseudo: () => fresh('pseudo'),
  email: () => `${fresh('changed').replace(' ', '')}@example.com`,
  externalId: () => fresh('external'),
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
    test(`operatorUpdate with ${name} for ${viewer} is as the table says`, async () => {
      for (const target of TARGETS) {
        // Whoever was changed stands elsewhere in the table from now on, so it is somebody new.
        const lost = cellOf(cells, viewer, target) === 'allowed' && (name === 'roles' || target !== 'self');
        const who = lost ? await throwaway(viewer, target) : { id: world.target(viewer, target) };
        const { id, ...as } = who;
        const value = CHANGES[name]?.();
        assert.notEqual(value, undefined, `no value for ${name}`);
        await tryOut('operatorUpdate', cells, viewer, target, { input: { id, [name]: value }, ...as });
      }
    });
  }
}
