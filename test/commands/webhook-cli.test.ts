import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertSigned, expectedSignature, type ReceivedRequest } from '../support/clients/receiver.ts';
import { type RestClient, restClient } from '../support/clients/rest.ts';
import { startReceiverFor } from '../support/clients/webhook-client.ts';
import { createResource } from '../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../support/processes/switchboard.ts';
import { waitUntil } from '../support/waiting/wait.ts';

let switchboard: Switchboard;
let rest: RestClient;
before(async () => {
  switchboard = await startSwitchboard({ env: { SWITCHBOARD_WEBHOOK_PRIVATE: '1' } });
  rest = restClient(switchboard.url, switchboard.key);
});
after(() => switchboard.stop());

test('rule 21: the command line adds, lists, pauses, resumes, rotates, replays and removes', async (t) => {
  const receiver = await startReceiverFor(t);
  const run = async (line: string) => {
    const { code, stdout, stderr } = await switchboard.runCommand(line.split(' '));
    assert.equal(code, 0, `${line}: ${stderr}`);
    return stdout;
  };
  const added = await run(`webhook add --name cli --url ${receiver.url} --types skill.created,tag.*`);
  const id = added.match(/^Created webhook (\d+)\./)?.[1];
  const secret = added.match(/sbw_\S+/)?.[0] ?? '';
  const first = await createResource(rest, 'skill', { name: 'First' });
  await receiver.waitUntil(({ accepted }) => accepted.length === 1);
  assertSigned(secret, receiver.accepted[0] as ReceivedRequest);
  assert.match(await run(`webhook pause ${id}`), /is paused/);
  assert.match(
    await run('webhook list'),
    new RegExp(`${id} +cli +\\S+ +skill.created,tag.\\* +paused +0 +0 .*by hand`),
  );
  await createResource(rest, 'skill', { name: 'While paused' });
  receiver.respond = () => 400;
  assert.match(await run(`webhook resume ${id}`), /is active/);
  await receiver.waitUntil(({ received }) => received.length === 2);
  await waitUntil('the delivery is dead', async () => /skill\.created .* 1 +400/.test(await run(`webhook dead ${id}`)));
  receiver.respond = () => 204;
  const newSecret = (await run(`webhook rotate ${id}`)).match(/sbw_\S+/)?.[0] ?? '';
  assert.match(await run(`webhook replay ${id}`), /^The running service will resend 1 dead letter\.$/m);
  await receiver.waitUntil(({ accepted }) => accepted.length === 2);
  const request = receiver.accepted[1] as ReceivedRequest;
  assert.notEqual(request.event.subject.id, first);
  const bothSignatures = `${expectedSignature(newSecret, request)},${expectedSignature(secret, request)}`;
  assert.equal(request.headers['x-switchboard-signature'], bothSignatures);
  assert.match(await run(`webhook remove ${id}`), /is removed/);
  assert.doesNotMatch(await run('webhook list'), /cli/);
});

test('rule 21: invalid commands fail with a clear message', async () => {
  const cases = [
    ['webhook remove 77', /Unknown 'webhook'/],
    ['webhook pause x', /is not a valid id/],
    ['webhook dead 999', /There is no webhook 999/],
    ['webhook add --name x --url ftp://x', /url must be an http or https address/],
    [
      'webhook add --name x --url https://example.com --types nothing',
      /eventTypes must be a list of event types: operator/,
    ],
  ] as const;
  await Promise.all(
    cases.map(async ([line, reason]) => {
      const { code, stderr } = await switchboard.runCommand(line.split(' '));
      assert.equal(code, 1, line);
      assert.match(stderr, reason);
      assert.doesNotMatch(stderr, /^\s+at /m);
    }),
  );
});
