import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type SessionToken, VisitorSessions } from '../../../src/core/visitors/visitor-sessions.ts';
import { databases } from '../../support/databases/databases.ts';
import { EngineFixture } from '../../support/fixtures/engine-fixture.ts';
import { ORIGIN, openSite, type Site } from '../../support/fixtures/site.ts';
import { withFrozenClock } from '../../support/processes/frozen-clock.ts';

const DAY_MS = 24 * 3600 * 1000;
const OVERLAP_MS = 300_000;

for (const { name, open } of databases) {
  describe(`session renewal on ${name}`, () => {
    const openSession = async () => {
      const fixture = await EngineFixture.create(open);
      const { database, secrets, clock, visitors } = fixture.installation;
      const website = await visitors.websites.find(fixture.accountId, fixture.websiteId);
      assert.ok(website);
      const session = await visitors.sessions.open(website, { language: 'fr' }, '');
      // Every call comes to another node, with an empty cache.
      const findCaller = (token: string) => new VisitorSessions(database, secrets).findCaller(token);
      const firstCaller = await findCaller(session.token);
      assert.ok(firstCaller);
      const renew = (token: string) => new VisitorSessions(database, secrets).renew(token, firstCaller);
      const renewValid = async (token: string) => {
        const renewed = await renew(token);
        assert.ok(typeof renewed === 'object', String(renewed));
        return renewed;
      };
      return { fixture, database, clock, visitors, session, firstCaller, findCaller, renew, renewValid };
    };

    test('rule 17: a renewed token is the same session for 24 hours; the old one ends after five minutes', async () => {
      const { fixture, clock, session, firstCaller, findCaller, renew, renewValid } = await openSession();
      clock.advance(DAY_MS / 2);
      const renewed = await renewValid(session.token);
      assert.equal(renewed.uniqueId, session.uniqueId);
      assert.notEqual(renewed.token, session.token);
      assert.deepEqual(await findCaller(renewed.token), firstCaller);
      clock.advance(OVERLAP_MS - 1);
      assert.ok(await findCaller(session.token), 'other tabs still use the old token');
      assert.ok(await renewValid(session.token), 'a lost answer can be asked for again');
      clock.advance(1);
      assert.equal(await findCaller(session.token), undefined);
      assert.equal(await renew(session.token), 'not_valid');
      clock.advance(DAY_MS - OVERLAP_MS - 1);
      assert.ok(await findCaller(renewed.token));
      clock.advance(1);
      assert.equal(await findCaller(renewed.token), undefined);
      await fixture.end();
    });

    test('rule 17: a renewal never extends the old token', async () => {
      const { fixture, clock, session, findCaller, renewValid } = await openSession();
      clock.advance(DAY_MS - 1);
      await renewValid(session.token);
      clock.advance(1);
      assert.equal(await findCaller(session.token), undefined);
      await fixture.end();
    });

    test('rule 17: a session can be renewed for 30 days', async () => {
      const { fixture, clock, session, renew, renewValid } = await openSession();
      let current: SessionToken = session;
      for (let day = 0; day < 30; day += 1) {
        clock.advance(DAY_MS - 1);
        current = await renewValid(current.token);
      }
      clock.advance(30);
      current = await renewValid(current.token);
      clock.advance(1);
      assert.equal(await renew(current.token), 'too_old');
      await fixture.end();
    });

    test('a token of the previous version counts from when it was issued', async () => {
      const { fixture, database, session, renew, clock } = await openSession();
      const setIssuedAt = (issuedAt: number) =>
        database.transaction((tx) =>
          tx.db.updateTable('visitorTokens').set({ sessionStartedAt: null, issuedAt }).execute(),
        );
      await setIssuedAt(clock.now - 30 * DAY_MS - 1);
      assert.equal(await renew(session.token), 'too_old');
      await setIssuedAt(clock.now - 30 * DAY_MS);
      assert.ok(typeof (await renew(session.token)) === 'object');
      await fixture.end();
    });

    test('tokens of an erased visitor cannot be renewed, however the two coincide', async () => {
      const { fixture, database, visitors, firstCaller, session, findCaller, renew } = await openSession();
      const { caller } = fixture.installation;
      const [, ...renewals] = await Promise.all([
        visitors.erasure.erase(fixture.transact, caller, firstCaller.visitorId),
        ...Array.from({ length: 5 }, () => renew(session.token)),
      ]);
      const tokens = renewals.filter((renewed) => typeof renewed === 'object').map(({ token }) => token);
      for (const token of [session.token, ...tokens]) assert.equal(await findCaller(token), undefined);
      assert.equal(await renew(session.token), 'not_valid');
      assert.deepEqual(await database.read.selectFrom('visitorTokens').select('tokenHash').execute(), []);
      await fixture.end();
    });

    test('opening and renewing a session record when the visitor was seen', async () => {
      const { fixture, database, clock, session, renewValid } = await openSession();
      const readSeenAt = async () =>
        (await database.read.selectFrom('visitors').select('lastSeenAt').executeTakeFirstOrThrow()).lastSeenAt;
      assert.equal(await readSeenAt(), clock.now);
      clock.advance(1000);
      await renewValid(session.token);
      assert.equal(await readSeenAt(), clock.now);
      await fixture.end();
    });
  });
}

