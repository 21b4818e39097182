import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Transact } from '../../src/core/caller.ts';
import { DomainError } from '../../src/core/errors.ts';
import { findBrokenInvariants } from '../../src/core/invariants.ts';
import { databases } from '../support/databases.ts';

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
    const transact: Transact = (work) => database.transaction(work);
    for (const label of ['x', 'y', 'z'])
      await websites.create(caller, { label, url: `https://${label}.example.com` }, transact);
    for (const name of ['x', 'y', 'z']) await groups.create(caller, { name }, transact);
    for (const name of ['x', 'y', 'z', 'w']) await skills.create(caller, { name }, transact);

    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        const outcomes = await Promise.allSettled(
          steps.map(({ do: what, who, fields }) => {
            if (what === 'create') {
              return operators.create(caller, { name: 'N', email: `p${who}@example.com`, ...fields }, transact);
            }
            if (what === 'update') return operators.update(caller, who, fields, transact);
            return operators.remove(caller, who, transact);
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

  test(`${name}: the doctor's searches find what is wrong`, async () => {
    const installation = await open();
    const { database, accountId } = installation;
    const broken = async () =>
      (await findBrokenInvariants(database)).filter(({ problems }) => problems.length > 0).map((report) => report.name);
    assert.deepEqual(await broken(), []);
    await database.transaction(async ({ db }) => {
      await db.updateTable('accounts').set({ operatorCount: 7 }).where('id', '=', accountId).execute();
      await db
        .updateTable('operatorLive')
        .set({ chatSlots: 1, leaseUntil: 5 })
        .where('accountId', '=', accountId)
        .execute();
      await db.deleteFrom('events').where('accountId', '=', accountId).where('position', '=', 1).execute();
    });
    assert.equal((await broken()).length, 4);
    await installation.end();
  });
}
