import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { graphqlClient, logIn } from '../support/clients/graphql.ts';
import { restClient } from '../support/clients/rest.ts';
import { createWebhookFor, startReceiverFor } from '../support/clients/webhook-client.ts';
import { createResource } from '../support/fixtures/resources.ts';
import { startSwitchboardProcess } from '../support/processes/switchboard.ts';
import { testServerOptions } from '../support/processes/test-server-options.ts';

const ALLOW_PRIVATE_WEBHOOKS = { SWITCHBOARD_WEBHOOK_PRIVATE: '1' };

test('rule 21: killed after the receiver got an event but before recording it, the service resends it with the same id', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-webhook-kill-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const receiver = await startReceiverFor(t);
  const first = await startSwitchboardProcess({ folder, env: ALLOW_PRIVATE_WEBHOOKS });
  const client = graphqlClient(first.url, await logIn(first.url));
  await createWebhookFor(t, client, receiver, ['skill.created']);
  receiver.respond = () => () => undefined; // receives the event but never responds
  await createResource(restClient(first.url, first.key), 'skill', { name: 'Unconfirmed' });
  await receiver.waitUntil(({ received }) => received.length === 1);
  const exited = new Promise((resolve) => first.process.once('exit', resolve));
  first.process.kill('SIGKILL');
  await exited;
  receiver.respond = () => 204;
  const { main, env } = testServerOptions({ clockAheadMs: 20_000 });
  const second = await startSwitchboardProcess({ folder, env: { ...ALLOW_PRIVATE_WEBHOOKS, ...env }, main });
  await receiver.waitUntil(({ accepted }) => accepted.length === 1);
  const [before, repeated] = receiver.received;
  assert.equal(repeated?.headers['x-switchboard-event-id'], before?.headers['x-switchboard-event-id']);
  assert.equal(repeated?.body, before?.body);
  await second.stop();
});

test('rule 21: a receiver that does not respond does not delay a stop', async (t) => {
  const receiver = await startReceiverFor(t);
  const stopped = await startSwitchboardProcess({
    env: { ...ALLOW_PRIVATE_WEBHOOKS, SWITCHBOARD_STOP_TIMEOUT: '0.2' },
  });
  receiver.respond = () => () => undefined;
  const client = graphqlClient(stopped.url, await logIn(stopped.url));
  await createWebhookFor(t, client, receiver, []);
  await receiver.waitUntil(({ received }) => received.length === 1);
  const startedAt = performance.now();
  await stopped.stop();
  const durationMs = performance.now() - startedAt;
  t.diagnostic(`stopped after ${Math.round(durationMs)} ms`);
  if (process.env.FULL === '1') assert.ok(durationMs < 9000, 'far less than the delivery timeout');
  assert.equal(stopped.process.exitCode, 0);
});
