import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { databases } from '../../support/databases/databases.ts';

const MINUTE = 60_000;

for (const { name, open } of databases) {
  test(`${name}: a period of the log is found wherever it lies, also when a clock was set and the beginning is gone`, async () => {
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
        async (steps, forgotten, from, to) => {
          clock.now = start;
          await database.transaction(async ({ db }) => {
            await db.deleteFrom('events').execute();
            await db.updateTable('accounts').set({ eventPosition: 0 }).execute();
          });
          const moments: number[] = [];
          for (const step of steps) {
            clock.advance(step * MINUTE);
            moments.push(clock.now);
            await database.transaction(async (tx) => {
              const subject = { accountId, type: 'skill.updated', subjectType: 'skill', subjectId: 1 };
              tx.emit({ ...subject, actor: { type: 'system', id: null }, changes: { fields: [], values: {} } });
            });
          }
          const oldest = Math.min(forgotten, steps.length - 1) + 1;
          await database.transaction(({ db }) => db.deleteFrom('events').where('position', '<', oldest).execute());
          const period = {
            from: from === undefined ? undefined : start + from * MINUTE,
            to: to === undefined ? undefined : start + to * MINUTE,
          };
          const expected = moments.flatMap((at, index) =>
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
      { numRuns: 60 },
    );
    await installation.end();
  });
}
