import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parse, validate } from 'graphql';
import { schema } from '../../../src/api/graphql/schema.ts';
import { EVENT_TYPES } from '../../../src/core/webhooks/event-types.ts';
import { buildSignatureHeader } from '../../../src/core/webhooks/signature.ts';
import { type GraphqlClient, graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { restClient } from '../../support/clients/rest.ts';
import { createResource } from '../../support/fixtures/resources.ts';
import { spawnGuarded } from '../../support/processes/guarded-processes.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';
import { WAIT_TIMEOUT_MS } from '../../support/waiting/wait.ts';

const page = readFileSync(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8');

function blocks(language: string): string[] {
  return [...page.matchAll(/```(\w+)\n(.*?)```/gs)]
    .filter(([, blockLanguage]) => blockLanguage === language)
    .map(([, , text = '']) => text);
}

let switchboard: Switchboard;
let admin: GraphqlClient;
let folder: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-receiver-'));
  switchboard = await startSwitchboard({ env: { SWITCHBOARD_WEBHOOK_PRIVATE: '1' } });
  admin = graphqlClient(switchboard.url, await logIn(switchboard.url));
});
after(async () => {
  await switchboard.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the receiver from the page unchanged. */
async function runReceiver(t: { after(end: () => void): void }, port: number, secret: string) {
  const file = join(folder, 'receiver.mjs');
  writeFileSync(file, blocks('js')[0] ?? assert.fail('the page has no receiver'));
  const env = { PATH: process.env.PATH, WEBHOOK_SECRET: secret, PORT: String(port) };
  const child = spawnGuarded(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill());
  const output = { text: '' };
  const listeners = new Set<() => void>();
  child.stdout.on('data', (chunk) => {
    output.text += chunk;
    for (const check of listeners) check();
  });
  const until = (pattern: RegExp) =>
    new Promise<RegExpMatchArray>((resolve, reject) => {
      setTimeout(() => reject(new Error(`No output matches ${pattern}: ${output.text}`)), WAIT_TIMEOUT_MS).unref();
      const check = () => {
        const match = output.text.match(pattern);
        if (!match) return;
        listeners.delete(check);
        resolve(match);
      };
      listeners.add(check);
      check();
    });
  const [, actual] = await until(/listening on (\d+)/);
  return { url: `http://127.0.0.1:${actual}/`, port: Number(actual), output, until, stop: () => end(child) };
}

async function end(child: ReturnType<typeof spawnGuarded>): Promise<void> {
  child.kill();
  await once(child, 'exit');
}

test('rule 21: the receiver on the page accepts deliveries of the service and nothing else', async (t) => {
  // The webhook needs the receiver's port, and the receiver needs the webhook's secret.
  const probe = await runReceiver(t, 0, 'not the secret');
  const input = { name: 'Page', url: probe.url, eventTypes: ['skill.*'] };
  const created = await admin.run(
    'mutation($input: WebhookCreateInput!) { webhookCreate(input: $input) { webhook { id } secret } }',
    { input },
  );
  const { webhook, secret } = created.data.webhookCreate;
  await probe.stop();
  const receiver = await runReceiver(t, probe.port, secret);

  const rest = restClient(switchboard.url, switchboard.key);
  const skill = await createResource(rest, 'skill', { name: 'Notified' });
  await receiver.until(new RegExp(`skill.created skill ${skill}\n`));
  const deliveries = await admin.run(
    `{ webhookDeliveries(webhookId: ${webhook.id}) { nodes { state lastStatus body eventId } } }`,
  );
  const [delivery] = deliveries.data.webhookDeliveries.nodes;
  assert.deepEqual([delivery.state, delivery.lastStatus], ['DELIVERED', 204]);

  const now = Math.floor(Date.now() / 1000);
  const post = async (timestamp: number, signature: string, body = delivery.body) => {
    const headers = {
      'X-Switchboard-Event-Id': delivery.eventId,
      'X-Switchboard-Timestamp': String(timestamp),
      'X-Switchboard-Signature': signature,
    };
    return (await fetch(receiver.url, { method: 'POST', headers, body })).status;
  };
  const valid = buildSignatureHeader([secret], now, delivery.body);
  assert.equal(await post(now, valid), 204, 'a repeated delivery is harmless');
  assert.equal(
    await post(now, `${buildSignatureHeader(['new'], now, delivery.body)},${valid}`),
    204,
    'during a rotation',
  );
  assert.equal(receiver.output.text.match(/skill.created/g)?.length, 1, 'repeated events are processed once');
  assert.equal(await post(now, buildSignatureHeader(['wrong'], now, delivery.body)), 401);
  assert.equal(await post(now, valid, `${delivery.body} `), 401, 'the body is signed');
  assert.equal(await post(now + 1, valid), 401, 'the time is signed');
  assert.equal(
    await post(now - 301, buildSignatureHeader([secret], now - 301, delivery.body)),
    401,
    'old deliveries are refused',
  );
  for (const broken of ['', 'sha256=', 'sha256=zz', valid.slice(0, -2), `${valid}00`, 'sha1=1234']) {
    assert.equal(await post(now, broken), 401, broken);
  }
  assert.equal(await fetch(receiver.url, { method: 'POST', body: '{}' }).then(({ status }) => status), 401);
});

test('rule 21: the page lists every event type and no other', () => {
  const table = page.slice(page.indexOf('## Event types'), page.indexOf('## A receiver'));
  const documented = new Set(table.matchAll(/`([a-z_]+\.[a-z_]+)`/g).map(([, type]) => type));
  assert.deepEqual([...documented].sort(), [...EVENT_TYPES].sort());
});

test('rule 21: the GraphQL documents on the page match the schema, and the example matches a real delivery', async () => {
  const documents = blocks('graphql');
  assert.ok(documents.length >= 4);
  for (const document of documents) assert.deepEqual(validate(schema, parse(document)), [], document);
  const [example = ''] = blocks('json');
  const response = await admin.run('{ webhooks { id } }');
  const { data } = await admin.run(
    `{ webhookDeliveries(webhookId: ${response.data.webhooks[0].id}) { nodes { body } } }`,
  );
  const shape = (value: object): unknown =>
    Object.entries(value).map(([name, inner]) =>
      inner && typeof inner === 'object' && !Array.isArray(inner) && name !== 'values' ? [name, shape(inner)] : name,
    );
  assert.deepEqual(shape(JSON.parse(data.webhookDeliveries.nodes[0].body)), shape(JSON.parse(example)));
});

test('rule 21: the page has state diagrams of a delivery and of a webhook', () => {
  const diagrams = blocks('mermaid');
  assert.equal(diagrams.length, 2);
  for (const diagram of diagrams) assert.match(diagram, /^stateDiagram-v2\n/);
});
