import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type GraphqlClient, graphqlClient, logIn } from '../support/clients/graphql.ts';
import { assertSigned, expectedSignature } from '../support/clients/receiver.ts';
import { type RestClient, restClient } from '../support/clients/rest.ts';
import { CREATE_WEBHOOK, createWebhookFor, startReceiverFor } from '../support/clients/webhook-client.ts';
import { createResource } from '../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../support/processes/switchboard.ts';
import { waitUntil } from '../support/waiting/wait.ts';

const PRIVATE = { SWITCHBOARD_WEBHOOK_PRIVATE: '1' };

let switchboard: Switchboard;
let admin: GraphqlClient;
let rest: RestClient;
let folder: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-webhooks-'));
  switchboard = await startSwitchboard({ folder, env: PRIVATE });
  admin = graphqlClient(switchboard.url, await logIn(switchboard.url));
  rest = restClient(switchboard.url, switchboard.key);
});
after(async () => {
  await switchboard.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('rule 21: a change by REST is delivered, signed, to a webhook created by GraphQL', async (t) => {
  const receiver = await startReceiverFor(t);
  const { secret } = await createWebhookFor(t, admin, receiver, ['skill.*', 'group.created']);
  const skill = await createResource(rest, 'skill', { name: 'One' });
  await rest.put(`/skill/${skill}`, { name: 'Two' });
  await createResource(rest, 'website', { url: 'https://example.com', label: 'Not subscribed' });
  const group = await createResource(rest, 'group', { name: 'G' });
  await receiver.waitUntil(({ accepted }) => accepted.length === 3);
  for (const request of receiver.accepted) assertSigned(secret, request);
  const events = receiver.accepted.map(({ event }) => `${event.type} ${event.subject.id}`);
  assert.deepEqual(events.sort(), [`group.created ${group}`, `skill.created ${skill}`, `skill.updated ${skill}`]);
  const [created] = receiver.accepted;
  assert.deepEqual(created?.event.actor.type, 'api_key');
});

test('rule 21: a receiver that does not respond neither delays nor blocks writes', async (t) => {
  const receiver = await startReceiverFor(t);
  receiver.respond = () => () => undefined;
  const { id } = await createWebhookFor(t, admin, receiver, ['skill.*']);
  for (let number = 0; number < 20; number++) {
    // Each write succeeds while earlier deliveries are still pending. No timing needed: the receiver never responds.
    await createResource(rest, 'skill', { name: `Held ${number}` });
  }
  await receiver.waitUntil(({ received }) => received.length > 0);
  const query = `{ webhookDeliveries(webhookId: ${id}, state: PENDING, first: 1) { totalCount } }`;
  await waitUntil(
    '20 deliveries are listed',
    async () => (await admin.run(query)).data.webhookDeliveries.totalCount === 20,
  );
});

test('rule 21: unknown event types and invalid URLs are refused; the error lists the known types', async () => {
  const createInvalid = async (input: object) => {
    const { data } = await admin.run(CREATE_WEBHOOK, { input: { name: 'x', url: 'https://example.com', ...input } });
    assert.equal(data.webhookCreate.webhook, null);
    assert.equal(data.webhookCreate.secret, null);
    return data.webhookCreate.userErrors[0];
  };
  const unknown = await createInvalid({ eventTypes: ['conversation.started', 'conversation.exploded'] });
  assert.deepEqual([unknown.field, unknown.code], [['input', 'eventTypes'], 'INVALID']);
  assert.match(unknown.message, /conversation\.started.*satisfaction\.answered.*conversation\.\*/);
  for (const url of [
    '',
    'x',
    'ftp://example.com',
    'file:///etc/passwd',
    'https://',
    'https://u:p@example.com',
    'a b',
  ]) {
    assert.deepEqual((await createInvalid({ url })).field, ['input', 'url'], url);
  }
  assert.deepEqual((await createInvalid({ name: '' })).field, ['input', 'name']);
});

test('rule 21: private addresses are refused unless the installation allows them', async (t) => {
  const plain = await startSwitchboard();
  t.after(() => plain.stop());
  const receiver = await startReceiverFor(t);
  const client = graphqlClient(plain.url, await logIn(plain.url));
  for (const host of ['127.0.0.1', 'localhost', '2130706433', '[::1]', '[::ffff:127.0.0.1]', '10.0.0.1']) {
    const input = { name: 'x', url: `http://${host}:${receiver.port}/` };
    const { data } = await client.run(CREATE_WEBHOOK, { input });
    assert.match(data.webhookCreate.userErrors[0]?.message, /must not be in a private or local network/, host);
  }
  assert.equal(receiver.connections, 0);
});

test('rule 21: the secret is returned once; a repeated request does not return it again', async (t) => {
  const receiver = await startReceiverFor(t);
  const keyed = { 'Idempotency-Key': 'make-it-once' };
  const input = { name: 'Once', url: receiver.url, eventTypes: ['tag.*'] };
  const first = (await admin.run(CREATE_WEBHOOK, { input }, keyed)).data.webhookCreate;
  const replayed = (await admin.run(CREATE_WEBHOOK, { input }, keyed)).data.webhookCreate;
  assert.match(first.secret, /^sbw_[\w-]{43}$/);
  assert.equal(replayed.secret, null);
  assert.deepEqual(replayed.webhook, first.webhook);
  const { data } = await admin.run('{ webhooks { id name url eventTypes state pausedBecause failingSince } }');
  assert.ok(!JSON.stringify(data).includes(first.secret));
  await admin.run(`mutation { webhookDelete(input: { id: ${first.webhook.id} }) { deletedId } }`);
});

test('rule 21: after a rotation both secrets sign; webhookTest reaches only its own webhook', async (t) => {
  const [receiver, other] = [await startReceiverFor(t), await startReceiverFor(t)];
  const { id, secret } = await createWebhookFor(t, admin, receiver, ['account.updated']);
  await createWebhookFor(t, admin, other, []);
  const rotated = await admin.run(
    `mutation { webhookSecretRotate(input: { id: ${id} }) { webhook { previousSecretUntil } secret } }`,
  );
  const { secret: fresh, webhook } = rotated.data.webhookSecretRotate;
  assert.ok(Date.parse(webhook.previousSecretUntil) > Date.now() + 23 * 3600 * 1000);
  const tested = await admin.run(
    `mutation { webhookTest(input: { id: ${id} }) { webhook { id } userErrors { code } } }`,
  );
  assert.deepEqual(tested.data.webhookTest.userErrors, []);
  await receiver.waitUntil(({ accepted }) => accepted.length === 1);
  const [request] = receiver.accepted;
  assert.ok(request);
  assert.equal(request.event.type, 'webhook.tested');
  const both = `${expectedSignature(fresh, request)},${expectedSignature(secret, request)}`;
  assert.equal(request.headers['x-switchboard-signature'], both);
  await other.waitUntil(({ accepted }) => accepted.some(({ event }) => event.type === 'webhook.updated'));
  assert.ok(other.accepted.every(({ event }) => event.type !== 'webhook.tested'));

  await admin.run(`mutation { webhookUpdate(input: { id: ${id}, state: PAUSED }) { webhook { id } } }`);
  const paused = await admin.run(`mutation { webhookTest(input: { id: ${id} }) { userErrors { code } } }`);
  assert.deepEqual(paused.data.webhookTest.userErrors, [{ code: 'STATE' }]);
});

test('rule 21: dead letters are listed in pages and replayed by GraphQL', async (t) => {
  const receiver = await startReceiverFor(t);
  receiver.respond = () => 422;
  const { id } = await createWebhookFor(t, admin, receiver, ['skill.created']);
  for (let number = 0; number < 5; number++) await createResource(rest, 'skill', { name: `Dead ${number}` });
  const list = (args: string) =>
    admin.run(`{ webhookDeliveries(webhookId: ${id}, ${args}) {
      totalCount nodes { id state lastStatus attempts } pageInfo { hasNextPage endCursor }
    } }`);
  await waitUntil('5 are dead', async () => (await list('state: DEAD')).data.webhookDeliveries.totalCount === 5);
  const page = (await list('state: DEAD, first: 3')).data.webhookDeliveries;
  assert.deepEqual([page.nodes.length, page.pageInfo.hasNextPage], [3, true]);
  const others = (await list(`state: DEAD, first: 3, after: "${page.pageInfo.endCursor}"`)).data.webhookDeliveries;
  assert.deepEqual([others.nodes.length, others.pageInfo.hasNextPage], [2, false]);
  assert.equal(new Set([...page.nodes, ...others.nodes].map((node) => node.id)).size, 5);

  receiver.respond = () => 204;
  const replay = (fields: string) =>
    admin.run(
      `mutation { webhookReplay(input: { webhookId: ${id} ${fields} }) { replayedCount userErrors { code } } }`,
    );
  const deliveryId = page.nodes[0].id;
  assert.equal((await replay(`, deliveryId: ${deliveryId}`)).data.webhookReplay.replayedCount, 1);
  await receiver.waitUntil(({ accepted }) => accepted.length === 1);
  assert.equal(receiver.accepted[0]?.headers['x-switchboard-delivery'], deliveryId);
  await waitUntil(
    'one is delivered',
    async () => (await list('state: DELIVERED')).data.webhookDeliveries.totalCount === 1,
  );
  assert.deepEqual((await replay(`, deliveryId: ${deliveryId}`)).data.webhookReplay.userErrors, [{ code: 'STATE' }]);
  assert.deepEqual((await replay(', deliveryId: 99999')).data.webhookReplay.userErrors, [{ code: 'UNKNOWN_ID' }]);
  assert.equal((await replay('')).data.webhookReplay.replayedCount, 4);
  await receiver.waitUntil(({ accepted }) => accepted.length === 5);
  assert.equal((await list('state: DEAD')).data.webhookDeliveries.totalCount, 0);
});

test('rule 21: webhook secrets are not stored in plain text and not logged', async (t) => {
  const receiver = await startReceiverFor(t);
  const { id, secret } = await createWebhookFor(t, admin, receiver, []);
  const rotated = await admin.run(`mutation { webhookSecretRotate(input: { id: ${id} }) { secret } }`);
  await receiver.waitUntil(({ accepted }) => accepted.length >= 2);
  const secrets = [secret, rotated.data.webhookSecretRotate.secret as string];
  const stored = await switchboard.storedData.dumpRowsAndFiles();
  assert.ok(stored.includes(receiver.url), 'plain text is found');
  for (const encodedSecret of secrets.flatMap((text) => [text, Buffer.from(text).toString('base64')])) {
    assert.equal(stored.includes(encodedSecret), false);
  }
  assert.ok(!secrets.some((secret) => switchboard.log().includes(secret)));
});

test('rule 21: the metrics count deliveries', async (t) => {
  const receiver = await startReceiverFor(t);
  await createWebhookFor(t, admin, receiver, ['tag.created']);
  await rest.post('/tag', { name: 'Counted' });
  await receiver.waitUntil(({ accepted }) => accepted.length === 1);
  const metrics = () => fetch(`${switchboard.url}/metrics`).then((response) => response.text());
  await waitUntil('deliveries are counted', async () =>
    /switchboard_webhook_deliveries_total\{outcome="delivered"\} [1-9]/.test(await metrics()),
  );
  assert.match(await metrics(), /^switchboard_webhook_deliveries_pending \d+$/m);
});
