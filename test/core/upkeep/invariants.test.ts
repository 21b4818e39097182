import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import type { Transact } from '../../../src/core/kernel/caller.ts';
import { DomainError } from '../../../src/core/kernel/errors.ts';
import { findBrokenInvariants } from '../../../src/core/upkeep/invariants.ts';
import { databases } from '../../support/databases/databases.ts';
import type { World } from '../../support/people/world.ts';
import { BREAKS, busyWorld } from './invariant-breaks.ts';

const subset = (most: number) => fc.uniqueArray(fc.integer({ min: 1, max: most }), { maxLength: most });
const person = fc.integer({ min: 1, max: 12 });
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
  fc.record({ do: fc.constant('create' as const), who: person, fields }),
  fc.record({ do: fc.constant('update' as const), who: person, fields }),
  fc.record({ do: fc.constant('remove' as const), who: person, fields }),
);

for (const { name, open } of databases) {
  test(`${name}: whatever is done with operators, one after the other or at once, every kept number equals a recount`, async () => {
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
          steps.map(({ do: what, who, fields }) => {
            if (what === 'create') {
              return operators.create(transact, caller, { name: 'N', email: `p${who}@example.com`, ...fields });
            }
            if (what === 'update') return operators.update(transact, caller, who, fields);
            return operators.remove(transact, caller, who);
          }),
        );
        for (const outcome of outcomes) {
          if (outcome.status === 'rejected' && !(outcome.reason instanceof DomainError)) throw outcome.reason;
        }
        for (const { name, problems } of await findBrokenInvariants(database)) assert.deepEqual(problems, [], name);
      }),
      { numRuns: 30 },
    );
    await installation.end();
  });

  suite(`${name}: the doctor finds what is wrong, and only that`, () => {
    let world: World;
    before(async () => {
      world = await busyWorld(open);
      assert.deepEqual(await broken(), []);
    });
    after(() => world.end());

    const broken = async () => [...new Set((await world.brokenInvariants()).map((problem) => problem.split(': ')[0]))];
    const run = (statement: string) =>
      world.transact(async ({ db }) => {
        await sql.raw(statement).execute(db);
      });

    for (const [what, statement, mend, invariant] of BREAKS) {
      test(what, async () => {
        await run(statement);
        const found = await world.brokenInvariants();
        await run(mend);
        assert.ok(found.length > 0, 'nothing was found');
        for (const problem of found) assert.match(problem, invariant);
        assert.deepEqual(await broken(), []);
      });
    }

    test('a lease that ended is not looked for where no service runs', async () => {
      world.installation.clock.advance(24 * 3600 * 1000);
      assert.deepEqual(await broken(), ['nobody is still connected by a lease that has ended']);
      const unserved = await findBrokenInvariants(world.installation.database, { served: false });
      assert.deepEqual(
        unserved.flatMap(({ problems }) => problems),
        [],
      );
    });
  });
}
