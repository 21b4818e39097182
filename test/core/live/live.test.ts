import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect as connectOperator } from '../../../src/core/engine/presence/presence.ts';
import type { Transact } from '../../../src/core/kernel/caller.ts';
import { parseIdFilter } from '../../../src/core/kernel/filters.ts';
import { databases, type TestInstallation } from '../../support/databases/databases.ts';

for (const { name, open } of databases) {
  test(`${name}: an operator is connected until the lease expires by the database's clock`, async () => {
    const installation = await open();
    const id = await createAvailableOperator(installation, 'a@example.com');
    await connect(installation, id, 'one', 30);
    assert.deepEqual(await listConnected(installation), [id]);
    installation.clock.advance(29_999);
    assert.deepEqual(await listConnected(installation), [id]);
    installation.clock.advance(1);
    assert.deepEqual(await listConnected(installation), []);
    assert.equal((await installation.live.loadStamp(installation.accountId, id))?.connected, false);
    await installation.end();
  });

  test(`${name}: the longest of several leases counts, and a renewal never shortens`, async () => {
    const installation = await open();
    const id = await createAvailableOperator(installation, 'a@example.com');
    await connect(installation, id, 'one', 100);
    await connect(installation, id, 'two', 10);
    installation.clock.advance(50_000);
    assert.deepEqual(await listConnected(installation), [id]);
    await installation.end();
  });

  test(`${name}: going offline ends every lease, retains availability and is announced`, async () => {
    const installation = await open();
    const { live, caller, accountId, database } = installation;
    const id = await createAvailableOperator(installation, 'a@example.com');
    await connect(installation, id, 'one', 100);
    await connect(installation, id, 'two', 100);
    await live.update(createTransact(installation), caller, id, { connected: false });
    assert.deepEqual(await listConnected(installation), []);
    const [found] = await live.loadStates(accountId, [id]);
    assert.equal(found?.state.chat.available, true);
    assert.deepEqual(await database.read.selectFrom('operatorLeases').selectAll().execute(), []);
    const events = await database.read
      .selectFrom('events')
      .select('type')
      .where('subjectType', '=', 'operator')
      .where('subjectId', '=', id)
      .orderBy('position')
      .execute();
    assert.deepEqual(
      events.map((event) => event.type),
      ['operator.created', 'operator.availability_updated', 'operator.connected', 'operator.disconnected'],
    );
    await installation.end();
  });

  test(`${name}: only a change of routing settings creates a new version with history`, async () => {
    const installation = await open();
    const { operators, live, caller, accountId, database } = installation;
    const transact = createTransact(installation);
    const id = await createAvailableOperator(installation, 'a@example.com');
    const history = async () => {
      const query = database.read.selectFrom('liveHistory').select(['version', 'kind', 'chatMaxNumber']);
      const rows = await query.where('operatorId', '=', id).orderBy('version').execute();
      return rows.map((row) => [row.version, row.kind, row.chatMaxNumber]);
    };
    const initial = await history();
    await operators.rotateSsoKey(transact, caller, id);
    await operators.update(transact, caller, id, { name: 'Other', roles: ['manager', 'operator'] });
    assert.deepEqual(await history(), initial);
    assert.equal((await live.loadStamp(accountId, id))?.version, 2, 'one version for creation, one for availability');
    await operators.update(transact, caller, id, { name: 'Another', chatMaxNumber: 7 });
    assert.deepEqual(await history(), [...initial, [3, 'settings', 7]]);
    assert.equal((await live.loadStates(accountId, [id]))[0]?.state.chat.maximum, 7);
    const skill = await installation.skills.create(transact, caller, { name: 'Sales', order: 0, parentId: null });
    await operators.setSkill(transact, caller, skill, [id], true);
    assert.deepEqual((await history()).at(-1), [4, 'settings', 7]);
    await installation.end();
  });

  test(`${name}: the full list is returned in batches, complete and in order`, async () => {
    const installation = await open();
    const ids: number[] = [];
    for (let number = 0; number < 30; number++)
      ids.push(await createAvailableOperator(installation, `p${number}@example.com`));
    const { database, live, accountId } = installation;
    await database.transaction((tx) => tx.db.updateTable('operatorLive').set({ firstLoginAt: 1 }).execute());
    const unfiltered = await live.list(accountId, { filters: {}, includeOffline: true }, undefined);
    const listedIds: number[] = [];
    for await (const batch of unfiltered.batches) listedIds.push(...batch.map((stamp) => stamp.id));
    assert.deepEqual(listedIds, [...ids.reverse(), 1]);
    assert.equal(unfiltered.count, 31);
    const filtered = await live.list(
      accountId,
      { filters: { id: parseIdFilter([], '1*') }, includeOffline: true },
      undefined,
    );
    assert.equal(filtered.count, 11, '1 and 10 to 19');
    await installation.end();
  });

  test(`${name}: statistics are computed from stored rows`, async () => {
    const installation = await open();
    const { database, statistics, accountId } = installation;
    const buildConversation = (id: number, fields: object) => ({
      accountId,
      id,
      channel: 'chat' as const,
      websiteId: 1,
      skillId: null,
      groupId: null,
      operatorId: 1,
      language: 'en',
      state: 'closed' as const,
      createdAt: 1,
      acceptedAt: 2,
      firstAnswerAt: 3,
      closedAt: 4,
      ...fields,
    });
    await database.transaction(async ({ db }) => {
      await db
        .insertInto('conversations')
        .values([
          buildConversation(1, {}),
          buildConversation(2, { firstAnswerAt: null }),
          buildConversation(3, { state: 'active', closedAt: null }),
          buildConversation(4, { state: 'offered', acceptedAt: null, firstAnswerAt: null, closedAt: null }),
          buildConversation(5, { operatorId: 2 }),
        ])
        .execute();
      const notes = { accountId, websiteId: 1, operatorId: 1, comment: '', createdAt: 5 };
      await db
        .insertInto('satisfactions')
        .values([
          { ...notes, id: 1, conversationId: 1, noteWelcome: 5, noteResolution: 4, noteDelay: 3 },
          { ...notes, id: 2, conversationId: 2, noteWelcome: 5, noteResolution: 5, noteDelay: 4 },
        ])
        .execute();
    });
    const [busy, idle] = await statistics.compute(accountId, { subject: 'operator', ids: [1, 9] });
    assert.deepEqual(busy, {
      conversationNumber: 3,
      answeredNumber: 2,
      firstAnswerSeconds: 0.001,
      waitingSeconds: 0.001,
      durationSeconds: 0.002,
      queuedNumber: 0,
      queuedSeconds: null,
      abandonedNumber: 0,
      satisfactionRate: 0.87,
      experience: 10,
    });
    assert.deepEqual(idle, {
      conversationNumber: 0,
      answeredNumber: 0,
      firstAnswerSeconds: null,
      waitingSeconds: null,
      durationSeconds: null,
      queuedNumber: 0,
      queuedSeconds: null,
      abandonedNumber: 0,
      satisfactionRate: null,
      experience: 0,
    });
    await installation.end();
  });
}

function createTransact({ database }: TestInstallation): Transact {
  return (work) => database.transaction(work);
}

/** Available for chats. */
async function createAvailableOperator(installation: TestInstallation, email: string): Promise<number> {
  const { operators, live, caller } = installation;
  const transact = createTransact(installation);
  const { id } = await operators.create(transact, caller, { name: 'N', email });
  await live.update(transact, caller, id, { chat: { available: true } });
  return id;
}

function connect({ database, caller }: TestInstallation, operatorId: number, leaseId: string, seconds: number) {
  return database.transaction((tx) => connectOperator(tx, caller, { operatorId, leaseId, seconds }));
}

async function listConnected({ live, accountId }: TestInstallation): Promise<number[]> {
  const { batches } = await live.list(accountId, { filters: {}, includeOffline: false }, undefined);
  const ids: number[] = [];
  for await (const batch of batches) ids.push(...batch.map((stamp) => stamp.id));
  return ids;
}
