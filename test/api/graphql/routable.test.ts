import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { graphql, parse, subscribe } from 'graphql';
import { createRequestContext } from '../../../src/api/graphql/request-context.ts';
import { schema } from '../../../src/api/graphql/schema.ts';
import { createMutationRunner } from '../../../src/api/graphql-server/mutation-runner.ts';
import { OperationTurns, TurnScheduler } from '../../../src/api/graphql-server/turns.ts';
import { CHANNELS } from '../../../src/core/kernel/channels.ts';
import { computeChannelLive } from '../../../src/core/live/capacity.ts';
import { computePresence, toLiveState } from '../../../src/core/live/live.ts';
import { buildRoutableCondition } from '../../../src/core/live/routable.ts';
import { databases, type TestInstallation } from '../../support/databases/databases.ts';
import { withTimeout } from '../../support/waiting/wait.ts';

/** Every combination of the values of each field. */
function* combinations<T extends Record<string, readonly number[]>>(fields: T): Generator<Record<keyof T, number>> {
  const [first, ...rest] = Object.entries(fields);
  if (!first) return yield {} as Record<keyof T, number>;
  const [name, values] = first;
  for (const others of combinations(Object.fromEntries(rest))) {
    for (const value of values) yield { ...others, [name]: value } as Record<keyof T, number>;
  }
}

const FLAG = [0, 1];

for (const { name, open } of databases) {
  let installation: TestInstallation;
  before(async () => {
    installation = await open();
  });
  after(() => installation.end());

  test(`rule 7: ${name}: the SQL condition matches the definition of routable in every combination`, async () => {
    const { database, clock, accountId } = installation;
    const all = [
      ...combinations({
        routableUntil: [0, clock.now, clock.now + 1],
        ...{ chatEnabled: FLAG, callEnabled: FLAG, videoEnabled: FLAG },
        ...{ chatAvailable: FLAG, callAvailable: FLAG, videoAvailable: FLAG },
        ...{ chatSlots: [0, 1, 2], callSlots: FLAG, videoSlots: FLAG },
        ...{ chatMaxNumber: [1, 2], chatAndCall: FLAG },
      }),
    ];
    const rows = all.map((fields, index) => ({
      ...{ accountId, operatorId: 1000 + index, version: 1, firstLoginAt: null, namedOnly: 0 },
      leaseUntil: index % 2 === 0 ? fields.routableUntil : clock.now + 2, // in the grace period
      ...{ chatToVideo: 0, chatPriority: 0, callPriority: 0, videoPriority: 0 },
      ...fields,
    }));
    await database.transaction(async (tx) => {
      for (let start = 0; start < rows.length; start += 1000) {
        const batch = rows.slice(start, start + 1000);
        await tx.db.insertInto('operatorLive').values(batch).execute();
      }
    });
    for (const channel of CHANNELS) {
      const found = await database.read
        .selectFrom('operatorLive as live')
        .select('live.operatorId')
        .where('live.operatorId', '>=', 1000)
        .where(buildRoutableCondition(channel))
        .orderBy('live.operatorId')
        .execute();
      const expected = rows.filter(
        (row) => computeChannelLive(toLiveState(row, computePresence(row, clock.now)), channel).routable,
      );
      assert.ok(expected.length > 0);
      assert.deepEqual(
        found.map((row) => row.operatorId),
        expected.map((row) => row.operatorId),
      );
    }
  });

  test(`${name}: totalCount is computed only when it is selected`, async () => {
    const { operatorQuery, database, caller } = installation;
    const counters = [mock.method(operatorQuery, 'count'), mock.method(operatorQuery, 'countMembers')];
    const run = async (query: string) => {
      const contextValue = createRequestContext(
        caller,
        installation,
        createMutationRunner((work) => database.transaction(work)),
        new OperationTurns(new TurnScheduler(), 'test'),
        { getBaseUrl: () => 'http://127.0.0.1' },
      );
      const { errors } = await graphql({ schema, source: query, contextValue });
      assert.equal(errors, undefined);
      return counters.map(({ mock: { callCount } }, index) => callCount.call(counters[index]?.mock));
    };
    await run('mutation{skillCreate(input:{name:"S"}){skill{id}}}');
    assert.deepEqual(
      await run('{operators{nodes{id} pageInfo{hasNextPage}} skills{nodes{operators{nodes{id}}}}}'),
      [0, 0],
    );
    assert.deepEqual(await run('{operators{totalCount} skills{nodes{operators{totalCount}}}}'), [1, 1]);
  });

  test(`${name}: a subscription ends immediately, even while it waits for a change that never comes`, async () => {
    const { database, caller } = installation;
    const contextValue = createRequestContext(
      caller,
      installation,
      createMutationRunner((work) => database.transaction(work)),
      new OperationTurns(new TurnScheduler(), 'test'),
      { getBaseUrl: () => 'http://127.0.0.1' },
    );
    const { id } = await installation.skills.create((work) => database.transaction(work), caller, {
      name: 'Followed',
      parentId: null,
    });
    const stream = await subscribe({
      schema,
      document: parse(`subscription{skillAvailability(id:${id}){chat{waiting}}}`),
      contextValue,
    });
    assert.ok(Symbol.asyncIterator in stream);
    assert.equal((await stream.next()).done, false, 'the current state');
    const pending = stream.next();
    await withTimeout('the stream ends', stream.return(undefined));
    assert.equal((await pending).done, true);
  });
}
