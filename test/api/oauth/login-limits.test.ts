import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, suite, test } from 'node:test';
import { network } from '../../../src/core/access/networks.ts';
import { asDomainError } from '../../../src/core/kernel/errors.ts';
import { tryLogin } from '../../support/clients/oauth.ts';
import { databases, type OpenInstallation } from '../../support/databases/databases.ts';
import { useUpLogins, withStandingClock } from '../../support/processes/standing-clock.ts';
import { ADMIN, type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

const USER = 'user@example.com';
const HOME = '192.0.2.1';

for (const { name, open } of databases) {
  suite(`the limits of logins (${name})`, () => {
    let installation: OpenInstallation;
    beforeEach(async () => {
      installation = await open();
    });
    afterEach(() => installation.end());

    /** 0 where the try is admitted, else the seconds to wait. */
    const seconds = (email = USER, address = HOME): Promise<number> =>
      installation.limits.admit(email, address).then(
        () => 0,
        (error) => {
          assert.equal(asDomainError(error)?.kind, 'limited', String(error));
          return asDomainError(error)?.details.retryAfterSeconds as number;
        },
      );

    async function use(times: number, email?: (index: number) => string, address?: (index: number) => string) {
      for (let index = 0; index < times; index += 1) {
        assert.equal(await seconds(email?.(index), address?.(index)), 0, `try ${index + 1}`);
      }
    }

    test('ten of a user within a minute, in a window that slides', async () => {
      const { clock } = installation;
      for (let index = 0; index < 10; index += 1) {
        await use(1);
        clock.advance(1000);
      }
      clock.advance(-500); // the first try is 9.5 s old
      assert.equal(await seconds(), 51);
      clock.advance(50_499);
      assert.equal(await seconds(), 1, 'one millisecond too early');
      clock.advance(1);
      assert.equal(await seconds(), 0, 'the first has left the window');
      assert.equal(await seconds(), 1, 'and the second leaves it a second later');
      clock.advance(1000);
      assert.equal(await seconds(), 0);
    });

    test('the seconds to wait are enough and not more than needed', async () => {
      const { clock } = installation;
      await use(10);
      clock.advance(12_345);
      const wait = await seconds();
      clock.advance((wait - 1) * 1000);
      assert.ok((await seconds()) > 0, 'a second less is not enough');
      clock.advance(1000);
      assert.equal(await seconds(), 0);
    });

    test('a hundred of an address within a minute, whoever the users are', async () => {
      await use(100, (index) => `user${index}@example.com`);
      assert.equal(await seconds('another@example.com'), 60);
      assert.equal(await seconds('another@example.com', '192.0.2.2'), 0, 'another address is not meant');
      installation.clock.advance(60_000);
      assert.equal(await seconds('another@example.com'), 0);
    });

    test('a refused try uses up neither budget', async () => {
      await use(10);
      for (let index = 0; index < 30; index += 1) assert.equal(await seconds(), 60);
      await use(90, (index) => `other${index}@example.com`); // the address has the rest of its hundred
      assert.equal(await seconds('late@example.com'), 60);
      for (let index = 0; index < 30; index += 1) assert.equal(await seconds('late@example.com'), 60);
      await use(
        10,
        () => 'late@example.com', // and the user all of their ten
        () => '192.0.2.2',
      );
      assert.equal(await seconds('late@example.com', '192.0.2.2'), 60);
    });

    test('where both are used up, the longer wait is the one to tell', async () => {
      const { clock } = installation;
      await use(
        10,
        () => USER,
        () => '192.0.2.2',
      );
      clock.advance(20_000);
      await use(100, (index) => `user${index}@example.com`);
      clock.advance(10_000);
      assert.equal(await seconds(), 50, 'the address has 50 s to go, the user 30');
    });

    test('an e-mail is the same in any case and with space around it', async () => {
      const forms = [USER, 'USER@example.com', ' user@Example.COM', 'user@example.com\t', '\nUser@example.com '];
      await use(10, (index) => forms[index % forms.length] as string);
      for (const form of forms) assert.equal(await seconds(form), 60, JSON.stringify(form));
      assert.equal(await seconds('user2@example.com'), 0);
    });

    test('cleaning up forgets nothing that still counts', async () => {
      const { clock, limits, database } = installation;
      await use(10);
      clock.advance(59_999);
      await limits.clean();
      assert.equal(await seconds(), 1);
      clock.advance(2);
      await limits.clean();
      assert.deepEqual(await database.read.selectFrom('rateWindows').select('subject').execute(), []);
    });

    test('of 200 tries of one user at once exactly 10 are admitted', async () => {
      const waits = await Promise.all(Array.from({ length: 200 }, (_, index) => seconds(USER, `192.0.2.${index}`)));
      assert.equal(waits.filter((wait) => wait === 0).length, 10);
    });

    test('of 200 users at once from one address exactly 100 are admitted', async () => {
      const waits = await Promise.all(Array.from({ length: 200 }, (_, index) => seconds(`user${index}@example.com`)));
      assert.equal(waits.filter((wait) => wait === 0).length, 100);
    });
  });
}

suite('what counts as one address', () => {
  for (const [one, other, same] of [
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
    test(`${one} and ${other} are ${same ? 'one' : 'two'}`, () =>
      assert.equal(network(one) === network(other), same, `${network(one)} ${network(other)}`));
  }
});

const useUp = (switchboard: Switchboard, address: string, times: number) =>
  useUpLogins(switchboard, times, (limits, index) => limits.admit(`somebody${index}@example.com`, address));

async function statusFrom({ url }: Switchboard, email: string, forwardedFor: string): Promise<number> {
  return (await tryLogin(url, email, 'wrong', forwardedFor)).status;
}

suite('behind a trusted proxy', () => {
  let switchboard: Switchboard;
  before(async () => {
    switchboard = await startSwitchboard(withStandingClock({ env: { SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.1' } }));
  });
  after(() => switchboard.stop());

  test('the eleventh login of a user is 429, known or unknown, right or wrong, from wherever', async () => {
    const bodies = new Set<string>();
    for (const email of [ADMIN.email, 'unknown@example.com']) {
      for (let index = 0; index < 10; index += 1) {
        const password = index % 2 === 0 ? ADMIN.password : 'wrong';
        const expected = index % 2 === 0 && email === ADMIN.email ? 200 : 400;
        const { status } = await tryLogin(switchboard.url, email, password, `203.0.113.${100 + index}`);
        assert.equal(status, expected, 'successful or not, every try counts');
      }
      for (const password of [ADMIN.password, 'wrong']) {
        const answer = await tryLogin(switchboard.url, email.toUpperCase(), password, '203.0.113.200');
        assert.equal(answer.status, 429);
        assert.equal(answer.body.error, 'too_many_requests');
        assert.deepEqual(Object.keys(answer.body), ['error', 'error_description']);
        assert.equal(answer.headers.get('cache-control'), 'no-store');
        assert.equal(answer.headers.get('pragma'), 'no-cache');
        const wait = answer.headers.get('retry-after') ?? '';
        assert.match(wait, /^[1-9][0-9]?$/);
        assert.ok(Number(wait) <= 60);
        bodies.add(answer.text);
      }
    }
    assert.equal(bodies.size, 1);
  });

  test('the address that the proxy names is the one that counts', async () => {
    await useUp(switchboard, '203.0.113.5', 98);
    const from = (forwardedFor: string) => statusFrom(switchboard, 'x@example.com', forwardedFor);
    assert.equal(await from('203.0.113.5'), 400);
    assert.equal(await from('203.0.113.5'), 400);
    assert.equal(await from('203.0.113.5'), 429);
    assert.equal(await from('198.51.100.9, 203.0.113.5'), 429, 'what the caller claims before it is not believed');
    assert.equal(await from('203.0.113.5, 127.0.0.1'), 429, 'a trusted proxy in between is');
    assert.equal(await from('::ffff:203.0.113.5'), 429);
    assert.equal(await from('203.0.113.6'), 400);
    assert.equal(await from('203.0.113.5, 203.0.113.6'), 400);
  });
});

test('from anybody but a trusted proxy X-Forwarded-For is not believed', async () => {
  const switchboard = await startSwitchboard(
    withStandingClock({ env: { SWITCHBOARD_TRUSTED_PROXIES: '192.0.2.0/24' } }),
  );
  try {
    await useUp(switchboard, '127.0.0.1', 98);
    assert.equal(await statusFrom(switchboard, 'a@example.com', '203.0.113.1'), 400);
    assert.equal(await statusFrom(switchboard, 'b@example.com', '203.0.113.2'), 400);
    assert.equal(await statusFrom(switchboard, 'c@example.com', '203.0.113.3'), 429);
  } finally {
    await switchboard.stop();
  }
});
