import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InstallationSecrets } from '../../../src/core/access/secrets.ts';
import { DomainError } from '../../../src/core/kernel/errors.ts';
import { WebhookService } from '../../../src/core/webhooks/webhook-service.ts';
import { databases } from '../../support/databases/databases.ts';
import { type Bench, DAY, HOUR, openBench, SECOND } from '../../support/people/webhooks.ts';

/** The last events about webhooks, with who made them. */
async function announced({ database }: Bench) {
  const rows = await database.read
    .selectFrom('events')
    .select(['type', 'actorType', 'changes'])
    .where('subjectType', '=', 'webhook')
    .orderBy('position')
    .execute();
  return rows.map((row) => ({ type: row.type, actor: row.actorType, ...JSON.parse(row.changes) }));
}

const kindOf = (kind: string) => (error: unknown) => error instanceof DomainError && error.kind === kind;

for (const { name, open } of databases) {
  test(`rule 21: ${name}: a hook that keeps failing is paused, says why, is announced, and misses nothing`, async (t) => {
    const bench = await openBench(t, open);
    const receiver = await bench.receiver();
    const { webhook } = await bench.hook(receiver.url);
    const dispatcher = bench.dispatcher();
    receiver.answer = () => 500;
    const first = bench.clock.now;
    await bench.happen(1);
    await bench.happen(1);
    for (let hour = 0; (await bench.shown(webhook.id)).state === 'active'; hour++) {
      assert.ok(hour < 60, 'it is paused in the end');
      await dispatcher.settle();
      bench.clock.advance(HOUR / 2);
    }
    assert.ok(bench.clock.now - first >= DAY);
    const paused = await bench.shown(webhook.id);
    assert.equal(paused.pausedBecause, 'nothing could be delivered for 24 hours');
    assert.deepEqual((await announced(bench)).at(-1), {
      type: 'webhook.updated',
      actor: 'system',
      fields: ['state', 'pausedBecause'],
      values: { state: 'paused', pausedBecause: paused.pausedBecause },
    });
    assert.deepEqual(
      (await bench.rows(webhook.id)).map(({ state }) => state),
      ['dead', 'pending'],
    );

    const before = receiver.received.length;
    await bench.happen(2);
    bench.clock.advance(3 * DAY);
    await dispatcher.settle();
    assert.equal(receiver.received.length, before, 'nothing is sent while it is paused');
    receiver.answer = () => 204;
    await bench.webhooks.hooks.update(bench.transact, bench.caller, webhook.id, { state: 'active' });
    await dispatcher.settle();
    assert.deepEqual(receiver.taken.map(({ event }) => event.subject.id).sort(), [1, 2]);
    const resumed = await bench.shown(webhook.id);
    assert.deepEqual([resumed.state, resumed.pausedBecause, resumed.failingSince], ['active', null, null]);
  });

  test(`rule 21: ${name}: a hundred dead letters in a row pause a hook before it is a day`, async (t) => {
    const bench = await openBench(t, open);
    const receiver = await bench.receiver();
    const { webhook } = await bench.hook(receiver.url);
    receiver.answer = ({ event }) => (event.subject.id === 50 ? 204 : 410);
    await bench.happenTo(Array.from({ length: 149 }, (_, index) => index + 1));
    const dispatcher = bench.dispatcher();
    await dispatcher.settle();
    assert.equal((await bench.shown(webhook.id)).state, 'active', 'one in between was delivered');
    await bench.happen(150);
    await dispatcher.settle();
    assert.equal((await bench.shown(webhook.id)).pausedBecause, '100 events in a row could not be delivered');
  });

  test(`rule 21: ${name}: a hook is paused and resumed by hand and goes on from its place`, async (t) => {
    const bench = await openBench(t, open);
    const receiver = await bench.receiver();
    const { webhook } = await bench.hook(receiver.url);
    const dispatcher = bench.dispatcher();
    await bench.webhooks.hooks.update(bench.transact, bench.caller, webhook.id, { state: 'paused' });
    assert.equal((await bench.shown(webhook.id)).pausedBecause, 'paused by hand');
    for (const subject of [1, 2, 1]) await bench.happen(subject);
    await dispatcher.settle();
    assert.equal(receiver.connections, 0);
    await bench.webhooks.hooks.update(bench.transact, bench.caller, webhook.id, { state: 'active' });
    await dispatcher.settle();
    assert.deepEqual(receiver.taken.map(({ event }) => event.subject.id).sort(), [1, 1, 2]);
  });

  test(`rule 21: ${name}: another address gets what waits, at once`, async (t) => {
    const bench = await openBench(t, open);
    const receiver = await bench.receiver();
    const { webhook } = await bench.hook('http://127.0.0.1:9/nobody');
    const dispatcher = bench.dispatcher();
    await bench.happen(1);
    for (let hour = 0; hour < 3; hour++) {
      await dispatcher.settle();
      bench.clock.advance(HOUR);
    }
    await dispatcher.settle();
    await bench.webhooks.hooks.update(bench.transact, bench.caller, webhook.id, { url: receiver.url });
    await dispatcher.settle();
    assert.equal(receiver.taken.length, 1);
    const told = (await announced(bench)).at(-1);
    assert.deepEqual(told.fields, ['url', 'failingSince']);
    assert.deepEqual(told.values, { failingSince: null }, 'addresses may be secrets');
  });

  test(`rule 21: ${name}: dead letters are listed, and replayed one by one or all, in order`, async (t) => {
    const bench = await openBench(t, open);
    const { caller, transact } = bench;
    const { deliveries } = bench.webhooks;
    const receiver = await bench.receiver();
    const { webhook } = await bench.hook(receiver.url);
    const dispatcher = bench.dispatcher();
    receiver.answer = () => 404;
    for (const subject of [1, 1, 2, 1, 3]) await bench.happen(subject);
    await dispatcher.settle();
    const dead = (await deliveries.slice(caller, webhook.id, 'dead', { limit: 10, backwards: false }))?.rows ?? [];
    assert.equal(dead.length, 5);
    assert.ok(dead.every(({ lastStatus, attempts }) => lastStatus === 404 && attempts === 1));
    assert.equal(await deliveries.count(caller, webhook.id, 'dead'), 5);

    receiver.answer = () => 204;
    const newest = dead[0]?.id ?? 0;
    assert.equal((await deliveries.replay(transact, caller, webhook.id, newest)).count, 1);
    await dispatcher.settle();
    assert.deepEqual(
      receiver.taken.map(({ event }) => event.subject.id),
      [3],
    );
    await assert.rejects(deliveries.replay(transact, caller, webhook.id, newest), kindOf('state'));
    await assert.rejects(deliveries.replay(transact, caller, webhook.id, 999), kindOf('unknown'));
    await assert.rejects(deliveries.replay(transact, caller, 999, undefined), kindOf('unknown'));

    assert.equal((await deliveries.replay(transact, caller, webhook.id, undefined)).count, 4);
    await dispatcher.settle();
    assert.equal(receiver.taken.length, 5);
    const own = receiver.taken.filter(({ event }) => event.subject.id === 1).map(({ event }) => event.position);
    assert.deepEqual(
      own,
      own.toSorted((a: number, b: number) => a - b),
    );
    assert.equal((await deliveries.replay(transact, caller, webhook.id, undefined)).count, 0);
  });

  test(`rule 21: ${name}: a replayed letter has 24 hours anew, and holds back its subject again`, async (t) => {
    const bench = await openBench(t, open);
    const receiver = await bench.receiver();
    const { webhook } = await bench.hook(receiver.url);
    const dispatcher = bench.dispatcher();
    receiver.answer = () => 404;
    await bench.happen(1);
    await dispatcher.settle();
    bench.clock.advance(3 * DAY);
    await bench.webhooks.deliveries.replay(bench.transact, bench.caller, webhook.id, undefined);
    receiver.answer = () => 500;
    await bench.happen(1);
    await dispatcher.settle();
    assert.equal(receiver.received.length, 2);
    bench.clock.advance(5 * SECOND);
    receiver.answer = () => 204;
    await dispatcher.settle();
    assert.equal(receiver.taken.length, 2);
  });

  test(`rule 21: ${name}: delivered ones are kept for 7 days, dead ones for 30, waiting ones for ever`, async (t) => {
    const bench = await openBench(t, open);
    const receiver = await bench.receiver();
    const { webhook } = await bench.hook(receiver.url);
    receiver.answer = ({ event }) => [204, 404, 500][event.subject.id - 1] ?? 204;
    for (const subject of [1, 2, 3]) await bench.happen(subject);
    const dispatcher = bench.dispatcher();
    await dispatcher.settle();
    await bench.copyDelivery(webhook.id, 600); // more than are forgotten in one step
    const left = async () => {
      await bench.webhooks.deliveries.clean();
      return Map.groupBy(await bench.rows(webhook.id), ({ state }) => state);
    };
    bench.clock.advance(7 * DAY);
    assert.equal((await left()).get('delivered')?.length, 601);
    bench.clock.advance(1);
    assert.deepEqual([...(await left()).keys()].sort(), ['dead', 'pending']);
    bench.clock.advance(23 * DAY);
    assert.deepEqual([...(await left()).keys()], ['pending']);
  });

  test(`rule 21: ${name}: a deleted hook gets nothing more, also when something is on its way`, async (t) => {
    const bench = await openBench(t, open);
    const receiver = await bench.receiver();
    const { webhook } = await bench.hook(receiver.url);
    const dispatcher = bench.dispatcher();
    await bench.happenTo(Array.from({ length: 48 }, (_, index) => index + 2));
    await dispatcher.settle();
    receiver.received.length = 0;
    await bench.happen(1);
    await bench.happen(1);
    receiver.answer = () => (response) => {
      bench.webhooks.hooks.remove(bench.transact, bench.caller, webhook.id).then(() => response.writeHead(204).end());
    };
    await dispatcher.settle();
    assert.equal(receiver.received.length, 1);
    assert.equal(await bench.webhooks.hooks.find(bench.caller, webhook.id), undefined);
    assert.deepEqual(await bench.rows(webhook.id), []);
    assert.equal((await announced(bench)).at(-1)?.type, 'webhook.deleted');
    await assert.rejects(bench.webhooks.hooks.remove(bench.transact, bench.caller, webhook.id), kindOf('unknown'));
  });

  test(`rule 21: ${name}: a hook whose secret cannot be read any more is paused; a new secret heals it`, async (t) => {
    const bench = await openBench(t, open);
    const receiver = await bench.receiver();
    const { webhook, secret } = await bench.hook(receiver.url);
    const secrets = new InstallationSecrets('another secret of another installation');
    const webhooks = new WebhookService({ database: bench.database, secrets, allowPrivate: true });
    const dispatcher = bench.dispatcher({ webhooks });
    await bench.happen(1);
    await dispatcher.settle();
    assert.equal(receiver.connections, 0, 'nothing goes out unsigned');
    assert.match((await bench.shown(webhook.id)).pausedBecause ?? '', /secret cannot be read/);
    const { secret: fresh } = await webhooks.rotateSecret(bench.transact, bench.caller, webhook.id);
    await webhooks.update(bench.transact, bench.caller, webhook.id, { state: 'active' });
    bench.clock.advance(DAY);
    await dispatcher.settle();
    assert.equal(receiver.taken.length, 1);
    assert.notEqual(fresh, secret);
  });

  test(`rule 21: ${name}: every change of a hook is announced, without its secret and its address`, async (t) => {
    const bench = await openBench(t, open);
    const { webhook, secret } = await bench.hook('https://example.com/hidden-path');
    const { secret: fresh } = await bench.webhooks.hooks.rotateSecret(bench.transact, bench.caller, webhook.id);
    await bench.webhooks.hooks.update(bench.transact, bench.caller, webhook.id, { name: 'New', eventTypes: [] });
    await bench.webhooks.hooks.update(bench.transact, bench.caller, webhook.id, { name: 'New' });
    await bench.webhooks.hooks.remove(bench.transact, bench.caller, webhook.id);
    const events = await announced(bench);
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
    for (const hidden of [secret, fresh as string, 'hidden-path']) assert.ok(!text.includes(hidden));
  });

  test(`rule 21: ${name}: an account has 100 hooks at most`, async (t) => {
    const bench = await openBench(t, open);
    for (let hook = 0; hook < 100; hook++) await bench.hook('https://example.com');
    await assert.rejects(bench.hook('https://example.com'), kindOf('limit'));
  });
}

test('rule 21: a sealed secret can be opened for its own place only, and is another text every time', () => {
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
