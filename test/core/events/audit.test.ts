import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { databases } from '../../support/databases/databases.ts';

const MINUTE = 60_000;

for (const { name, open } of databases) {
  test(`${name}: finds any period of the log, even if a clock was set back and old events were deleted`, async () => {
    const installation = await open();
    const {
      database,
      accountId,
      caller,
      clock,
      events: { audit },
    } = installation;
    const start = clock.now;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: -20, max: 600 }), { minLength: 1, maxLength: 40 }),
        fc.nat(10),
        fc.option(fc.integer({ min: -100, max: 12_000 }), { nil: undefined }),
        fc.option(fc.integer({ min: -100, max: 12_000 }), { nil: undefined }),
        async (steps, deletedCount, from, to) => {
          clock.now = start;
          await database.transaction(async ({ db }) => {
            await db.deleteFrom('events').execute();
            await db.updateTable('accounts').set({ eventPosition: 0 }).execute();
          });
          const times: number[] = [];
          for (const step of steps) {
            clock.advance(step * MINUTE);
            times.push(clock.now);
            await database.transaction(async (tx) => {
              const subject = { accountId, type: 'skill.updated', subjectType: 'skill', subjectId: 1 };
              tx.emit({ ...subject, actor: { type: 'system', id: null }, changes: { fields: [], values: {} } });
            });
          }
          const oldest = Math.min(deletedCount, steps.length - 1) + 1;
          await database.transaction(({ db }) => db.deleteFrom('events').where('position', '<', oldest).execute());
          const period = {
            from: from === undefined ? undefined : start + from * MINUTE,
            to: to === undefined ? undefined : start + to * MINUTE,
          };
          const expected = times.flatMap((at, index) =>
            index + 1 >= oldest && at >= (period.from ?? 0) && at < (period.to ?? Number.POSITIVE_INFINITY)
              ? [index + 1]
              : [],
          );
          const page = await audit.page(caller, period, { limit: 100, backwards: false });
          assert.deepEqual(
            page.rows.map(({ position }) => position),
            expected,
          );
        },
      ),
      { numRuns: process.env.FULL === '1' ? 60 : 25 },
    );
    await installation.end();
  });
}
