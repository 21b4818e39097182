import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, suite, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { EventLog, type LoggedEvent } from '../../../src/core/events/event-log.ts';
import { DomainError } from '../../../src/core/kernel/errors.ts';
import { SqliteConnection } from '../../../src/storage/sqlite/connection.ts';
import { databases, shareInstallation, type TestInstallation } from '../../support/databases/databases.ts';

const POLL_INTERVAL_MS = 800;

interface EventInput {
  readonly conversation: number;
  readonly values?: Record<string, unknown>;
}

for (const { name, open } of databases) {
  suite(`rule 20, the event log (${name})`, () => {
    const openAccount = shareInstallation(open);
    let installation: TestInstallation;
    let log: EventLog;
    let end: AbortController;
    beforeEach(async () => {
      installation = await openAccount();
      log = installation.events.log;
      end = new AbortController();
    });
    afterEach(() => end.abort());

    /** Writes the events in one transaction. */
    const write = (...events: readonly EventInput[]) =>
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
    const writeMany = async (count: number, event: (index: number) => EventInput) => {
      for (let start = 0; start < count; start += 200) {
        const size = Math.min(200, count - start);
        await write(...Array.from({ length: size }, (_, index) => event(start + index)));
      }
    };
    const deleteEventsBefore = (position: number) =>
      installation.database.transaction(({ db }) =>
        db
          .deleteFrom('events')
          .where('accountId', '=', installation.accountId)
          .where('position', '<', position)
          .execute(),
      );
    const currentPosition = () => log.readPosition(installation.accountId);
    const follow = (after: number, topics?: readonly string[]) =>
      log.follow(installation.accountId, after, end.signal, topics);

    /** Reads until it has this many events. */
    async function take(stream: AsyncGenerator<readonly LoggedEvent[]>, count: number): Promise<LoggedEvent[]> {
      const seen: LoggedEvent[] = [];
      while (seen.length < count) {
        const { value, done } = await stream.next();
        if (done) break;
        seen.push(...value);
      }
      return seen;
    }
    const positionsOf = (events: readonly LoggedEvent[]) => events.map(({ position }) => position);
    const firstOutcome = async (stream: AsyncGenerator<unknown>) =>
      stream.next().then(
        () => 'answered',
        (error) => `${(error as DomainError).kind}: ${(error as DomainError).message}`,
      );

    test('a turn of the event loop shares the read of the position, until this process commits a change', async () => {
      const readShared = () => log.readSharedPositionAndTime(installation.accountId);
      await setImmediate();
      const [first, second] = [readShared(), readShared()];
      assert.equal(first, second);
      const { position } = await first;
      await write({ conversation: 1 });
      assert.equal((await readShared()).position, position + 1);
      const [before, after] = [readShared(), await setImmediate().then(readShared)];
      assert.notEqual(before, after);
    });

    test('an event is delivered as written, with its actor', async () => {
      const stream = follow(await currentPosition());
      const first = take(stream, 1);
      await write({ conversation: 5, values: { state: 'queued' } });
      assert.deepEqual(await first, [
        {
          position: await currentPosition(),
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

    test('topics are the subject, the operator, the previous operator and the visitor', async () => {
      const start = await currentPosition();
      const values = { operatorId: 5, previousOperatorId: 6, visitorId: 7, sequence: 8 };
      await write({ conversation: 4, values }, { conversation: 5, values: { operatorId: 55, visitorId: null } });
      const subjectsOf = async (topic: string) => {
        await write({ conversation: 9, values: { operatorId: 5, visitorId: 7 } });
        const newest = await currentPosition();
        const results = [];
        // Once from the database, once from memory.
        for (const eventLog of [new EventLog(installation.database), log]) {
          const stop = new AbortController();
          const seen: number[] = [];
          for await (const batch of eventLog.follow(installation.accountId, start, stop.signal, [
            topic,
            'conversation:9',
          ])) {
            seen.push(...batch.filter(({ subjectId }) => subjectId !== 9).map(({ subjectId }) => subjectId));
            if (batch.endPosition >= newest) stop.abort();
          }
          results.push(seen);
        }
        assert.deepEqual(results[0], results[1]);
        return results[0];
      };
      assert.deepEqual(await subjectsOf('conversation:4'), [4]);
      assert.deepEqual(await subjectsOf('conversation:5'), [5]);
      assert.deepEqual(await subjectsOf('operator:5'), [4]);
      assert.deepEqual(await subjectsOf('operator:6'), [4]);
      assert.deepEqual(await subjectsOf('operator:55'), [5]);
      assert.deepEqual(await subjectsOf('visitor:7'), [4]);
      assert.deepEqual(await subjectsOf('visitor:5'), []);
      assert.deepEqual(await subjectsOf('operator:8'), []);
    });

    test('each commit is read once for any number of followers', async () => {
      const start = await currentPosition();
      const topics = Array.from({ length: 300 }, (_, index) => `conversation:${index}`);
      const streams = topics.map((topic) => follow(start, [topic, 'conversation:300']));
      const firstEvents = streams.map((stream) => take(stream, 1));
      await write({ conversation: 300 });
      await Promise.all(firstEvents); // now all are served from memory
      const runs = streams.map((stream) => take(stream, 1));
      const counters = [mock.method(SqliteConnection.prototype, 'all'), mock.method(SqliteConnection.prototype, 'run')];
      const from = performance.now();
      for (let index = 0; index < 300; index += 1) await write({ conversation: index });
      const seen = await Promise.all(runs);
      const polls = Math.ceil((performance.now() - from) / POLL_INTERVAL_MS);
      const statements = counters.flatMap((counter) => counter.mock.calls.map((call) => String(call.arguments[0])));
      const reads = statements.filter((sql) => /^select .* from "events"/.test(sql));
      for (const counter of counters) counter.mock.restore();
      assert.deepEqual(
        seen.map(([event]) => event?.subjectId),
        topics.map((_, index) => index),
      );
      assert.ok(name === 'postgres' || reads.length > 0, 'reads are counted where there are any');
      // A poll can come between a commit and its read, and cause one more read.
      assert.ok(reads.length <= 310 + polls, `${reads.length} reads for 300 commits and ${polls} polls`);
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

    test('every follower gets each of its events once and in order, from any position, at any speed, with or without reconnects', async () => {
      await writeMany(120, (index) => ({ conversation: 1 + (index % 4), values: { operatorId: index % 3 } }));
      await fc.assert(
        fc.asyncProperty(
          fc.array(follower, { minLength: 1, maxLength: 8 }),
          fc.array(fc.array(written, { minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 12 }),
          async (followers, commits) => {
            const stop = new AbortController();
            const start = await currentPosition();
            const newest = start + commits.flat().length;
            const runs = followers.map(async ({ back, topics, pause, reconnects }) => {
              const seen: LoggedEvent[] = [];
              for (let from = Math.max(0, start - back); from < newest; ) {
                const stream = log.follow(installation.accountId, from, stop.signal, topics);
                for await (const batch of stream) {
                  seen.push(...batch);
                  from = batch.endPosition;
                  for (let turn = 0; turn < pause; turn += 1) await setImmediate();
                  // Progress without matching events is reported late, so the last event is for all followers.
                  if (from >= newest || reconnects) break;
                }
              }
              return seen;
            });
            const writing = commits.map((events, index) =>
              write(...(index === commits.length - 1 ? events.map((event) => ({ ...event, ...ALL_TOPICS })) : events)),
            );
            await Promise.all(writing);
            const written = await eventsAfter(start - 6000);
            for (const [index, seen] of (await Promise.all(runs)).entries()) {
              const { back, topics } = followers[index] as (typeof followers)[number];
              const expectedEvents = written.filter(
                (event) => event.position > start - back && matchesTopics(event, topics),
              );
              assert.deepEqual(positionsOf(seen), positionsOf(expectedEvents));
            }
          },
        ),
        { numRuns: process.env.FULL === '1' ? 40 : 15 },
      );
    });

    /** Matches every topic. */
    const ALL_TOPICS = { conversation: 1, values: { operatorId: 1, previousOperatorId: 2, visitorId: 3 } };

    async function eventsAfter(position: number): Promise<LoggedEvent[]> {
      const rows = await installation.database.read
        .selectFrom('events')
        .selectAll()
        .where('accountId', '=', installation.accountId)
        .where('position', '>', position)
        .orderBy('position')
        .execute();
      return rows.map((row) => ({ ...row, changes: JSON.parse(row.changes) }));
    }

    /** The rule again, as simple as possible. */
    function matchesTopics(
      { subjectType, subjectId, changes: { values } }: LoggedEvent,
      topics: readonly string[] | undefined,
    ) {
      const eventTopics = [
        `${subjectType}:${subjectId}`,
        `operator:${values.operatorId}`,
        `operator:${values.previousOperatorId}`,
        `visitor:${values.visitorId}`,
      ];
      return topics === undefined || topics.some((topic) => eventTopics.includes(topic));
    }

    test('a very slow follower reads older events from the database and misses nothing', async () => {
      const start = await currentPosition();
      const streams = [undefined, ['operator:1'], ['conversation:1'], ['conversation:1', 'visitor:4']].map((topics) =>
        follow(start, topics),
      );
      const values = { operatorId: 1, visitorId: 4 };
      const first = Promise.all(streams.map((stream) => stream.next()));
      await write({ conversation: 1, values });
      await first;
      await writeMany(7000, (index) => ({ conversation: 1 + (index % 2), values }));
      const expected = positionsOf(await eventsAfter(start + 1));
      const expectedOfConversation = positionsOf(
        (await eventsAfter(start + 1)).filter((event) => event.subjectId === 1),
      );
      for (const [index, stream] of streams.entries()) {
        const expectedEvents = index === 2 ? expectedOfConversation : expected;
        assert.deepEqual(positionsOf(await take(stream, expectedEvents.length)), expectedEvents, `stream ${index}`);
      }
    });

    test('a follower without matching events gets progress reports', async () => {
      const start = await currentPosition();
      const stream = follow(start, ['operator:99']);
      const report = stream.next();
      await writeMany(1500, () => ({ conversation: 1 }));
      const { value } = await report;
      assert.deepEqual([...value], []);
      assert.ok(value.endPosition >= start + 1000 && value.endPosition <= start + 1500, String(value.endPosition));
    });

    test('events of another process are found by the poll', async (t) => {
      const { databaseFile } = installation.config;
      if (databaseFile === undefined) return t.skip('covered on PostgreSQL by the tests with several nodes');
      const other = new EventLog(installation.database);
      const stream = other.follow(installation.accountId, await currentPosition(), end.signal, ['conversation:3']);
      const first = stream.next();
      await write({ conversation: 3 });
      await first; // now it waits for new events
      const next = stream.next();
      const { DatabaseSync } = await import('node:sqlite');
      const file = new DatabaseSync(databaseFile);
      const account = `where id = ${installation.accountId}`;
      file.exec(`begin immediate; update accounts set event_position = event_position + 1 ${account}`);
      file.exec(`insert into events (account_id, position, type, subject_type, subject_id, actor_type, at, changes)
        select id, event_position, 'conversation.closed', 'conversation', 3, 'system', 0, '{"fields":[],"values":{}}' from accounts ${account}`);
      file.exec('commit');
      file.close();
      assert.equal((await next).value?.[0]?.type, 'conversation.closed');
    });

    test('rejects a deleted position and a future one', async () => {
      await writeMany(20, () => ({ conversation: 1 }));
      const newest = await currentPosition();
      assert.equal(await firstOutcome(follow(newest + 1)), 'invalid: The position does not exist yet.');
      await deleteEventsBefore(11);
      const tooOld = 'invalid: The position is too old: read again and follow from the current position.';
      for (const topics of [undefined, ['conversation:1'], ['operator:1']]) {
        assert.equal(await firstOutcome(follow(9, topics)), tooOld);
        assert.equal(await firstOutcome(follow(0, topics)), tooOld);
      }
      assert.deepEqual(positionsOf(await take(follow(10), newest - 10)).at(0), 11);
      const next = take(follow(newest, ['conversation:1']), 1);
      await write({ conversation: 1 });
      assert.deepEqual(positionsOf(await next), [newest + 1], 'the newest position has nothing after it yet');
    });

    test('a follower whose next events were deleted gets an error', async () => {
      const start = await currentPosition();
      const stream = follow(start);
      const first = stream.next();
      await write({ conversation: 1 });
      await first;
      await writeMany(6000, () => ({ conversation: 1 }));
      await deleteEventsBefore(start + 3000);
      // Events in memory are still delivered.
      const error = await take(stream, 6000).then(
        () => undefined,
        (thrown) => thrown,
      );
      assert.ok(error instanceof DomainError, String(error));
      assert.match(error.message, /is too old: read again and follow from the current position/);
    });

    test('aborting ends a follower that is waiting', async () => {
      const stream = follow(await currentPosition(), ['operator:1']);
      const first = stream.next();
      await write({ conversation: 1, values: { operatorId: 1 } });
      await first; // now it waits for new events
      const next = stream.next();
      end.abort();
      assert.deepEqual(await next, { value: undefined, done: true });
    });
  });
}
