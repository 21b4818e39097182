import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, suite, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { EventLog, type LoggedEvent } from '../../../src/core/events/event-log.ts';
import { DomainError } from '../../../src/core/kernel/errors.ts';
import { SqliteConnection } from '../../../src/storage/sqlite/connection.ts';
import { databases, type OpenInstallation } from '../../support/databases/databases.ts';

interface Written {
  readonly conversation: number;
  readonly values?: Record<string, unknown>;
}

for (const { name, open } of databases) {
  suite(`rule 20, the event log (${name})`, () => {
    let installation: OpenInstallation;
    let log: EventLog;
    let end: AbortController;
    beforeEach(async () => {
      installation = await open();
      log = installation.events.log;
      end = new AbortController();
    });
    afterEach(async () => {
      end.abort();
      await installation.end();
    });

    /** One transaction with these changes. */
    const write = (...events: readonly Written[]) =>
      installation.database.transaction(async (tx) => {
        for (const { conversation, values = {} } of events) {
          tx.emit({
            accountId: installation.accountId,
            type: 'conversation.updated',
            subjectType: 'conversation',
            subjectId: conversation,
            actor: { type: 'visitor', id: 77 },
            changes: { fields: Object.keys(values), values },
          });
        }
      }, installation.accountId);
    const writeMany = async (count: number, event: (index: number) => Written) => {
      for (let start = 0; start < count; start += 200) {
        const size = Math.min(200, count - start);
        await write(...Array.from({ length: size }, (_, index) => event(start + index)));
      }
    };
    const present = () => log.position(installation.accountId);
    const follow = (after: number, topics?: readonly string[]) =>
      log.follow(installation.accountId, after, end.signal, topics);

    /** Reads until it has so many events. */
    async function take(stream: AsyncGenerator<readonly LoggedEvent[]>, count: number): Promise<LoggedEvent[]> {
      const seen: LoggedEvent[] = [];
      while (seen.length < count) {
        const { value, done } = await stream.next();
        if (done) break;
        seen.push(...value);
      }
      return seen;
    }
    const positions = (events: readonly LoggedEvent[]) => events.map(({ position }) => position);
    const kind = async (stream: AsyncGenerator<unknown>) =>
      stream.next().then(
        () => 'answered',
        (error) => `${(error as DomainError).kind}: ${(error as DomainError).message}`,
      );

    test('an event comes as it was written, with its actor', async () => {
      const stream = follow(await present());
      const first = take(stream, 1);
      await write({ conversation: 5, values: { state: 'queued' } });
      assert.deepEqual(await first, [
        {
          position: await present(),
          type: 'conversation.updated',
          subjectType: 'conversation',
          subjectId: 5,
          actorType: 'visitor',
          actorId: 77,
          at: installation.clock.now,
          changes: { fields: ['state'], values: { state: 'queued' } },
        },
      ]);
    });

    test('a topic is the subject, the operator, the one before, and the visitor', async () => {
      const start = await present();
      const values = { operatorId: 5, previousOperatorId: 6, visitorId: 7, sequence: 8 };
      await write({ conversation: 4, values }, { conversation: 5, values: { operatorId: 55, visitorId: null } });
      const about = async (topic: string) => {
        await write({ conversation: 9, values: { operatorId: 5, visitorId: 7 } });
        const newest = await present();
        const found = [];
        // From the database, and as it comes.
        for (const each of [new EventLog(installation.database), log]) {
          const stop = new AbortController();
          const seen: number[] = [];
          for await (const batch of each.follow(installation.accountId, start, stop.signal, [
            topic,
            'conversation:9',
          ])) {
            seen.push(...batch.filter(({ subjectId }) => subjectId !== 9).map(({ subjectId }) => subjectId));
            if (batch.upTo >= newest) stop.abort();
          }
          found.push(seen);
        }
        assert.deepEqual(found[0], found[1]);
        return found[0];
      };
      assert.deepEqual(await about('conversation:4'), [4]);
      assert.deepEqual(await about('conversation:5'), [5]);
      assert.deepEqual(await about('operator:5'), [4]);
      assert.deepEqual(await about('operator:6'), [4]);
      assert.deepEqual(await about('operator:55'), [5]);
      assert.deepEqual(await about('visitor:7'), [4]);
      assert.deepEqual(await about('visitor:5'), []);
      assert.deepEqual(await about('operator:8'), []);
    });

    test('however many follow, each commit is read once', async () => {
      const start = await present();
      const topics = Array.from({ length: 300 }, (_, index) => `conversation:${index}`);
      const streams = topics.map((topic) => follow(start, [topic, 'conversation:300']));
      const begun = streams.map((stream) => take(stream, 1));
      await write({ conversation: 300 });
      await Promise.all(begun); // all of them are served from memory now
      const runs = streams.map((stream) => take(stream, 1));
      const counters = [mock.method(SqliteConnection.prototype, 'all'), mock.method(SqliteConnection.prototype, 'run')];
      const from = performance.now();
      for (let index = 0; index < 300; index += 1) await write({ conversation: index });
      const seen = await Promise.all(runs);
      const looks = Math.ceil((performance.now() - from) / 1000);
      const statements = counters.flatMap((counter) => counter.mock.calls.map((call) => String(call.arguments[0])));
      const reads = statements.filter((sql) => /^select .* from "events"/.test(sql));
      for (const counter of counters) counter.mock.restore();
      assert.deepEqual(
        seen.map(([event]) => event?.subjectId),
        topics.map((_, index) => index),
      );
      assert.ok(name === 'postgres' || reads.length > 0, 'reads are counted where there are any');
      // The look every second may come between a commit and its read, and read once more.
      assert.ok(reads.length <= 310 + looks, `${reads.length} reads for 300 commits in ${looks} s`);
    });

    const TOPICS = ['conversation:1', 'operator:1', 'operator:2', 'visitor:3'];
    const follower = fc.record({
      back: fc.oneof(fc.constant(0), fc.nat(100), fc.nat(6000)),
      topics: fc.option(fc.uniqueArray(fc.constantFrom(...TOPICS), { minLength: 1, maxLength: 3 }), { nil: undefined }),
      pause: fc.constantFrom(0, 0, 1, 50),
      reconnects: fc.boolean(),
    });
    const id = fc.option(fc.integer({ min: 1, max: 3 }), { nil: null });
    const written = fc.record({
      conversation: fc.integer({ min: 1, max: 4 }),
      values: fc.record({ operatorId: id, previousOperatorId: id, visitorId: id }),
    });

    test('whoever follows, from wherever, slow or quick, with breaks or without, gets each event of theirs once and in order', async () => {
      await writeMany(120, (index) => ({ conversation: 1 + (index % 4), values: { operatorId: index % 3 } }));
      await fc.assert(
        fc.asyncProperty(
          fc.array(follower, { minLength: 1, maxLength: 8 }),
          fc.array(fc.array(written, { minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 12 }),
          async (followers, commits) => {
            const stop = new AbortController();
            const start = await present();
            const newest = start + commits.flat().length;
            const runs = followers.map(async ({ back, topics, pause, reconnects }) => {
              const seen: LoggedEvent[] = [];
              for (let from = Math.max(0, start - back); from < newest; ) {
                const stream = log.follow(installation.accountId, from, stop.signal, topics);
                for await (const batch of stream) {
                  seen.push(...batch);
                  from = batch.upTo;
                  for (let turn = 0; turn < pause; turn += 1) await setImmediate();
                  // Somebody for whom nothing comes any more is told so late: the last event is for everybody.
                  if (from >= newest || reconnects) break;
                }
              }
              return seen;
            });
            const writing = commits.map((events, index) =>
              write(...(index === commits.length - 1 ? events.map((event) => ({ ...event, ...ALL })) : events)),
            );
            await Promise.all(writing);
            const written = await eventsAfter(start - 6000);
            for (const [index, seen] of (await Promise.all(runs)).entries()) {
              const { back, topics } = followers[index] as (typeof followers)[number];
              const own = written.filter((event) => event.position > start - back && isAbout(event, topics));
              assert.deepEqual(positions(seen), positions(own));
            }
          },
        ),
        { numRuns: 40 },
      );
    });

    /** About every topic. */
    const ALL = { conversation: 1, values: { operatorId: 1, previousOperatorId: 2, visitorId: 3 } };

    async function eventsAfter(position: number): Promise<LoggedEvent[]> {
      const events = installation.database.read.selectFrom('events').selectAll().orderBy('position');
      const rows = await events.where('position', '>', position).execute();
      return rows.map((row) => ({ ...row, changes: JSON.parse(row.changes) }));
    }

    /** The rule once more, in the plainest words. */
    function isAbout(
      { subjectType, subjectId, changes: { values } }: LoggedEvent,
      topics: readonly string[] | undefined,
    ) {
      const about = [
        `${subjectType}:${subjectId}`,
        `operator:${values.operatorId}`,
        `operator:${values.previousOperatorId}`,
        `visitor:${values.visitorId}`,
      ];
      return topics === undefined || topics.some((topic) => about.includes(topic));
    }

    test('somebody who is far too slow reads what memory has lost from the database, and misses nothing', async () => {
      const start = await present();
      const streams = [undefined, ['operator:1'], ['conversation:1'], ['conversation:1', 'visitor:4']].map((topics) =>
        follow(start, topics),
      );
      const values = { operatorId: 1, visitorId: 4 };
      const first = Promise.all(streams.map((stream) => stream.next()));
      await write({ conversation: 1, values });
      await first;
      await writeMany(7000, (index) => ({ conversation: 1 + (index % 2), values }));
      const expected = positions(await eventsAfter(start + 1));
      const ofFirst = positions((await eventsAfter(start + 1)).filter((event) => event.subjectId === 1));
      for (const [index, stream] of streams.entries()) {
        const own = index === 2 ? ofFirst : expected;
        assert.deepEqual(positions(await take(stream, own.length)), own, `stream ${index}`);
      }
    });

    test('somebody of whom nothing happens is told how far the log has come', async () => {
      const start = await present();
      const stream = follow(start, ['operator:99']);
      const told = stream.next();
      await writeMany(1500, () => ({ conversation: 1 }));
      const { value } = await told;
      assert.deepEqual([...value], []);
      assert.ok(value.upTo >= start + 1000 && value.upTo <= start + 1500, String(value.upTo));
    });

    test('what another process writes is found by the poll', async (t) => {
      const { databaseFile } = installation.config;
      if (databaseFile === undefined) return t.skip('on PostgreSQL the tests of several nodes show it');
      const other = new EventLog(installation.database);
      const stream = other.follow(installation.accountId, await present(), end.signal, ['conversation:3']);
      const first = stream.next();
      await write({ conversation: 3 });
      await first; // from here on it waits for what comes
      const next = stream.next();
      const { DatabaseSync } = await import('node:sqlite');
      const file = new DatabaseSync(databaseFile);
      file.exec('begin immediate; update accounts set event_position = event_position + 1');
      file.exec(`insert into events (account_id, position, type, subject_type, subject_id, actor_type, at, changes)
        select id, event_position, 'conversation.closed', 'conversation', 3, 'system', 0, '{"fields":[],"values":{}}' from accounts`);
      file.exec('commit');
      file.close();
      assert.equal((await next).value?.[0]?.type, 'conversation.closed');
    });

    test('a position that was forgotten is too old, one that is not there yet was never given', async () => {
      await writeMany(20, () => ({ conversation: 1 }));
      const newest = await present();
      assert.equal(await kind(follow(newest + 1)), `invalid: The position ${newest + 1} was never given.`);
      await installation.database.transaction(({ db }) =>
        db.deleteFrom('events').where('position', '<=', 10).execute(),
      );
      const tooOld = (position: number) =>
        `invalid: The position ${position} is too old: read again and follow from the present position.`;
      for (const topics of [undefined, ['conversation:1'], ['operator:1']]) {
        assert.equal(await kind(follow(9, topics)), tooOld(9));
        assert.equal(await kind(follow(0, topics)), tooOld(0));
      }
      assert.deepEqual(positions(await take(follow(10), newest - 10)).at(0), 11);
      const next = take(follow(newest, ['conversation:1']), 1);
      await write({ conversation: 1 });
      assert.deepEqual(positions(await next), [newest + 1], 'the newest position has nothing after it yet');
    });

    test('whoever is so slow that what they miss was forgotten is told so', async () => {
      const start = await present();
      const stream = follow(start);
      const first = stream.next();
      await write({ conversation: 1 });
      await first;
      await writeMany(6000, () => ({ conversation: 1 }));
      await installation.database.transaction(({ db }) =>
        db
          .deleteFrom('events')
          .where('position', '<', start + 3000)
          .execute(),
      );
      // What waited in memory still comes.
      const error = await take(stream, 6000).then(
        () => undefined,
        (thrown) => thrown,
      );
      assert.ok(error instanceof DomainError, String(error));
      assert.match(error.message, /is too old: read again and follow from the present position/);
    });

    test('the end comes also while nothing does, and the account is forgotten with its last follower', async () => {
      const stream = follow(await present(), ['operator:1']);
      const first = stream.next();
      await write({ conversation: 1, values: { operatorId: 1 } });
      await first; // from here on it waits for what comes
      const next = stream.next();
      end.abort();
      assert.deepEqual(await next, { value: undefined, done: true });
    });
  });
}
