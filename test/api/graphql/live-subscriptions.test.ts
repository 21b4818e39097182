import assert from 'node:assert/strict';
import { after, before, mock, test } from 'node:test';
import { SqliteConnection } from '../../../src/storage/sqlite/connection.ts';
import { isOnPostgres } from '../../support/databases/postgres-database.ts';
import { type DeskOperator, type Desks, startDesks } from '../../support/fixtures/desks.ts';

let desks: Desks;
let admin: DeskOperator;
before(async () => {
  desks = await startDesks();
  admin = await desks.createOperator({ roles: ['admin'], chatEnabled: false });
});
after(() => desks.stop());

test('rule 5: operatorLive reports claimed and released slots, on both sides of a transfer', async () => {
  const { fixture } = desks;
  const skillId = await fixture.createSkill();
  const [firstId, secondId] = [
    await fixture.createOperator({ skillList: [skillId], chatPriority: 10 }),
    await fixture.createOperator({ skillList: [skillId] }),
  ];
  const subscription = await admin.connect().subscribe('subscription{operatorLive{id live{chat{slotNumber}}}}');
  const listSlots = () =>
    subscription.results.map(({ data }) => [Number(data.operatorLive.id), data.operatorLive.live.chat.slotNumber]);
  const conversation = await fixture.accept(await fixture.startConversation({ skillId }));
  await subscription.waitUntil(() => listSlots().some(([id, number]) => id === firstId && number === 1));
  const target = { id: conversation.id, operatorId: secondId };
  await fixture.installation.conversations.transfer(fixture.transact, fixture.callerFor(firstId), target);
  await subscription.waitUntil(() => listSlots().some(([id, number]) => id === secondId && number === 1));
  await subscription.waitUntil(() => listSlots().some(([id, number]) => id === firstId && number === 0));
  await fixture.close(await fixture.accept(await fixture.loadConversation(conversation.id)));
  await subscription.waitUntil(() => listSlots().at(-1)?.join() === `${secondId},0`);
  subscription.stop();
});

/** The counter is in the embedded database; PostgreSQL runs the same statements. */
const SQLITE_ONLY = { skip: isOnPostgres && 'queries are counted on the embedded database' };

test('rule 20: a change is queried once for all subscribers of skill availability', SQLITE_ONLY, async () => {
  const { fixture } = desks;
  const [skillId, otherSkillId] = [await fixture.createSkill(), await fixture.createSkill()];
  const id = await fixture.createOperator({ skillList: [skillId], chatMaxNumber: 5 });
  const query = 'subscription($id:ID!){skillAvailability(id:$id){chat{freeSlots waiting}}}';
  const socket = admin.connect();
  const subscriptions = await Promise.all(
    Array.from({ length: 40 }, (_, n) => socket.subscribe(query, { id: n % 2 === 0 ? skillId : otherSkillId })),
  );
  await Promise.all(subscriptions.map((subscription) => subscription.waitUntil((results) => results.length === 1)));
  const statements = mock.method(SqliteConnection.prototype, 'run');
  await fixture.startConversation({ skillId });
  const affected = subscriptions.filter((_, n) => n % 2 === 0);
  await Promise.all(affected.map((subscription) => subscription.waitUntil((results) => results.length === 2)));
  const queries = statements.mock.calls.filter(({ arguments: [text] }) =>
    /from "conversations" .* group by/.test(text),
  );
  statements.mock.restore();
  assert.ok(queries.length > 0 && queries.length <= 5, `${queries.length} queries`);
  for (const subscription of affected) {
    assert.deepEqual(subscription.results.at(-1).data.skillAvailability.chat, { freeSlots: 4, waiting: 0 });
  }
  assert.ok(
    subscriptions.every((subscription, n) => n % 2 === 0 || subscription.results.length === 1),
    'an unchanged skill sends nothing',
  );
  await fixture.disconnect(id);
});
