import assert from 'node:assert/strict';
import type { GraphqlCaller } from '../../support/clients/graphql.ts';
import { insertSession } from '../../support/fixtures/browser-sessions.ts';
import { createResource } from '../../support/fixtures/resources.ts';
import { computeCurrentTotp, setUpTwoFactor, startTwoFactor } from '../../support/fixtures/two-factor.ts';
import { PASSWORD, type PermissionFixture, type TestOperator } from './permission-operators.ts';
import { type Cells, findCell, hasTargets, isOperatorViewer, type Target, type Viewer } from './permission-table.ts';

export interface MutationCase {
  readonly input: object;
  /** Replaces the viewer when the mutation would change or delete them. */
  readonly actingOperator?: TestOperator;
}

let nameCount = 0;
export const uniqueName = (kind: string) => {
  nameCount += 1;
  return `${kind} ${nameCount}`;
};

/** Creates a canned reply and returns its id. */
export async function createCannedReply(
  { run }: Pick<GraphqlCaller, 'run'>,
  owner: { readonly scope: string; readonly groupId?: string },
): Promise<string> {
  const mutation = `mutation($input: CannedReplyCreateInput!) {
    cannedReplyCreate(input: $input) { cannedReply { id } userErrors { message } } }`;
  const content = { shortcut: uniqueName('reply').replace(' ', '-'), text: 'Good day' };
  const { data, errors } = await run(mutation, { input: { ...owner, ...content } });
  assert.deepEqual([errors, data.cannedReplyCreate.userErrors], [[], []]);
  return data.cannedReplyCreate.cannedReply.id;
}

/** Of an event that never happens here: there is no receiver, and each delivery would be tried again. */
const newWebhook = () => ({
  name: uniqueName('hook'),
  url: 'https://receiver.invalid/',
  eventTypes: ['account.deleted'],
});

export interface MutationCases {
  /** For each mutation an input that is valid for every viewer with the permission. */
  readonly cases: Readonly<Record<string, (viewer: Viewer, target: Target) => Promise<MutationCase> | MutationCase>>;
  /** Creates the case of a mutation, or returns one that is forbidden to several viewers. */
  prepareCase(name: string, cells: Cells, viewer: Viewer, target: Target): Promise<MutationCase>;
  /** Creates an operator that a test may change or delete: a new target, or a new viewer for `self`. */
  createDisposable(viewer: Viewer, target: Target): Promise<{ id: string; actingOperator?: TestOperator }>;
}

