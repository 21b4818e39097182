import assert from 'node:assert/strict';
import { argon2Sync } from 'node:crypto';
import { afterEach, beforeEach, suite, test } from 'node:test';
import type { Kysely, KyselyPlugin, RootOperationNode } from 'kysely';
import { createAccess } from '../../../src/core/access/access.ts';
import { Login } from '../../../src/core/access/login.ts';
import { Passwords } from '../../../src/core/access/passwords.ts';
import type { Transact } from '../../../src/core/kernel/caller.ts';
import type { Database } from '../../../src/storage/database.ts';
import type { Tables } from '../../../src/storage/tables.ts';
import { databases, type TestInstallation } from '../../support/databases/databases.ts';
import { TEST_OPEN_OPTIONS } from '../../support/processes/open-options.ts';
import { ADMIN } from '../../support/processes/switchboard.ts';

const HOME = '192.0.2.1';

/** Time depends on the machine, so this counts the work: hashes with their cost, and statements without their values. */
for (const { name, open } of databases)
  suite(`the work of a refused login (${name})`, () => {
    let installation: TestInstallation;
    let login: Login;
    const work: string[] = [];
    const transact: Transact = (run) => installation.database.transaction(run, installation.accountId);

    beforeEach(async () => {
      installation = await open();
      const database = recordStatements(installation.database, work);
      const passwords = new Passwords(TEST_OPEN_OPTIONS.hashCost, async (parameters) => {
        work.push(`hash of ${parameters.memory} KiB, ${parameters.passes} passes`);
        return argon2Sync('argon2id', parameters);
      });
      login = new Login({ ...createAccess(database, installation.secrets), database, passwords });
    });
    afterEach(() => installation.end());

    async function measure(email: string, use: 'token' | 'session'): Promise<string[]> {
      work.length = 0;
      const result = await login.logIn({ email, password: 'not the password', address: HOME, use });
      assert.deepEqual(result, { kind: 'refused' });
      return [...work];
    }

    async function createOperator(email: string, password?: string): Promise<number> {
      const fields = { name: 'Operator', email, ...(password !== undefined && { password }) };
      return (await installation.operators.create(transact, installation.caller, fields)).id;
    }

    for (const use of ['token', 'session'] as const)
      test(`is the same for every e-mail address, for a ${use}`, async () => {
        await createOperator('no-password@example.com');
        const deletedId = await createOperator('deleted@example.com', 'a password of the past');
        await installation.operators.delete(transact, installation.caller, deletedId);

        const known = await measure(ADMIN.email, use);
        assert.equal(known.filter((step) => step.startsWith('hash')).length, 1);
        for (const table of ['"logins"', '"failed_logins"', '"rate_windows"'])
          assert.ok(
            known.some((step) => step.includes(table)),
            table,
          );
        for (const email of ['unknown@example.com', 'deleted@example.com', 'no-password@example.com', 'not an e-mail'])
          assert.deepEqual(await measure(email, use), known, email);
      });

    test('includes the hash for an address that no database can store', async () => {
      const hashes = (steps: readonly string[]) => steps.filter((step) => step.startsWith('hash'));
      assert.deepEqual(hashes(await measure('a\0@example.com', 'token')), hashes(await measure(ADMIN.email, 'token')));
    });
  });

/** The same database, which adds every statement to the list. */
function recordStatements(database: Database, statements: string[]): Database {
  const recorder: KyselyPlugin = {
    transformQuery: ({ node }) => {
      statements.push(describe(node));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const record = (db: Kysely<Tables>) => db.withPlugin(recorder);
  const transaction: Database['transaction'] = (work, accountId) =>
    database.transaction((tx) => {
      const recorded = new Proxy(tx, { get: (target, key) => (key === 'db' ? record(tx.db) : read(target, key)) });
      return work(recorded);
    }, accountId);
  return new Proxy(database, {
    get: (target, key) =>
      key === 'read' ? record(database.read) : key === 'transaction' ? transaction : read(target, key),
  });
}

function read(target: object, key: string | symbol): unknown {
  const value = Reflect.get(target, key, target);
  return typeof value === 'function' ? value.bind(target) : value;
}

function describe(node: RootOperationNode): string {
  return JSON.stringify(node, (_key, value) =>
    value?.kind === 'ValueNode'
      ? 'value'
      : value?.kind === 'PrimitiveValueListNode'
        ? `${value.values.length} values`
        : value,
  );
}
