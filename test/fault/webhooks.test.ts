import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { graphqlClient, logIn } from '../support/clients/graphql.ts';
import { restClient } from '../support/clients/rest.ts';
import { hookTo, receiverFor } from '../support/clients/webhook-client.ts';
import { add } from '../support/people/people.ts';
import { specialStart } from '../support/processes/special-start.ts';
import { startSwitchboardProcess } from '../support/processes/switchboard.ts';

const PRIVATE = { SWITCHBOARD_WEBHOOK_PRIVATE: '1' };

test('rule 21: killed between the receiver and the record, the service sends the event again under its name', async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'switchboard-webhook-kill-'));
  t.after(() => rmSync(data, { recursive: true, force: true }));
  const receiver = await receiverFor(t);
  const first = await startSwitchboardProcess({ folder: data, env: PRIVATE });
  const client = graphqlClient(first.url, await logIn(first.url));
  await hookTo(t, client, receiver, ['skill.created']);
  receiver.answer = () => () => undefined; // it has the event, and its answer never comes
  await add(restClient(first.url, first.key), 'skill', { name: 'Unclear' });
  await receiver.until(({ received }) => received.length === 1);
  const gone = new Promise((resolve) => first.process.once('exit', resolve));
  first.process.kill('SIGKILL');
  await gone;
  receiver.answer = () => 204;
  const { main, env } = specialStart({ clockAheadMs: 20_000 });
  const second = await startSwitchboardProcess({ folder: data, env: { ...PRIVATE, ...env }, main });
  await receiver.until(({ taken }) => taken.length === 1);
  const [before, again] = receiver.received;
  assert.equal(again?.headers['x-switchboard-event-id'], before?.headers['x-switchboard-event-id']);
  assert.equal(again?.body, before?.body);
  await second.stop();
});

test('rule 21: a stop is not held up by a receiver that does not answer', async (t) => {
  const receiver = await receiverFor(t);
  const stopped = await startSwitchboardProcess({ env: { ...PRIVATE, SWITCHBOARD_STOP_TIMEOUT: '0.2' } });
  receiver.answer = () => () => undefined;
  const client = graphqlClient(stopped.url, await logIn(stopped.url));
  await hookTo(t, client, receiver, []);
  await receiver.until(({ received }) => received.length === 1);
  const began = performance.now();
  await stopped.stop();
  const took = performance.now() - began;
  t.diagnostic(`stopped after ${Math.round(took)} ms`);
  if (process.env.FULL === '1') assert.ok(took < 9000, 'far less than the receiver would have had');
  assert.equal(stopped.process.exitCode, 0);
});
