import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parse, validate } from 'graphql';
import { schema } from '../../../src/api/graphql/schema.ts';
import { EVENT_TYPES } from '../../../src/core/webhooks/event-types.ts';
import { signatures } from '../../../src/core/webhooks/signature.ts';
import { type GraphqlClient, graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { restClient } from '../../support/clients/rest.ts';
import { add } from '../../support/people/people.ts';
import { spawnOwn } from '../../support/processes/own-processes.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';
import { PATIENCE_MS } from '../../support/waiting/until.ts';

const page = readFileSync(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8');

function blocks(language: string): string[] {
  return [...page.matchAll(/```(\w+)\n(.*?)```/gs)].filter(([, of]) => of === language).map(([, , text = '']) => text);
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

/** Runs the receiver of the page as it stands there. */
async function runReceiver(t: { after(end: () => void): void }, port: number, secret: string) {
  const file = join(folder, 'receiver.mjs');
  writeFileSync(file, blocks('js')[0] ?? assert.fail('the page has no receiver'));
  const env = { PATH: process.env.PATH, WEBHOOK_SECRET: secret, PORT: String(port) };
  const child = spawnOwn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill());
  const output = { text: '' };
  const heard = new Set<() => void>();
  child.stdout.on('data', (chunk) => {
    output.text += chunk;
    for (const look of heard) look();
  });
  const until = (pattern: RegExp) =>
    new Promise<RegExpMatchArray>((resolve, reject) => {
      setTimeout(() => reject(new Error(`${pattern} did not come: ${output.text}`)), PATIENCE_MS).unref();
      const look = () => {
        const match = output.text.match(pattern);
        if (!match) return;
        heard.delete(look);
        resolve(match);
      };
      heard.add(look);
      look();
    });
  const [, actual] = await until(/listening on (\d+)/);
  return { url: `http://127.0.0.1:${actual}/`, port: Number(actual), output, until, stop: () => end(child) };
}

async function end(child: ReturnType<typeof spawnOwn>): Promise<void> {
  child.kill();
  await once(child, 'exit');
}

test('rule 21: the receiver of the page takes what the service sends, and nothing else', async (t) => {
  // The secret is known after the hook is made, and the hook needs the receiver's port.
  const probe = await runReceiver(t, 0, 'not the secret');
  const input = { name: 'Page', url: probe.url, eventTypes: ['skill.*'] };
  const made = await admin.run(
    'mutation($input: WebhookCreateInput!) { webhookCreate(input: $input) { webhook { id } secret } }',
    { input },
  );
  const { webhook, secret } = made.data.webhookCreate;
  await probe.stop();
  const receiver = await runReceiver(t, probe.port, secret);

  const rest = restClient(switchboard.url, switchboard.key);
  const skill = await add(rest, 'skill', { name: 'Told' });
  await receiver.until(new RegExp(`skill.created skill ${skill}\n`));
  const answered = await admin.run(
    `{ webhookDeliveries(webhookId: ${webhook.id}) { nodes { state lastStatus body eventId } } }`,
  );
  const [delivery] = answered.data.webhookDeliveries.nodes;
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
  const right = signatures([secret], now, delivery.body);
  assert.equal(await post(now, right), 204, 'once more, and harmless');
  assert.equal(await post(now, `${signatures(['new'], now, delivery.body)},${right}`), 204, 'while it is rotated');
  assert.equal(receiver.output.text.match(/skill.created/g)?.length, 1, 'nothing is done twice');
  assert.equal(await post(now, signatures(['wrong'], now, delivery.body)), 401);
  assert.equal(await post(now, right, `${delivery.body} `), 401, 'the body is signed');
  assert.equal(await post(now + 1, right), 401, 'the time is signed');
  assert.equal(await post(now - 301, signatures([secret], now - 301, delivery.body)), 401, 'old ones are not believed');
  for (const broken of ['', 'sha256=', 'sha256=zz', right.slice(0, -2), `${right}00`, 'sha1=1234']) {
    assert.equal(await post(now, broken), 401, broken);
  }
  assert.equal(await fetch(receiver.url, { method: 'POST', body: '{}' }).then(({ status }) => status), 401);
});

test('rule 21: the page names every event type, and no other', () => {
  const table = page.slice(page.indexOf('## Event types'), page.indexOf('## A receiver'));
  const named = [...table.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, type]) => type);
  assert.deepEqual(named.sort(), [...EVENT_TYPES].sort());
});

test('rule 21: the documents of the page fit the schema, and the example has the fields that are sent', async () => {
  const documents = blocks('graphql');
  assert.ok(documents.length >= 4);
  for (const document of documents) assert.deepEqual(validate(schema, parse(document)), [], document);
  const [example = ''] = blocks('json');
  const answer = await admin.run('{ webhooks { id } }');
  const { data } = await admin.run(
    `{ webhookDeliveries(webhookId: ${answer.data.webhooks[0].id}) { nodes { body } } }`,
  );
  const shape = (value: object): unknown =>
    Object.entries(value).map(([name, inner]) =>
      inner && typeof inner === 'object' && !Array.isArray(inner) && name !== 'values' ? [name, shape(inner)] : name,
    );
  assert.deepEqual(shape(JSON.parse(data.webhookDeliveries.nodes[0].body)), shape(JSON.parse(example)));
});

test('rule 21: the page shows the states of an event and of a webhook', () => {
  const diagrams = blocks('mermaid');
  assert.equal(diagrams.length, 2);
  for (const diagram of diagrams) assert.match(diagram, /^stateDiagram-v2\n/);
});
