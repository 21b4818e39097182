import assert from 'node:assert/strict';
import { argon2Sync } from 'node:crypto';
import { afterEach, beforeEach, suite, test } from 'node:test';
import { Login } from '../../../src/core/access/login.ts';
import { Passwords } from '../../../src/core/access/passwords.ts';
import { toDomainError } from '../../../src/core/kernel/errors.ts';
import { secretOf } from '../../support/clients/oauth.ts';
import { openTestInstallation, type TestInstallation } from '../../support/databases/databases.ts';
import { ADMIN } from '../../support/processes/switchboard.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

const MAX_RUNNING = 2;
const MAX_WAITING = 48;

suite('a login during a flood of logins', () => {
  let installation: TestInstallation;
  let login: Login;
  /** Ends one running hash. */
  const running: (() => void)[] = [];
  /** The passwords whose hash has started, in order. */
  const started: unknown[] = [];
  let rejectedCount = 0;

  beforeEach(async () => {
    installation = await openTestInstallation();
    const passwords = new Passwords({ memoryKiB: 64, passes: 1 }, async (parameters) => {
      started.push(parameters.message);
      await new Promise<void>((resolve) => running.push(resolve));
      return argon2Sync('argon2id', parameters);
    });
    login = new Login({ ...installation.access, database: installation.database, passwords });
    rejectedCount = 0;
    running.length = 0;
    started.length = 0;
  });
  afterEach(() => installation.end());

  const startLogin = (email: string, address: string, password = 'wrong') =>
    login.logIn({ email, password, address }).then(secretOf, (error) => {
      assert.equal(toDomainError(error)?.kind, 'unavailable', String(error));
      rejectedCount += 1;
      return 'rejected' as const;
    });

  /** Starts more logins than the queue holds, and waits until each one is in the queue or rejected. */
  async function flood(count: number, toAddress: (index: number) => string) {
    const logins = Array.from({ length: count }, (_, index) =>
      startLogin(`user${index}@example.com`, toAddress(index)),
    );
    await waitUntil('the queue is full', () => rejectedCount === count - MAX_RUNNING - MAX_WAITING);
    return logins;
  }

  /** Logs in while the queue is full, and returns how many hashes start before its own. */
  async function countHashesBeforeLogin(address: string, logins: readonly Promise<unknown>[]): Promise<number> {
    const rejectedBefore = rejectedCount;
    started.length = 0;
    const attempt = startLogin(ADMIN.email, address, ADMIN.password);
    await waitUntil('the login is in the queue', () => rejectedCount > rejectedBefore);
    await end([attempt, ...logins]);
    assert.match(String(await attempt), /^(?!rejected|undefined)./, 'the login succeeds');
    return started.indexOf(ADMIN.password);
  }

  async function end(logins: readonly Promise<unknown>[]): Promise<void> {
    let hasEnded = false;
    const all = Promise.all(logins).then(() => {
      hasEnded = true;
    });
    await waitUntil('all logins have ended', () => {
      for (const endHash of running.splice(0)) endHash();
      return hasEnded;
    });
    await all;
  }

  test('from eleven networks waits for one login of each', async () => {
    const logins = await flood(110, (index) => `2001:db8:0:${index % 11}::${index}`);
    const count = await countHashesBeforeLogin('192.0.2.1', logins);
    assert.ok(count <= 11, `${count} hashes`);
  });

  test('from 150 networks succeeds', async () => {
    const logins = await flood(150, (index) => `198.51.100.${index}`);
    assert.equal(await countHashesBeforeLogin('192.0.2.1', logins), MAX_WAITING - 1);
  });

  test('from 150 networks comes first if a login from its network has succeeded before', async () => {
    const before = startLogin(ADMIN.email, '192.0.2.1', ADMIN.password);
    await end([before]);
    assert.equal(typeof (await before), 'string');
    const logins = await flood(150, (index) => `198.51.100.${index}`);
    assert.equal(await countHashesBeforeLogin('192.0.2.1', logins), 0);
  });
});