describe('the renewal endpoint', () => {
  let site: Site;
  before(async () => {
    site = await openSite(
      withFrozenClock({
        env: {
          SWITCHBOARD_VISITOR_RENEWALS_PER_MINUTE: '2',
          SWITCHBOARD_VISITOR_ADDRESS_RENEWALS_PER_MINUTE: '4',
          SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.1',
        },
      }),
    );
  });
  after(() => site.stop());

  const renew = async (token: string | undefined, headers: Record<string, string> = {}) => {
    const authorization: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const response = await fetch(`${site.url}/visitor/session/renew`, {
      method: 'POST',
      headers: { ...authorization, ...headers },
    });
    return {
      status: response.status,
      headers: response.headers,
      // biome-ignore lint/suspicious/noExplicitAny: tests read any field
      body: (await response.json()) as any,
    };
  };

  test('rule 17: the conversation goes on with the renewed token', async () => {
    await site.createOperator();
    const visitor = await site.createVisitor();
    const { id } = await visitor.startConversation({ message: 'Hello' });
    const response = await renew(visitor.token, { Origin: ORIGIN });
    assert.equal(response.status, 201);
    assert.deepEqual(Object.keys(response.body).sort(), ['expiresIn', 'token', 'visitorId']);
    assert.equal(response.body.visitorId, visitor.visitorId);
    assert.equal(response.body.expiresIn, 86_400);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.equal(response.headers.get('access-control-allow-origin'), ORIGIN);
    const renewed = site.createVisitorWithToken(response.body.token);
    assert.deepEqual((await renewed.sendMessage(id, 'Still here')).userErrors, []);
    const { data } = await renewed.run('query($id:ID!){conversation(id:$id){messageCount}}', { id });
    assert.equal(data.conversation.messageCount, 2);
  });

  test('a token that is not accepted is 401 in the form of the session endpoint; another origin is 403', async () => {
    for (const token of [undefined, 'x'.repeat(43), site.switchboard.key]) {
      const { status, body, headers } = await renew(token);
      assert.equal(status, 401);
      assert.equal(body.errors[0].extensions.code, 'UNAUTHENTICATED');
      assert.match(headers.get('www-authenticate') ?? '', /^Bearer/);
    }
    const { token } = await site.createVisitor();
    const response = await renew(token, { Origin: 'https://elsewhere.example' });
    assert.equal(response.status, 403);
    assert.equal(response.headers.get('access-control-allow-origin'), null);
    assert.equal((await renew(token)).status, 201);
  });

  test('too many renewals by a visitor or from an address are 429 with Retry-After', async () => {
    const [first, second, third] = [await site.createVisitor(), await site.createVisitor(), await site.createVisitor()];
    const from = (address: string) => ({ 'X-Forwarded-For': address, Origin: ORIGIN });
    for (let index = 0; index < 2; index += 1)
      assert.equal((await renew(first.token, from('203.0.113.1'))).status, 201);
    const limited = await renew(first.token, from('203.0.113.9'));
    assert.equal(limited.status, 429);
    assert.match(limited.headers.get('retry-after') ?? '', /^[1-9][0-9]?$/);
    assert.equal(limited.headers.get('access-control-allow-origin'), ORIGIN);
    assert.equal(limited.body.errors[0].extensions.code, 'RATE_LIMITED');
    assert.match(limited.body.errors[0].message, /renewals/);
    for (let index = 0; index < 2; index += 1)
      assert.equal((await renew(second.token, from('203.0.113.1'))).status, 201);
    assert.equal((await renew(third.token, from('203.0.113.1'))).status, 429);
    assert.equal((await renew(third.token, from('203.0.113.2'))).status, 201);
  });
});
