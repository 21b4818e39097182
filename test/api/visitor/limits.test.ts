import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, type OpenInstallation } from '../../support/databases/databases.ts';
import { openSite, type Site } from '../../support/people/site.ts';
import { World } from '../../support/people/world.ts';
import { withStandingClock } from '../../support/processes/standing-clock.ts';

/** The seconds to wait, or 0 for something that is admitted. */
async function wait(work: Promise<unknown>): Promise<number> {
  try {
    await work;
    return 0;
  } catch (error) {
    const { kind, details } = error as { kind: string; details: { retryAfterSeconds: number } };
    assert.equal(kind, 'limited');
    return details.retryAfterSeconds;
  }
}

const times = <T>(number: number, make: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: number }, (_, index) => make(index)));

for (const { name, open } of databases) {
  describe(`limits of visitors on ${name}`, () => {
    const on = async (work: (installation: OpenInstallation, world: World) => Promise<void>, settings = {}) => {
      const world = await World.on(() => open(settings));
      await work(world.installation, world);
      await world.end();
    };

    test('rule 17: of 100 sessions at once from an address exactly 30 are let in, for any minute', () =>
      on(async ({ visitors: { limits: visitorLimits }, clock }) => {
        const from = (address: string) => wait(visitorLimits.admitSession(address));
        const waits = await times(100, () => from('192.0.2.1'));
        assert.equal(waits.filter((seconds) => seconds === 0).length, 30);
        assert.equal(await from('192.0.2.2'), 0);
        assert.equal(await from('192.0.2.1'), 60);
        clock.advance(59_999);
        assert.equal(await from('192.0.2.1'), 1);
        clock.advance(1);
        assert.equal(await from('192.0.2.1'), 0);
      }));

    test('rule 17: conversations are limited by visitor and by address; a refused try uses up neither', () =>
      on(async ({ visitors: { limits: visitorLimits }, clock }, world) => {
        const visitors = await times(10, () => world.visitor());
        const start = (index: number, address: string) =>
          wait(visitorLimits.admitStart(visitors[index] as (typeof visitors)[0], address));
        const own = await times(20, (index) => start(0, `192.0.2.${index}`));
        assert.equal(own.filter((seconds) => seconds === 0).length, 10);
        clock.advance(60_000);
        const shared = await times(100, (index) => start(index % 10, '192.0.2.100'));
        assert.equal(shared.filter((seconds) => seconds === 0).length, 60);
        assert.equal(await start(0, '198.51.100.1'), 0, 'six of the ten are used');
      }));

    test('rule 17: messages are limited by visitor, and count when they are stored', () =>
      on(async ({ visitors: { limits: visitorLimits }, database }, world) => {
        const [one, two] = [await world.visitor(), await world.visitor()];
        const send = (visitor: typeof one, fails = false) =>
          wait(
            database.transaction(async (tx) => {
              await visitorLimits.admitMessage(tx, visitor);
              if (fails)
                throw Object.assign(new Error('not stored'), { kind: 'limited', details: { retryAfterSeconds: -1 } });
            }),
          );
        await times(50, () => send(one, true));
        const waits = await times(100, () => send(one));
        assert.equal(waits.filter((seconds) => seconds === 0).length, 60);
        assert.equal(await send(two), 0);
      }));

    test('a limit of 0 is none', () =>
      on(
        async ({ visitors: { limits: visitorLimits }, database }, world) => {
          const visitor = await world.visitor();
          assert.deepEqual(
            new Set(await times(200, () => wait(visitorLimits.admitSession('192.0.2.1')))),
            new Set([0]),
          );
          assert.deepEqual(
            new Set(await times(200, () => wait(visitorLimits.admitStart(visitor, '192.0.2.1')))),
            new Set([0]),
          );
          await times(200, () => database.transaction((tx) => visitorLimits.admitMessage(tx, visitor)));
          assert.deepEqual(await database.read.selectFrom('rateWindows').selectAll().execute(), []);
        },
        {
          ...{ SWITCHBOARD_VISITOR_SESSIONS_PER_MINUTE: '0', SWITCHBOARD_VISITOR_STARTS_PER_MINUTE: '0' },
          ...{ SWITCHBOARD_VISITOR_ADDRESS_STARTS_PER_MINUTE: '0', SWITCHBOARD_VISITOR_MESSAGES_PER_MINUTE: '0' },
        },
      ));
  });
}

describe('what a visitor is told who does too much', () => {
  let site: Site;
  before(async () => {
    const settings = {
      env: {
        SWITCHBOARD_VISITOR_SESSIONS_PER_MINUTE: '3',
        SWITCHBOARD_VISITOR_STARTS_PER_MINUTE: '2',
        SWITCHBOARD_VISITOR_MESSAGES_PER_MINUTE: '2',
        SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.1',
      },
    };
    site = await openSite(withStandingClock(settings));
  });
  after(() => site.stop());

  test('rule 17: too many sessions are 429 with Retry-After, also for the page', async () => {
    const from = (address: string) =>
      site.session({ websiteId: site.websiteId }, { 'X-Forwarded-For': address, Origin: 'https://shop.example' });
    for (let index = 0; index < 3; index += 1) assert.equal((await from('203.0.113.1')).status, 201);
    const answer = await from('203.0.113.1');
    assert.equal(answer.status, 429);
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9][0-9]?$/);
    assert.equal(answer.headers.get('access-control-allow-origin'), 'https://shop.example');
    assert.equal(answer.body.errors[0].extensions.code, 'RATE_LIMITED');
    assert.equal((await from('203.0.113.2')).status, 201);
  });

  test('rule 17: too many starts and messages are RATE_LIMITED, and nothing is stored', async () => {
    await site.operator();
    const visitor = await site.visitor();
    const { id } = await visitor.start();
    await visitor.start();
    const start = await visitor.run('mutation{conversationStart(input:{channel:CHAT}){userErrors{code}}}');
    assert.equal(start.errors[0]?.extensions.code, 'RATE_LIMITED');
    assert.match(JSON.stringify(start.errors[0]?.extensions), /"retryAfterSeconds":[1-9]/);
    for (const text of ['one', 'two']) assert.deepEqual((await visitor.send(id, text)).userErrors, []);
    const third = await visitor.run(
      'mutation($id:ID!){messageSend(input:{conversationId:$id,text:"three"}){userErrors{code}}}',
      { id },
    );
    assert.equal(third.errors[0]?.extensions.code, 'RATE_LIMITED');
    const { data } = await visitor.run('{conversations{totalCount nodes{messageCount}}}');
    assert.deepEqual(data.conversations, { totalCount: 2, nodes: [{ messageCount: 0 }, { messageCount: 2 }] });
  });
});
