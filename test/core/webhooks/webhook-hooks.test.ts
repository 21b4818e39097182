import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InstallationSecrets } from '../../../src/core/access/secrets.ts';
import { DomainError } from '../../../src/core/kernel/errors.ts';
import { WebhookService } from '../../../src/core/webhooks/webhook-service.ts';
import { databases } from '../../support/databases/databases.ts';
import {
  DAY,
  HOUR,
  openWebhookFixture,
  SECOND,
  shareWebhookInstallation,
  type WebhookFixture,
} from '../../support/fixtures/webhooks.ts';

/** Events about webhooks with their actors, oldest first. */
async function loadWebhookEvents({ database, accountId }: WebhookFixture) {
  const rows = await database.read
    .selectFrom('events')
    .select(['type', 'actorType', 'changes'])
    .where('accountId', '=', accountId)
    .where('subjectType', '=', 'webhook')
    .orderBy('position')
    .execute();
  return rows.map((row) => ({ type: row.type, actor: row.actorType, ...JSON.parse(row.changes) }));
}

const HOOK = { name: 'Hook', url: 'https://example.com' };

const hasKind = (kind: string) => (error: unknown) => error instanceof DomainError && error.kind === kind;

for (const { name, open } of databases) {
  const openAccount = shareWebhookInstallation(open);

  test(`rule 21: ${name}: a webhook that keeps failing is paused with a reason, announced, and catches up when resumed`, async (t) => {
    const fixture = await openWebhookFixture(t, openAccount);
    const receiver = await fixture.startReceiver();
    const { webhook } = await fixture.createWebhook(receiver.url);
    const dispatcher = fixture.createDispatcher();
    receiver.respond = () => 500;
    const first = fixture.clock.now;
    await fixture.announceUpdate(1);
    await fixture.announceUpdate(1);
    for (let hour = 0; (await fixture.loadWebhook(webhook.id)).state === 'active'; hour++) {
      assert.ok(hour < 60, 'the webhook must be paused eventually');
      await dispatcher.settle();
      fixture.clock.advance(HOUR / 2);
    }
    assert.ok(fixture.clock.now - first >= DAY);
    const paused = await fixture.loadWebhook(webhook.id);
    assert.equal(paused.pausedBecause, 'nothing could be delivered for 24 hours');
    assert.deepEqual((await loadWebhookEvents(fixture)).at(-1), {
      type: 'webhook.updated',
      actor: 'system',
      fields: ['state', 'pausedBecause'],
      values: { state: 'paused', pausedBecause: paused.pausedBecause },
    });
    assert.deepEqual(
      (await fixture.loadDeliveries(webhook.id)).map(({ state }) => state),
      ['dead', 'pending'],
    );

    const before = receiver.received.length;
    await fixture.announceUpdate(2);
    fixture.clock.advance(3 * DAY);
    await dispatcher.settle();
    assert.equal(receiver.received.length, before, 'nothing is sent while it is paused');
    receiver.respond = () => 204;
    await fixture.webhooks.service.update(fixture.transact, fixture.caller, webhook.id, { state: 'active' });
    await dispatcher.settle();
    assert.deepEqual(receiver.accepted.map(({ event }) => event.subject.id).sort(), [1, 2]);
    const resumed = await fixture.loadWebhook(webhook.id);
    assert.deepEqual([resumed.state, resumed.pausedBecause, resumed.failingSince], ['active', null, null]);
  });

  test(`rule 21: ${name}: a hundred dead letters in a row pause a webhook within a day`, async (t) => {
    const fixture = await openWebhookFixture(t, openAccount);
    const receiver = await fixture.startReceiver();
    const { webhook } = await fixture.createWebhook(receiver.url);
    receiver.respond = ({ event }) => (event.subject.id === 2 ? 204 : 410);
    await fixture.announceUpdates(Array.from({ length: 101 }, (_, index) => index + 1));
    const dispatcher = fixture.createDispatcher();
    await dispatcher.settle();
    assert.equal((await fixture.loadWebhook(webhook.id)).state, 'active', 'one in between was delivered');
    await fixture.announceUpdate(102);
    await dispatcher.settle();
    assert.equal((await fixture.loadWebhook(webhook.id)).pausedBecause, '100 events in a row could not be delivered');
  });

  test(`rule 21: ${name}: a webhook that an admin pauses and resumes continues from its position`, async (t) => {
    const fixture = await openWebhookFixture(t, openAccount);
    const receiver = await fixture.startReceiver();
    const { webhook } = await fixture.createWebhook(receiver.url);
    const dispatcher = fixture.createDispatcher();
    await fixture.webhooks.service.update(fixture.transact, fixture.caller, webhook.id, { state: 'paused' });
    assert.equal((await fixture.loadWebhook(webhook.id)).pausedBecause, 'paused by hand');
    for (const subject of [1, 2, 1]) await fixture.announceUpdate(subject);
    await dispatcher.settle();
    assert.equal(receiver.connections, 0);
    await fixture.webhooks.service.update(fixture.transact, fixture.caller, webhook.id, { state: 'active' });
    await dispatcher.settle();
    assert.deepEqual(receiver.accepted.map(({ event }) => event.subject.id).sort(), [1, 1, 2]);
  });

  test(`rule 21: ${name}: pending deliveries are sent to a new URL immediately`, async (t) => {
    const fixture = await openWebhookFixture(t, openAccount);
    const receiver = await fixture.startReceiver();
    const { webhook } = await fixture.createWebhook('http://127.0.0.1:9/unreachable');
    const dispatcher = fixture.createDispatcher();
    await fixture.announceUpdate(1);
    for (let hour = 0; hour < 3; hour++) {
      await dispatcher.settle();
      fixture.clock.advance(HOUR);
    }
    await dispatcher.settle();
    await fixture.webhooks.service.update(fixture.transact, fixture.caller, webhook.id, { url: receiver.url });
    await dispatcher.settle();
    assert.equal(receiver.accepted.length, 1);
    const event = (await loadWebhookEvents(fixture)).at(-1);
    assert.deepEqual(event.fields, ['url', 'failingSince']);
    assert.deepEqual(event.values, { failingSince: null }, 'URLs may contain secrets');
  });

  test(`rule 21: ${name}: dead letters are listed, and replayed one by one or all, in order`, async (t) => {
    const fixture = await openWebhookFixture(t, openAccount);
    const { caller, transact } = fixture;
    const { deliveries } = fixture.webhooks;
    const receiver = await fixture.startReceiver();
    const { webhook } = await fixture.createWebhook(receiver.url);
    const dispatcher = fixture.createDispatcher();
    receiver.respond = () => 404;
    for (const subject of [1, 1, 2, 1, 3]) await fixture.announceUpdate(subject);
    await dispatcher.settle();
    const dead = (await deliveries.slice(caller, webhook.id, 'dead', { limit: 10, backwards: false }))?.rows ?? [];
    assert.equal(dead.length, 5);
    assert.ok(dead.every(({ lastStatus, attempts }) => lastStatus === 404 && attempts === 1));
    assert.equal(await deliveries.count(caller, webhook.id, 'dead'), 5);

    receiver.respond = () => 204;
    const newest = dead[0]?.id ?? 0;
    assert.equal((await deliveries.replay(transact, caller, webhook.id, newest)).count, 1);
    await dispatcher.settle();
    assert.deepEqual(
      receiver.accepted.map(({ event }) => event.subject.id),
      [3],
    );
    await assert.rejects(deliveries.replay(transact, caller, webhook.id, newest), hasKind('state'));
    await assert.rejects(deliveries.replay(transact, caller, webhook.id, 999), hasKind('unknown'));
    await assert.rejects(deliveries.replay(transact, caller, 999, undefined), hasKind('unknown'));

    assert.equal((await deliveries.replay(transact, caller, webhook.id, undefined)).count, 4);
    await dispatcher.settle();
    assert.equal(receiver.accepted.length, 5);
    const subjectPositions = receiver.accepted
      .filter(({ event }) => event.subject.id === 1)
      .map(({ event }) => event.position);
    assert.deepEqual(
      subjectPositions,
      subjectPositions.toSorted((a: number, b: number) => a - b),
    );
    assert.equal((await deliveries.replay(transact, caller, webhook.id, undefined)).count, 0);
  });

  test(`rule 21: ${name}: a replayed dead letter has a new 24-hour retry window and holds back its subject again`, async (t) => {
    const fixture = await openWebhookFixture(t, openAccount);
    const receiver = await fixture.startReceiver();
    const { webhook } = await fixture.createWebhook(receiver.url);
    const dispatcher = fixture.createDispatcher();
    receiver.respond = () => 404;
    await fixture.announceUpdate(1);
    await dispatcher.settle();
    fixture.clock.advance(3 * DAY);
    await fixture.webhooks.deliveries.replay(fixture.transact, fixture.caller, webhook.id, undefined);
    receiver.respond = () => 500;
    await fixture.announceUpdate(1);
    await dispatcher.settle();
    assert.equal(receiver.received.length, 2);
    fixture.clock.advance(5 * SECOND);
    receiver.respond = () => 204;
    await dispatcher.settle();
    assert.equal(receiver.accepted.length, 2);
  });

  test(`rule 21: ${name}: delivered events are retained for 7 days, dead ones for 30, pending ones without limit`, async (t) => {
    const fixture = await openWebhookFixture(t, openAccount);
    const receiver = await fixture.startReceiver();
    const { webhook } = await fixture.createWebhook(receiver.url);
    receiver.respond = ({ event }) => [204, 404, 500][event.subject.id - 1] ?? 204;
    for (const subject of [1, 2, 3]) await fixture.announceUpdate(subject);
    const dispatcher = fixture.createDispatcher();
    await dispatcher.settle();
    await fixture.copyDelivery(webhook.id, 600); // more than one batch of deletes
    const cleanAndGroup = async () => {
      await fixture.webhooks.deliveries.deleteExpired();
      return Map.groupBy(await fixture.loadDeliveries(webhook.id), ({ state }) => state);
    };
    fixture.clock.advance(7 * DAY);
    assert.equal((await cleanAndGroup()).get('delivered')?.length, 601);
    fixture.clock.advance(1);
    assert.deepEqual([...(await cleanAndGroup()).keys()].sort(), ['dead', 'pending']);
    fixture.clock.advance(23 * DAY);
    assert.deepEqual([...(await cleanAndGroup()).keys()], ['pending']);
  });

  test(`rule 21: ${name}: a deleted webhook receives nothing more, even with a delivery in flight`, async (t) => {
    const fixture = await openWebhookFixture(t, openAccount);
    const receiver = await fixture.startReceiver();
    const { webhook } = await fixture.createWebhook(receiver.url);
    const dispatcher = fixture.createDispatcher();
    await fixture.announceUpdates(Array.from({ length: 48 }, (_, index) => index + 2));
    await dispatcher.settle();
    receiver.received.length = 0;
    await fixture.announceUpdate(1);
    await fixture.announceUpdate(1);
    receiver.respond = () => (response) => {
      fixture.webhooks.service
        .delete(fixture.transact, fixture.caller, webhook.id)
        .then(() => response.writeHead(204).end());
    };
    await dispatcher.settle();
    assert.equal(receiver.received.length, 1);
    assert.equal(await fixture.webhooks.service.find(fixture.caller, webhook.id), undefined);
    assert.deepEqual(await fixture.loadDeliveries(webhook.id), []);
    assert.equal((await loadWebhookEvents(fixture)).at(-1)?.type, 'webhook.deleted');
    await assert.rejects(
      fixture.webhooks.service.delete(fixture.transact, fixture.caller, webhook.id),
      hasKind('unknown'),
    );
  });

  test(`rule 21: ${name}: a webhook whose secret cannot be decrypted is paused; a new secret fixes it`, async (t) => {
    const fixture = await openWebhookFixture(t, openAccount);
    const receiver = await fixture.startReceiver();
    const { webhook, secret } = await fixture.createWebhook(receiver.url);
    const secrets = new InstallationSecrets('another secret of another installation');
    const webhooks = new WebhookService({ database: fixture.database, secrets, allowPrivateHosts: true });
    const dispatcher = fixture.createDispatcher({ webhooks });
    await fixture.announceUpdate(1);
    await dispatcher.settle();
    assert.equal(receiver.connections, 0, 'nothing is sent unsigned');
    assert.match((await fixture.loadWebhook(webhook.id)).pausedBecause ?? '', /secret cannot be read/);
    const { secret: newSecret } = await webhooks.rotateSecret(fixture.transact, fixture.caller, webhook.id);
    await webhooks.update(fixture.transact, fixture.caller, webhook.id, { state: 'active' });
    fixture.clock.advance(DAY);
    await dispatcher.settle();
    assert.equal(receiver.accepted.length, 1);
    assert.notEqual(newSecret, secret);
  });

  test(`rule 21: ${name}: every change of a webhook is announced, without its secret and URL`, async (t) => {
    const fixture = await openWebhookFixture(t, openAccount);
    const { webhook, secret } = await fixture.createWebhook('https://example.com/hidden-path');
    const { secret: newSecret } = await fixture.webhooks.service.rotateSecret(
      fixture.transact,
      fixture.caller,
      webhook.id,
    );
    await fixture.webhooks.service.update(fixture.transact, fixture.caller, webhook.id, {
      name: 'New',
      eventTypes: [],
    });
    await fixture.webhooks.service.update(fixture.transact, fixture.caller, webhook.id, { name: 'New' });
    await fixture.webhooks.service.delete(fixture.transact, fixture.caller, webhook.id);
    const events = await loadWebhookEvents(fixture);
    assert.deepEqual(
      events.map(({ type, fields }) => [type, fields]),
      [
        ['webhook.created', Object.keys(webhook)],
        ['webhook.updated', ['secret']],
        ['webhook.updated', ['name', 'eventTypes']],
        ['webhook.deleted', []],
      ],
    );
    const text = JSON.stringify(events);
    for (const hidden of [secret, newSecret as string, 'hidden-path']) assert.ok(!text.includes(hidden));
  });

  test(`rule 21: ${name}: an account can have at most 100 webhooks`, async (t) => {
    const fixture = await openWebhookFixture(t, openAccount);
    await fixture.transact(async (tx) => {
      for (let hook = 0; hook < 100; hook++)
        await fixture.webhooks.service.create((work) => work(tx), fixture.caller, HOOK);
    });
    await assert.rejects(fixture.createWebhook('https://example.com'), hasKind('limit'));
  });
}

test('rule 21: a sealed secret can be unsealed only for its own row, and every sealing differs', () => {
  const secrets = new InstallationSecrets('a secret of an installation of this test');
  const sealed = secrets.seal('the secret', 'webhook 1 1');
  assert.ok(!Buffer.from(sealed, 'base64url').includes('the secret'));
  assert.notEqual(secrets.seal('the secret', 'webhook 1 1'), sealed);
  assert.equal(secrets.unseal(sealed, 'webhook 1 1'), 'the secret');
  assert.equal(secrets.unseal(sealed, 'webhook 1 2'), undefined);
  assert.equal(new InstallationSecrets('another secret').unseal(sealed, 'webhook 1 1'), undefined);
  for (let byte = 0; byte < Buffer.from(sealed, 'base64url').length; byte++) {
    const changed = Buffer.from(sealed, 'base64url');
    changed[byte] = (changed[byte] as number) ^ 1;
    assert.equal(secrets.unseal(changed.toString('base64url'), 'webhook 1 1'), undefined, String(byte));
  }
  for (const broken of ['', 'x', sealed.slice(0, 20)]) assert.equal(secrets.unseal(broken, 'webhook 1 1'), undefined);
});