export function createMutationCases(fixture: PermissionFixture): MutationCases {
  /** Creates an operator that a test may change or delete: a new target, or a new viewer for `self`. */
  async function createDisposable(
    viewer: Viewer,
    target: Target,
  ): Promise<{ id: string; actingOperator?: TestOperator }> {
    if (target !== 'self' || !isOperatorViewer(viewer)) return fixture.createTarget(target);
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
  const cases: MutationCases['cases'] = {
    operatorCreate: (_viewer, target) => ({
      input: {
        name: 'New',
        email: `${uniqueName('new').replace(' ', '')}@example.com`,
        groupId: (GROUPS[target] ?? GROUPS.ownGroup)?.(),
        ...(target === 'manager' || target === 'admin' ? { roles: [target.toUpperCase()] } : {}),
      },
    }),
    operatorUpdate: (viewer, target) => ({
      input: { id: fixture.target(viewer, target), pseudo: uniqueName('pseudo') },
    }),
    operatorAvailabilityUpdate: (viewer, target) => ({ input: { id: fixture.target(viewer, target), chat: true } }),
    operatorDisconnect: (viewer, target) => ({ input: { id: fixture.target(viewer, target) } }),
    operatorProfileUpdate: (viewer, target) => ({
      input: { id: fixture.target(viewer, target), city: uniqueName('city') },
    }),
    operatorSsoKeyRotate: (viewer, target) => ({ input: { id: fixture.target(viewer, target) } }),
    operatorInvite: (viewer, target) => ({ input: { id: fixture.target(viewer, target) } }),
    sessionEnd: async (viewer, target) => {
      const operatorId = fixture.target(viewer, target);
      return { input: { operatorId, id: await insertSession(fixture.switchboard.storedData, operatorId) } };
    },
    sessionsEnd: (viewer, target) => ({ input: { operatorId: fixture.target(viewer, target) } }),
    preferencesUpdate: () => ({ input: { theme: 'DARK' } }),
    cannedReplyCreate: (_viewer, target) => ({
      input: { ...replyOwner(target), shortcut: uniqueName('reply').replace(' ', '-'), text: 'Good day' },
    }),
    cannedRepliesImport: (_viewer, target) => ({
      input: {
        ...replyOwner(target),
        replies: [{ shortcut: uniqueName('reply').replace(' ', '-'), text: 'Good day' }],
      },
    }),
    cannedReplyUpdate: async (viewer, target) => ({
      input: { id: await createReplyOf(viewer, target), text: uniqueName('text') },
    }),
    cannedReplyDelete: async (viewer, target) => ({ input: { id: await createReplyOf(viewer, target) } }),
    twoFactorStart: () => ({ input: { currentPassword: PASSWORD } }),
    twoFactorConfirm: async (viewer) => {
      if (!isOperatorViewer(viewer)) return { input: { code: '000000' } };
      const actingOperator = await fixture.createViewer(viewer);
      const secret = await startTwoFactor(actingOperator, PASSWORD);
      return { input: { code: computeCurrentTotp(secret) }, actingOperator };
    },
    twoFactorDisable: createTwoFactorCase,
    recoveryCodesCreate: createTwoFactorCase,
    twoFactorReset: async (viewer, target) => {
      if (target === 'self') return { input: { id: fixture.target(viewer, target) } };
      const { id } = await fixture.createTarget(target);
      await fixture.switchboard.storedData.query(
        `insert into two_factors (account_id, operator_id, secret, enabled_at) values (1, ${id}, '', 1)`,
      );
      return { input: { id } };
    },
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
      const isSelf = target === 'self' && isOperatorViewer(viewer);
      const { externalId } = isSelf ? fixture.viewers[viewer] : await fixture.createTarget(target);
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
    noteAdd: async (viewer, target) => ({
      input: { conversationId: await createHandledConversation(viewer, target), clientId: 'one', text: 'A note' },
    }),
    typing: async (viewer, target) => ({
      input: { conversationId: await createHandledConversation(viewer, target) },
    }),
    conversationRead: async (viewer, target) => ({
      input: { id: await createHandledConversation(viewer, target), upTo: 1 },
    }),
    conversationTransfer: async (viewer, target) => ({
      input: {
        ...{ id: await createHandledConversation(viewer, target), operatorId: await createTransferTarget() },
        note: 'For the next one',
      },
    }),
    conversationEscalate: async (viewer, target) => ({
      input: { id: await createHandledConversation(viewer, target) },
    }),
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
    visitorUpdate: async (viewer, target) => {
      const id = await fixture.conversations.addVisitor();
      await fixture.conversations.add(fixture.target(viewer, target), 'active', id);
      return { input: { id, firstname: uniqueName('name') } };
    },
    messageLeftResolve: () => ({ input: { id: fixture.messageLeft } }),
    messageLeftReopen: () => ({ input: { id: fixture.messageLeft } }),
    messageLeftAssign: () => ({ input: { id: fixture.messageLeft, operatorId: fixture.viewers.admin.id } }),
    tagCreate: () => ({ input: { name: uniqueName('tag') } }),
    tagUpdate: () => ({ input: { id: fixture.tag, name: uniqueName('tag') } }),
    tagDelete: async () => ({ input: await createInput('tag', { name: uniqueName('tag') }) }),
    webhookCreate: () => ({ input: newWebhook() }),
    webhookUpdate: () => ({ input: { id: fixture.webhook, name: uniqueName('hook') } }),
    webhookDelete: async () => ({ input: { id: await createWebhook() } }),
    webhookSecretRotate: () => ({ input: { id: fixture.webhook } }),
    webhookTest: async () => ({ input: { id: await createWebhook() } }),
    webhookReplay: () => ({ input: { webhookId: fixture.webhook } }),
    apiKeyCreate: () => ({ input: { name: uniqueName('key'), access: 'READ' } }),
    apiKeyRevoke: async () => {
      const created = await fixture.viewers.admin.run(
        'mutation($input: ApiKeyCreateInput!) { apiKeyCreate(input: $input) { apiKey { id } } }',
        { input: { name: uniqueName('key'), access: 'READ' } },
      );
      return { input: { id: created.data.apiKeyCreate.apiKey.id } };
    },
  };

  /** An operator with two-factor authentication, who uses a recovery code. */
  async function createTwoFactorCase(viewer: Viewer): Promise<MutationCase> {
    if (!isOperatorViewer(viewer)) return { input: { currentPassword: PASSWORD, code: 'xxxxx-xxxxx' } };
    const actingOperator = await fixture.createViewer(viewer);
    const { recoveryCodes } = await setUpTwoFactor(actingOperator, PASSWORD);
    const [code] = recoveryCodes;
    return { input: { currentPassword: PASSWORD, code }, actingOperator };
  }

  /** The operators of the targets `manager` and `admin` have their own replies; no one else can create those. */
  function replyOwner(target: Target): { scope: string; groupId?: string } {
    if (target === 'noGroup') return { scope: 'ACCOUNT' };
    const groupId = GROUPS[target]?.();
    return groupId ? { scope: 'GROUP', groupId } : { scope: 'OWN' };
  }

  async function createReplyOf(viewer: Viewer, target: Target): Promise<string> {
    const owner = replyOwner(target);
    if (owner.scope !== 'OWN') return createCannedReply(fixture.viewers.admin, owner);
    const operator = target === 'self' ? fixture.viewers[viewer] : await fixture.createViewer('managerOfAll');
    return createCannedReply(operator, owner);
  }

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
    const mutation = 'mutation($input: WebhookCreateInput!) { webhookCreate(input: $input) { webhook { id } } }';
    return (await fixture.viewers.admin.run(mutation, { input: newWebhook() })).data.webhookCreate.webhook.id;
  }

  /** A forbidden mutation changes nothing, so that every viewer can try it on the same object. */
  const forbiddenCases = new Map<string, MutationCase>();

  async function prepareCase(name: string, cells: Cells, viewer: Viewer, target: Target): Promise<MutationCase> {
    const key = `${name} ${target}`;
    const isForbidden = findCell(cells, viewer, target) === 'forbidden';
    const testCase = (isForbidden && forbiddenCases.get(key)) || (await cases[name]?.(viewer, target));
    assert.ok(testCase, `no case for ${name}`);
    const isOfViewer = testCase.actingOperator !== undefined || (target === 'self' && hasTargets(cells));
    if (isForbidden && !isOfViewer) forbiddenCases.set(key, testCase);
    return testCase;
  }

  return { cases, prepareCase, createDisposable };
}
