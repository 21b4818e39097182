import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, suite, test } from 'node:test';
import { toNetwork } from '../../../src/core/access/networks.ts';
import { toDomainError } from '../../../src/core/kernel/errors.ts';
import { tryLogin } from '../../support/clients/oauth.ts';
import { databases, type TestInstallation } from '../../support/databases/databases.ts';
import { recordLoginAttempts, withFrozenClock } from '../../support/processes/frozen-clock.ts';
import { ADMIN, type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

const USER = 'user@example.com';
const HOME = '192.0.2.1';

for (const { name, open } of databases) {
  suite(`login limits (${name})`, () => {
    let installation: TestInstallation;
    beforeEach(async () => {
      installation = await open();
    });
    afterEach(() => installation.end());

    /** 0 if the attempt is admitted, else the seconds to wait. */
    const secondsToWait = (email = USER, address = HOME): Promise<number> =>
      installation.limits.admit(email, address).then(
        () => 0,
        (error) => {
          assert.equal(toDomainError(error)?.kind, 'limited', String(error));
          return toDomainError(error)?.details.retryAfterSeconds as number;
        },
      );

    async function attempt(times: number, email?: (index: number) => string, address?: (index: number) => string) {
      for (let index = 0; index < times; index += 1) {
        assert.equal(await secondsToWait(email?.(index), address?.(index)), 0, `attempt ${index + 1}`);
      }
    }

    test('ten per user and minute, in a sliding window', async () => {
      const { clock } = installation;
      for (let index = 0; index < 10; index += 1) {
        await attempt(1);
        clock.advance(1000);
      }
      clock.advance(-500); // the first attempt is 9.5 s old
      assert.equal(await secondsToWait(), 51);
      clock.advance(50_499);
      assert.equal(await secondsToWait(), 1, 'one millisecond too early');
      clock.advance(1);
      assert.equal(await secondsToWait(), 0, 'the first has left the window');
      assert.equal(await secondsToWait(), 1, 'and the second leaves it a second later');
      clock.advance(1000);
      assert.equal(await secondsToWait(), 0);
    });

    test('the time to wait is sufficient and not longer than necessary', async () => {
      const { clock } = installation;
      await attempt(10);
      clock.advance(12_345);
      const wait = await secondsToWait();
      clock.advance((wait - 1) * 1000);
      assert.ok((await secondsToWait()) > 0, 'a second less is not enough');
      clock.advance(1000);
      assert.equal(await secondsToWait(), 0);
    });

    test('a hundred per IP address and minute, across users', async () => {
      await attempt(100, (index) => `user${index}@example.com`);
      assert.equal(await secondsToWait('another@example.com'), 60);
      assert.equal(await secondsToWait('another@example.com', '192.0.2.2'), 0, 'other addresses are not limited');
      installation.clock.advance(60_000);
      assert.equal(await secondsToWait('another@example.com'), 0);
    });

    test('a refused attempt counts towards neither limit', async () => {
      await attempt(10);
      for (let index = 0; index < 30; index += 1) assert.equal(await secondsToWait(), 60);
      await attempt(90, (index) => `other${index}@example.com`); // the address has 90 attempts left
      assert.equal(await secondsToWait('late@example.com'), 60);
      for (let index = 0; index < 30; index += 1) assert.equal(await secondsToWait('late@example.com'), 60);
      await attempt(
        10,
        () => 'late@example.com', // the user still has all ten
        () => '192.0.2.2',
      );
      assert.equal(await secondsToWait('late@example.com', '192.0.2.2'), 60);
    });

    test('when both limits are reached, the longer wait is returned', async () => {
      const { clock } = installation;
      await attempt(
        10,
        () => USER,
        () => '192.0.2.2',
      );
      clock.advance(20_000);
      await attempt(100, (index) => `user${index}@example.com`);
      clock.advance(10_000);
      assert.equal(await secondsToWait(), 50, 'the address has 50 s to go, the user 30');
    });

    test('e-mails are compared ignoring case and surrounding space', async () => {
      const forms = [USER, 'USER@example.com', ' user@Example.COM', 'user@example.com\t', '\nUser@example.com '];
      await attempt(10, (index) => forms[index % forms.length] as string);
      for (const form of forms) assert.equal(await secondsToWait(form), 60, JSON.stringify(form));
      assert.equal(await secondsToWait('user2@example.com'), 0);
    });

    test('cleanup keeps attempts that still count', async () => {
      const { clock, limits, database } = installation;
      await attempt(10);
      clock.advance(59_999);
      await limits.deleteExpired();
      assert.equal(await secondsToWait(), 1);
      clock.advance(2);
      await limits.deleteExpired();
      assert.deepEqual(await database.read.selectFrom('rateWindows').select('subject').execute(), []);
    });

    test('of 200 concurrent attempts of one user exactly 10 are admitted', async () => {
      const waits = await Promise.all(
        Array.from({ length: 200 }, (_, index) => secondsToWait(USER, `192.0.2.${index}`)),
      );
      assert.equal(waits.filter((wait) => wait === 0).length, 10);
    });

    test('of 200 concurrent users from one address exactly 100 are admitted', async () => {
      const waits = await Promise.all(
        Array.from({ length: 200 }, (_, index) => secondsToWait(`user${index}@example.com`)),
      );
      assert.equal(waits.filter((wait) => wait === 0).length, 100);
    });
  });
}

suite('addresses that share a limit', () => {
  for (const [first, second, same] of [
    ['192.0.2.1', '192.0.2.1', true],
    ['192.0.2.1', '192.0.2.2', false],
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', true],
    ['2001:db8:1:2::1', '2001:DB8:0001:0002:0:0:0:9', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['2001:db8::1', '2001:db8:0:0:5::', true],
    ['fe80::1%eth0', 'fe80::2%eth1', true],
    ['::ffff:192.0.2.1', '192.0.2.1', true],
    ['::FFFF:192.0.2.1', '192.0.2.1', true],
    ['::ffff:c000:201', '192.0.2.1', true],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1', true],
    ['::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
    ['::1', '::ffff:192.0.2.1', false],
  ] as const) {
    test(`${first} and ${second} ${same ? 'share a limit' : 'have separate limits'}`, () =>
      assert.equal(toNetwork(first) === toNetwork(second), same, `${toNetwork(first)} ${toNetwork(second)}`));
  }
});

const recordAttempts = (switchboard: Switchboard, address: string, times: number) =>
  recordLoginAttempts(switchboard, times, (limits, index) => limits.admit(`user${index}@example.com`, address));

async function statusFrom({ url }: Switchboard, email: string, forwardedFor: string): Promise<number> {
  return (await tryLogin(url, email, 'wrong', forwardedFor)).status;
}

suite('behind a trusted proxy', () => {
  let switchboard: Switchboard;
  before(async () => {
    switchboard = await startSwitchboard(withFrozenClock({ env: { SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.1' } }));
  });
  after(() => switchboard.stop());

  test('the eleventh login of a user gets 429: known or unknown, right or wrong password, from any address', async () => {
    const bodies = new Set<string>();
    for (const email of [ADMIN.email, 'unknown@example.com']) {
      for (let index = 0; index < 10; index += 1) {
        const password = index % 2 === 0 ? ADMIN.password : 'wrong';
        const expected = index % 2 === 0 && email === ADMIN.email ? 200 : 400;
        const { status } = await tryLogin(switchboard.url, email, password, `203.0.113.${100 + index}`);
        assert.equal(status, expected, 'every attempt counts, successful or not');
      }
      for (const password of [ADMIN.password, 'wrong']) {
        const response = await tryLogin(switchboard.url, email.toUpperCase(), password, '203.0.113.200');
        assert.equal(response.status, 429);
        assert.equal(response.body.error, 'too_many_requests');
        assert.deepEqual(Object.keys(response.body), ['error', 'error_description']);
        assert.equal(response.headers.get('cache-control'), 'no-store');
        assert.equal(response.headers.get('pragma'), 'no-cache');
        const wait = response.headers.get('retry-after') ?? '';
        assert.match(wait, /^[1-9][0-9]?$/);
        assert.ok(Number(wait) <= 60);
        bodies.add(response.text);
      }
    }
    assert.equal(bodies.size, 1);
  });

  test('the forwarded address is the one that counts', async () => {
    await recordAttempts(switchboard, '203.0.113.5', 98);
    const from = (forwardedFor: string) => statusFrom(switchboard, 'x@example.com', forwardedFor);
    assert.equal(await from('203.0.113.5'), 400);
    assert.equal(await from('203.0.113.5'), 400);
    assert.equal(await from('203.0.113.5'), 429);
    assert.equal(await from('198.51.100.9, 203.0.113.5'), 429, 'earlier entries are not trusted');
    assert.equal(await from('203.0.113.5, 127.0.0.1'), 429, 'a trusted proxy in between is skipped');
    assert.equal(await from('::ffff:203.0.113.5'), 429);
    assert.equal(await from('203.0.113.6'), 400);
    assert.equal(await from('203.0.113.5, 203.0.113.6'), 400);
  });
});

test('X-Forwarded-For is ignored unless it comes from a trusted proxy', async () => {
  const switchboard = await startSwitchboard(withFrozenClock({ env: { SWITCHBOARD_TRUSTED_PROXIES: '192.0.2.0/24' } }));
  try {
    await recordAttempts(switchboard, '127.0.0.1', 98);
    assert.equal(await statusFrom(switchboard, 'a@example.com', '203.0.113.1'), 400);
    assert.equal(await statusFrom(switchboard, 'b@example.com', '203.0.113.2'), 400);
    assert.equal(await statusFrom(switchboard, 'c@example.com', '203.0.113.3'), 429);
  } finally {
    await switchboard.stop();
  }
});
