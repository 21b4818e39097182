import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { databases, type TestInstallation } from '../../support/databases/databases.ts';
import { EngineFixture } from '../../support/fixtures/engine-fixture.ts';
import { openSite, type Site } from '../../support/fixtures/site.ts';
import { withFrozenClock } from '../../support/processes/frozen-clock.ts';

/** Returns the seconds to wait, or 0 if the work is admitted. */
async function secondsToWait(work: Promise<unknown>): Promise<number> {
  try {
    await work;
    return 0;
  } catch (error) {
    const { kind, details } = error as { kind: string; details: { retryAfterSeconds: number } };
    assert.equal(kind, 'limited');
    return details.retryAfterSeconds;
  }
}

const repeat = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

for (const { name, open } of databases) {
  describe(`visitor rate limits on ${name}`, () => {
    const withInstallation = async (
      work: (installation: TestInstallation, fixture: EngineFixture) => Promise<void>,
      settings = {},
    ) => {
      const fixture = await EngineFixture.create(() => open(settings));
      await work(fixture.installation, fixture);
      await fixture.end();
    };

    test('rule 17: of 100 concurrent sessions from an address exactly 30 are admitted per minute', () =>
      withInstallation(async ({ visitors: { limits: visitorLimits }, clock }) => {
        const openFrom = (address: string) => secondsToWait(visitorLimits.admitSession(address));
        const waits = await repeat(100, () => openFrom('192.0.2.1'));
        assert.equal(waits.filter((seconds) => seconds === 0).length, 30);
        assert.equal(await openFrom('192.0.2.2'), 0);
        assert.equal(await openFrom('192.0.2.1'), 60);
        clock.advance(59_999);
        assert.equal(await openFrom('192.0.2.1'), 1);
        clock.advance(1);
        assert.equal(await openFrom('192.0.2.1'), 0);
      }));

    test('rule 17: starts are limited by visitor and by address; a rejected start counts for neither', () =>
      withInstallation(async ({ visitors: { limits: visitorLimits }, clock }, fixture) => {
        const visitors = await repeat(10, () => fixture.createVisitor());
        const start = (index: number, address: string) =>
          secondsToWait(visitorLimits.admitStart(visitors[index] as (typeof visitors)[0], address));
        const waitsOfVisitor = await repeat(20, (index) => start(0, `192.0.2.${index}`));
        assert.equal(waitsOfVisitor.filter((seconds) => seconds === 0).length, 10);
        clock.advance(60_000);
        const shared = await repeat(100, (index) => start(index % 10, '192.0.2.100'));
        assert.equal(shared.filter((seconds) => seconds === 0).length, 60);
        assert.equal(await start(0, '198.51.100.1'), 0, 'six of the ten are used');
      }));

    test('rule 17: messages are limited by visitor, and count only if they are stored', () =>
      withInstallation(async ({ visitors: { limits: visitorLimits }, database }, fixture) => {
        const [first, second] = [await fixture.createVisitor(), await fixture.createVisitor()];
        const send = (visitor: typeof first, fails = false) =>
          secondsToWait(
            database.transaction(async (tx) => {
              await visitorLimits.admitMessage(tx, visitor);
              if (fails)
                throw Object.assign(new Error('not stored'), { kind: 'limited', details: { retryAfterSeconds: -1 } });
            }),
          );
        await repeat(50, () => send(first, true));
        const waits = await repeat(100, () => send(first));
        assert.equal(waits.filter((seconds) => seconds === 0).length, 60);
        assert.equal(await send(second), 0);
      }));

    test('0 disables a limit', () =>
      withInstallation(
        async ({ visitors: { limits: visitorLimits }, database }, fixture) => {
          const visitor = await fixture.createVisitor();
          assert.deepEqual(
            new Set(await repeat(200, () => secondsToWait(visitorLimits.admitSession('192.0.2.1')))),
            new Set([0]),
          );
          assert.deepEqual(
            new Set(await repeat(200, () => secondsToWait(visitorLimits.admitStart(visitor, '192.0.2.1')))),
            new Set([0]),
          );
          await repeat(200, () => database.transaction((tx) => visitorLimits.admitMessage(tx, visitor)));
          assert.deepEqual(await database.read.selectFrom('rateWindows').selectAll().execute(), []);
        },
        {
          ...{ SWITCHBOARD_VISITOR_SESSIONS_PER_MINUTE: '0', SWITCHBOARD_VISITOR_STARTS_PER_MINUTE: '0' },
          ...{ SWITCHBOARD_VISITOR_ADDRESS_STARTS_PER_MINUTE: '0', SWITCHBOARD_VISITOR_MESSAGES_PER_MINUTE: '0' },
        },
      ));
  });
}

describe('responses to rate-limited visitors', () => {
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
    site = await openSite(withFrozenClock(settings));
  });
  after(() => site.stop());

  test('rule 17: too many sessions are 429 with Retry-After, which pages can read', async () => {
    const openFrom = (address: string) =>
      site.openSession({ websiteId: site.websiteId }, { 'X-Forwarded-For': address, Origin: 'https://shop.example' });
    for (let index = 0; index < 3; index += 1) assert.equal((await openFrom('203.0.113.1')).status, 201);
    const response = await openFrom('203.0.113.1');
    assert.equal(response.status, 429);
    assert.match(response.headers.get('retry-after') ?? '', /^[1-9][0-9]?$/);
    assert.equal(response.headers.get('access-control-allow-origin'), 'https://shop.example');
    assert.equal(response.body.errors[0].extensions.code, 'RATE_LIMITED');
    assert.equal((await openFrom('203.0.113.2')).status, 201);
  });

  test('rule 17: too many starts and messages are RATE_LIMITED, and nothing is stored', async () => {
    await site.createOperator();
    const visitor = await site.createVisitor();
    const { id } = await visitor.startConversation();
    await visitor.startConversation();
    const start = await visitor.run('mutation{conversationStart(input:{channel:CHAT}){userErrors{code}}}');
    assert.equal(start.errors[0]?.extensions.code, 'RATE_LIMITED');
    assert.match(JSON.stringify(start.errors[0]?.extensions), /"retryAfterSeconds":[1-9]/);
    for (const text of ['one', 'two']) assert.deepEqual((await visitor.sendMessage(id, text)).userErrors, []);
    const third = await visitor.run(
      'mutation($id:ID!){messageSend(input:{conversationId:$id,text:"three"}){userErrors{code}}}',
      { id },
    );
    assert.equal(third.errors[0]?.extensions.code, 'RATE_LIMITED');
    const { data } = await visitor.run('{conversations{totalCount nodes{messageCount}}}');
    assert.deepEqual(data.conversations, { totalCount: 2, nodes: [{ messageCount: 0 }, { messageCount: 2 }] });
  });
});
