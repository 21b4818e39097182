import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import type { Transact } from '../../../src/core/kernel/caller.ts';
import { DomainError } from '../../../src/core/kernel/errors.ts';
import { checkInvariants } from '../../../src/core/upkeep/invariants.ts';
import { databases } from '../../support/databases/databases.ts';
import type { EngineFixture } from '../../support/fixtures/engine-fixture.ts';
import { createBusyFixture, VIOLATIONS } from './invariant-violations.ts';

const subset = (max: number) => fc.uniqueArray(fc.integer({ min: 1, max }), { maxLength: max });
const operatorId = fc.integer({ min: 1, max: 12 });
const fields = fc.record(
  {
    groupId: fc.option(fc.integer({ min: 1, max: 3 })),
    websiteList: subset(3),
    skillList: subset(4),
    roles: fc.constantFrom<('admin' | 'operator' | 'manager')[]>(['admin'], ['operator'], ['admin', 'manager']),
    externalId: fc.option(fc.constantFrom('a', 'b', 'c')),
  },
  { requiredKeys: [] },
);
const step = fc.oneof(
  fc.record({ do: fc.constant('create' as const), operatorId, fields }),
  fc.record({ do: fc.constant('update' as const), operatorId, fields }),
  fc.record({ do: fc.constant('remove' as const), operatorId, fields }),
);

for (const { name, open } of databases) {
  test(`${name}: after any sequential or concurrent changes of operators, every stored count equals a recount`, async () => {
    const installation = await open();
    const { operators, websites, groups, skills, caller, database } = installation;
    const transact: Transact = (work) => database.transaction(work, caller.accountId);
    for (const label of ['x', 'y', 'z'])
      await websites.create(transact, caller, { label, url: `https://${label}.example.com` });
    for (const name of ['x', 'y', 'z']) await groups.create(transact, caller, { name });
    for (const name of ['x', 'y', 'z', 'w']) await skills.create(transact, caller, { name });

    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const outcomes = await Promise.allSettled(
          steps.map(({ do: action, operatorId, fields }) => {
            if (action === 'create') {
              return operators.create(transact, caller, { name: 'N', email: `p${operatorId}@example.com`, ...fields });
            }
            if (action === 'update') return operators.update(transact, caller, operatorId, fields);
            return operators.delete(transact, caller, operatorId);
          }),
        );
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected' && !(outcome.reason instanceof DomainError)) throw outcome.reason;
        }
        for (const { name, problems } of await checkInvariants(database)) assert.deepEqual(problems, [], name);
      }),
      { numRuns: process.env.FULL === '1' ? 30 : 12 },
    );
    await installation.end();
  });

  suite(`${name}: the doctor finds exactly the violated invariants`, () => {
    let fixture: EngineFixture;
    before(async () => {
      fixture = await createBusyFixture(open);
      assert.deepEqual(await findBrokenNames(), []);
    });
    after(() => fixture.end());

    const findBrokenNames = async () => [
      ...new Set((await fixture.findBrokenInvariants()).map((problem) => problem.split(': ')[0])),
    ];
    const run = (statement: string) =>
      fixture.transact(async ({ db }) => {
        await sql.raw(statement).execute(db);
      });

    for (const [title, statement, undo, invariant] of VIOLATIONS) {
      test(title, async () => {
        await run(statement);
        const found = await fixture.findBrokenInvariants();
        await run(undo);
        assert.ok(found.length > 0, 'nothing was found');
        for (const problem of found) assert.match(problem, invariant);
        assert.deepEqual(await findBrokenNames(), []);
      });
    }

    test('an expired lease is not reported when no service runs', async () => {
      fixture.installation.clock.advance(24 * 3600 * 1000);
      assert.deepEqual(await findBrokenNames(), ['no operator is still connected after their lease has ended']);
      const reports = await checkInvariants(fixture.installation.database, { isServiceRunning: false });
      assert.deepEqual(
        reports.flatMap(({ problems }) => problems),
        [],
      );
    });
  });
}
