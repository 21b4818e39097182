import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertSigned, expectedSignature, type Received } from '../support/clients/receiver.ts';
import { type RestClient, restClient } from '../support/clients/rest.ts';
import { receiverFor } from '../support/clients/webhook-client.ts';
import { add } from '../support/people/people.ts';
import { type Switchboard, startSwitchboard } from '../support/processes/switchboard.ts';
import { until } from '../support/waiting/until.ts';

let switchboard: Switchboard;
let rest: RestClient;
before(async () => {
  switchboard = await startSwitchboard({ env: { SWITCHBOARD_WEBHOOK_PRIVATE: '1' } });
  rest = restClient(switchboard.url, switchboard.key);
});
after(() => switchboard.stop());

test('rule 21: the command line adds, lists, pauses, resumes, rotates, replays and removes', async (t) => {
  const receiver = await receiverFor(t);
  const run = async (line: string) => {
    const { code, stdout, stderr } = await switchboard.command(line.split(' '));
    assert.equal(code, 0, `${line}: ${stderr}`);
    return stdout;
  };
  const added = await run(`webhook add --name cli --url ${receiver.url} --types skill.created,tag.*`);
  const id = added.match(/^Webhook (\d+) /)?.[1];
  const secret = added.match(/sbw_\S+/)?.[0] ?? '';
  const first = await add(rest, 'skill', { name: 'By the line' });
  await receiver.until(({ taken }) => taken.length === 1);
  assertSigned(secret, receiver.taken[0] as Received);
  assert.match(await run(`webhook pause ${id}`), /is paused/);
  assert.match(
    await run('webhook list'),
    new RegExp(`${id} +cli +\\S+ +skill.created,tag.\\* +paused +0 +0 .*by hand`),
  );
  await add(rest, 'skill', { name: 'Meanwhile' });
  receiver.answer = () => 400;
  assert.match(await run(`webhook resume ${id}`), /at work/);
  await receiver.until(({ received }) => received.length === 2);
  await until('the delivery is dead', async () => /skill\.created .* 1 +400/.test(await run(`webhook dead ${id}`)));
  receiver.answer = () => 204;
  const fresh = (await run(`webhook rotate ${id}`)).match(/sbw_\S+/)?.[0] ?? '';
  assert.match(await run(`webhook replay ${id}`), /^1 dead letter is sent again/);
  await receiver.until(({ taken }) => taken.length === 2);
  const request = receiver.taken[1] as Received;
  assert.notEqual(request.event.subject.id, first);
  const both = `${expectedSignature(fresh, request)},${expectedSignature(secret, request)}`;
  assert.equal(request.headers['x-switchboard-signature'], both);
  assert.match(await run(`webhook remove ${id}`), /is removed/);
  assert.doesNotMatch(await run('webhook list'), /cli/);
});

test('rule 21: mistakes on the command line are told in words', async () => {
  const cases = [
    ['webhook remove 77', /Unknown 'webhook'/],
    ['webhook pause x', /is not a number/],
    ['webhook dead 999', /There is no webhook 999/],
    ['webhook add --name x --url ftp://x', /url must be an http or https address/],
    [
      'webhook add --name x --url https://example.com --types nothing',
      /eventTypes must be a list of event types: operator/,
    ],
  ] as const;
  await Promise.all(
    cases.map(async ([line, reason]) => {
      const { code, stderr } = await switchboard.command(line.split(' '));
      assert.equal(code, 1, line);
      assert.match(stderr, reason);
      assert.doesNotMatch(stderr, /^\s+at /m);
    }),
  );
});
