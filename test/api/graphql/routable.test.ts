import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { graphql, parse, subscribe } from 'graphql';
import { requestContext } from '../../../src/api/graphql/request-context.ts';
import { schema } from '../../../src/api/graphql/schema.ts';
import { plainChanges } from '../../../src/api/graphql-server/changes.ts';
import { CHANNELS } from '../../../src/core/kernel/channels.ts';
import { channelLive } from '../../../src/core/live/capacity.ts';
import { liveState, presenceAt } from '../../../src/core/live/live.ts';
import { isRoutable } from '../../../src/core/live/routable.ts';
import { databases, type OpenInstallation } from '../../support/databases/databases.ts';
import { patiently } from '../../support/waiting/until.ts';

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
  let installation: OpenInstallation;
  before(async () => {
    installation = await open();
  });
  after(() => installation.end());

  test(`rule 7: ${name}: routable in SQL is routable by the one definition, in every combination`, async () => {
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
      leaseUntil: index % 2 === 0 ? fields.routableUntil : clock.now + 2, // in its grace
      ...{ chatToVideo: 0, chatPriority: 0, callPriority: 0, videoPriority: 0 },
      ...fields,
    }));
    await database.transaction(async (tx) => {
      for (let start = 0; start < rows.length; start += 1000) {
        const some = rows.slice(start, start + 1000);
        await tx.db.insertInto('operatorLive').values(some).execute();
      }
    });
    for (const channel of CHANNELS) {
      const found = await database.read
        .selectFrom('operatorLive as live')
        .select('live.operatorId')
        .where('live.operatorId', '>=', 1000)
        .where(isRoutable(channel))
        .orderBy('live.operatorId')
        .execute();
      const expected = rows.filter((row) => channelLive(liveState(row, presenceAt(row, clock.now)), channel).routable);
      assert.ok(expected.length > 0);
      assert.deepEqual(
        found.map((row) => row.operatorId),
        expected.map((row) => row.operatorId),
      );
    }
  });

  test(`${name}: what is not asked for is not counted`, async () => {
    const { operatorQuery, database, caller } = installation;
    const counted = [mock.method(operatorQuery, 'count'), mock.method(operatorQuery, 'memberCounts')];
    const run = async (query: string) => {
      const contextValue = requestContext(
        caller,
        installation,
        plainChanges((work) => database.transaction(work)),
      );
      const { errors } = await graphql({ schema, source: query, contextValue });
      assert.equal(errors, undefined);
      return counted.map(({ mock: { callCount } }, index) => callCount.call(counted[index]?.mock));
    };
    await run('mutation{skillCreate(input:{name:"S"}){skill{id}}}');
    assert.deepEqual(
      await run('{operators{nodes{id} pageInfo{hasNextPage}} skills{nodes{operators{nodes{id}}}}}'),
      [0, 0],
    );
    assert.deepEqual(await run('{operators{totalCount} skills{nodes{operators{totalCount}}}}'), [1, 1]);
  });

  test(`${name}: a subscription ends at once, also while it waits for a change that never comes`, async () => {
    const { database, caller } = installation;
    const contextValue = requestContext(
      caller,
      installation,
      plainChanges((work) => database.transaction(work)),
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
    assert.equal((await stream.next()).done, false, 'the present state');
    const waiting = stream.next();
    await patiently('the stream ends', stream.return(undefined));
    assert.equal((await waiting).done, true);
  });
}
